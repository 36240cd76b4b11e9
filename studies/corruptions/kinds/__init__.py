"""The corruptions, one file each; a file's name is the corruption's."""
