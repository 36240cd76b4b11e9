"""Blueprints: CARLA's names and attributes of the vehicles, walkers, props, sensors and controllers one may spawn."""
