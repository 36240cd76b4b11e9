"""Generation of a dataset: from a slot of a recipe to planned, placed, rendered, checked and written frames."""
