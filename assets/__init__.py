"""Assets: everything that is shown, with licence or origin beside it. Imports nothing but the foundation."""
