"""Blueprints: names and attributes of the actors that clients can spawn, as in CARLA."""
