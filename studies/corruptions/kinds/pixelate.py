"""Pixelation: a picture of few pixels, enlarged.

Blocks of 1 / 0.6, 1 / 0.5, 1 / 0.4, 1 / 0.3, 1 / 0.25 pixels of the paper. In small pictures such blocks would be less
than a pixel; they are never smaller than those of the paper's edition for 32 x 32 pixels: 1 / 0.95, 1 / 0.9, 1 / 0.85,
1 / 0.75, 1 / 0.65.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.paper_scale import length_scale

SHARES: Final = (0.6, 0.5, 0.4, 0.3, 0.25)
LARGEST_SHARES: Final = (0.95, 0.9, 0.85, 0.75, 0.65)


class Pixelate(Corruption):
    """Means over blocks."""

    title = "Pixelate"
    group = "digital"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        height, width = picture.shape[:2]
        share = min(SHARES[severity - 1] / length_scale(picture.shape), LARGEST_SHARES[severity - 1])
        few = max(int(width * share), 1), max(int(height * share), 1)
        small = cv2.resize(picture, few, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST_EXACT), np.uint8)
