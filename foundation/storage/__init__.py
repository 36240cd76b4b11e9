"""Files and folders: atomic writes, arrays, images, claims on output folders, content hashes, provenance."""
