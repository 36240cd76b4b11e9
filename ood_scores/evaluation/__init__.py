"""Evaluation of a dataset: one resumable pass over its images, spread over processes or Ray, and its results."""
