"""Bicycles and motorcycles with their riders."""
