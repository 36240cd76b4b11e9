"""Recordings of a world in CARLA's own file format: recording, queries, and replay."""
