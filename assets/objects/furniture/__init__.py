"""Furniture."""
