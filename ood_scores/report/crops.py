"""Crops of hazards: image and truth side by side, with enough of the street around to see where the hazard stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

CROP: Final = (200, 150)
ROOM: Final = 1.7
"""How much wider a crop is than its hazard."""
SMALLEST_PX: Final = 20
Box = tuple[int, int, int, int]


def hazard_boxes(objects: NDArray[np.int32], hazards: Sequence[int]) -> tuple[Box | None, ...]:
    """Left, top, right, bottom of each hazard in the map of objects; None for one that does not show."""
    return tuple(_box(objects == hazard) for hazard in hazards)


def _box(mask: NDArray[np.bool_]) -> Box | None:
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not rows.size:
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def crop_window(box: Box, width: int, height: int) -> Box:
    """The part of the picture that shows a hazard and its surroundings, in the shape of a crop.

    >>> crop_window((100, 100, 150, 120), 640, 360)
    (82, 78, 168, 142)
    """
    left, top, right, bottom = box
    wide = max(ROOM * (right - left), ROOM * (bottom - top) * CROP[0] / CROP[1], 2 * SMALLEST_PX)
    wide = min(wide, width, height * CROP[0] / CROP[1])
    high = wide * CROP[1] / CROP[0]
    x = min(max((left + right - wide) / 2, 0), width - wide)
    y = min(max((top + bottom - high) / 2, 0), height - high)
    return round(x), round(y), round(x + wide), round(y + high)


def hazard_crop(image: NDArray[np.uint8], truth: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    """Image and truth around a hazard, side by side."""
    window = crop_window(box, image.shape[1], image.shape[0])
    parts = [Image.fromarray(picture).crop(window).resize(CROP, Image.Resampling.LANCZOS) for picture in (image, truth)]
    return np.concatenate([np.asarray(part) for part in parts], 1)
