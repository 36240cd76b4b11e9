"""The genuine StreetHazards release in numbers: class shares measured on its 7,656 label maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PARTS: Final = ("train", "val", "t5", "t6")
CLASS_SHARES: Final[Mapping[str, tuple[float, float, float, float]]] = {
    "background": (31.02, 28.36, 25.42, 42.18),
    "building": (12.01, 12.71, 16.53, 2.31),
    "fence": (1.25, 2.27, 1.22, 0.91),
    "other": (0.47, 0.45, 0.80, 0.15),
    "pedestrian": (0.018, 0.002, 0.0, 0.0),
    "pole": (1.25, 0.61, 0.93, 0.45),
    "road line": (1.34, 1.31, 2.21, 1.09),
    "road": (33.32, 36.22, 37.74, 36.23),
    "sidewalk": (6.71, 4.45, 4.20, 3.12),
    "vegetation": (8.82, 10.37, 7.78, 10.54),
    "car": (0.25, 0.04, 0.10, 0.27),
    "wall": (3.43, 3.10, 1.86, 1.59),
    "traffic sign": (0.10, 0.11, 0.18, 0.13),
    "anomaly": (0.0, 0.0, 1.03, 1.04),
}
"""Percent of pixels in training, validation (t4) and the two test towns."""
COUNTS: Final = {"train": 5125, "val": 1031, "test": 1500}


def genuine_share(name: str, split: str, town: str) -> float | None:
    """Percent of a class in the genuine release's part that matches; None for a class it does not have."""
    if name not in CLASS_SHARES:
        return None
    part = split if split in {"train", "val"} else town if town in PARTS else None
    return None if part is None else CLASS_SHARES[name][PARTS.index(part)]
