"""Learning the ordinary classes."""
