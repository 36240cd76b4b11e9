"""Scoring runs: one pass over the images of a set, resumable, spread over processes or a Ray cluster."""
