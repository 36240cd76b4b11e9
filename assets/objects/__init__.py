"""Built-in hazard objects: a folder a category, a file a family, a function a kind (see :mod:`caos.assets.kinds`)."""
