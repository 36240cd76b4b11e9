"""What a client may spawn: CARLA's names and attributes for vehicles, walkers, props, sensors and controllers."""
