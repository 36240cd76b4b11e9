"""Version of what this room computes: score maps and measures."""

from __future__ import annotations

from typing import Final

from caos.foundation.storage.identity import Numerics

NUMERICS_VERSION: Final = 1
"""Raise it with every change of the code after which the same inputs and settings give other numbers or bytes.

Results, sets and runs made before are then neither reused nor continued.
"""
NUMERICS: Final = Numerics(
    "ood_scores",
    NUMERICS_VERSION,
    ("numpy", "pillow", "tifffile", "h5py", "opencv-python-headless", "opencv-python"),
)
