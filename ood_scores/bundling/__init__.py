"""Bundling of a run: packed weights, ordinary scores and a model card, and the command that writes them."""
