"""Datasets: placing hazards, recording scenes, layouts on disk, converters."""
