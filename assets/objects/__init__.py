"""The built-in hazard objects: procedural families, one file per category."""
