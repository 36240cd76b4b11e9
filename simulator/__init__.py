"""Driving simulator behind the genuine ``carla`` client: a real CARLA server, or the embedded server."""
