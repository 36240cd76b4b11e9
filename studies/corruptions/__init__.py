"""Corruptions of pictures (ImageNet-C) for driving scenes, five severities each, and the errors they cause."""
