"""Conversion of others' datasets into sets that audit, training and scoring take."""
