"""Version of what this room computes: the meshes and textures that are shown."""

from __future__ import annotations

from typing import Final

from caos.foundation.storage.identity import Numerics

NUMERICS_VERSION: Final = 1
"""Raise it with every change of the code after which the same inputs and settings give other numbers or bytes.

Results, sets and runs made before are then neither reused nor continued.
"""
NUMERICS: Final = Numerics(
    "assets",
    NUMERICS_VERSION,
    ("numpy", "scipy", "shapely", "mapbox-earcut", "scikit-image", "pillow", "matplotlib"),
)
