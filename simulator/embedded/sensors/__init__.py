"""Sensors: what they measure and how CARLA packs it."""
