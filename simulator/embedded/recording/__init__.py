"""Recordings of a world in CARLA's own file format: written, asked about, and played again."""
