"""Anomaly scorers, one file each."""
