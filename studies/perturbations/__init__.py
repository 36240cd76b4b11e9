"""Perturbation sequences (ImageNet-P) for driving scenes, and how stable predictions are along them."""
