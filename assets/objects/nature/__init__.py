"""Nature: natural objects that do not grow along roads."""
