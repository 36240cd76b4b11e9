"""Shifts of one attribute at a time: what each costs segmenters and detectors."""
