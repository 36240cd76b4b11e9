"""A driving simulator behind the genuine `carla` client: real CARLA, or the embedded server."""
