"""Sensors: measurements, and their binary formats in CARLA's protocol."""
