"""Import of third-party meshes: ShapeNetSem, or any folder or zip archive.

A file goes through four steps (run by ``importer``): it is found (``folder``, ``shapenetsem``), read in a child process
that may crash or hang (``worker``, ``reading``), cleaned, scaled and set upright (``hygiene``), and written to a
library. An unusable mesh is skipped with a reason in the report and does not stop the import.
"""
