"""Pixels: a scene description goes in; colour, tags, instance ids and depth come out."""
