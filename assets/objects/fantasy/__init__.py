"""Fantasy: objects that do not occur in traffic."""
