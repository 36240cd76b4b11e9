"""The small CARLA: a headless CPU simulator that speaks CARLA's wire protocol."""
