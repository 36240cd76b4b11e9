"""Scores that say how foreign a pixel looks, and the metrics that say how well they did."""
