"""The built-in hazard objects: one file per category, one function per kind (see :mod:`assets.kinds`)."""
