"""Built-in hazard objects: one folder per category, one function per kind (see :mod:`caos.assets.catalogue.kinds`)."""
