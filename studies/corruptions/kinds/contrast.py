"""Contrast: flat light draws all tones towards their mean.

Differences from each channel's mean times 0.4, 0.3, 0.2, 0.1, 0.05.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture

FACTORS: Final = (0.4, 0.3, 0.2, 0.1, 0.05)


class Contrast(Corruption):
    """Tones drawn towards the mean of the picture."""

    title = "Contrast"
    group = "digital"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        means = np.array(cv2.mean(picture)[:3])
        table = np.rint((np.arange(256)[:, None] - means) * FACTORS[severity - 1] + means).astype(np.uint8)
        return np.asarray(cv2.LUT(picture, table[:, None, :]), np.uint8)
