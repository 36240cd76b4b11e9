"""Templates, style and scripts of the pages."""
