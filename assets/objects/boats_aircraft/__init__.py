"""Boats and aircraft, small enough to lie on a road."""
