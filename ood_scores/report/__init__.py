"""The pages: a static site of a scoring run that opens from the file system, with no network and no server."""
