"""Exposure study: what each step of training with negatives is worth."""
