"""Fantasy: what no training set holds."""
