"""Import of other people's meshes: ShapeNetSem, or any folder or zip archive.

A file goes through four steps: it is found (``folder``, ``shapenetsem``), read in a child process that may crash or
hang (``worker``, ``reading``), cleaned, scaled and set upright (``hygiene``), and written to a library. What cannot be
used is set aside with its reason; nothing stops the import.
"""
