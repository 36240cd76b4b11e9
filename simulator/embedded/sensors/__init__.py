"""What sensors measure and how CARLA packs it."""
