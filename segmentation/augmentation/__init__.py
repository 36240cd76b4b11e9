"""Augmentation of training images: geometry, appearance, camera faults, mixing, DeepAugment."""
