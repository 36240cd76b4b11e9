"""Embedded server: a headless CPU simulator that speaks CARLA's wire protocol."""
