"""Towns: a plan or an OpenDRIVE document becomes road surfaces, street furniture, buildings and terrain.

``plan`` reads a plan, ``builder`` builds the town, ``town`` is the result, ``storage`` and ``cache`` keep it on disk,
``styles`` and ``country`` hold how it is furnished, ``views`` renders it. ``roads`` reads and writes the road network;
``streetscape`` places everything that stands on and beside it.
"""
