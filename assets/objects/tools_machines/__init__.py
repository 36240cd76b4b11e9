"""Tools and machines."""
