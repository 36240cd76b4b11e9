"""Controlled shifts: the scenes of a set rendered again with one thing changed and the rest kept."""
