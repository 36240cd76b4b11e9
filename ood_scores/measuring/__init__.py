"""Measures of score maps: metrics, protocols, counts over all pixels, objects, breakdowns, statistics. Numpy only."""
