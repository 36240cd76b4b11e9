"""Rendered against painted: whether painted fog, rain, night and blur rank runs and scorers as rendered ones do."""
