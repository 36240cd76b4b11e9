"""Losses with negatives, one file each; see :mod:`caos.segmentation.training.negatives`."""
