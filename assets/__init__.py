"""What is shown, with licence or origin beside it. Imports no other room."""
