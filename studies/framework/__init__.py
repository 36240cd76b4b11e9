"""What studies share: the study folder, settings, runs, measuring and their registry."""
