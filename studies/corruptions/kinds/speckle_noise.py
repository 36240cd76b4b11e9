"""Speckle noise: noise in proportion to the light, as from coherent light or an uneven sensor.

Deviations 0.15, 0.2, 0.35, 0.45, 0.6 of each value. Held out for tuning.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.draws import normal_layer

DEVIATIONS: Final = (0.15, 0.2, 0.35, 0.45, 0.6)


class SpeckleNoise(Corruption):
    """Each channel of each pixel times a normal number around one."""

    title = "Speckle noise"
    group = "noise"
    held_out = True

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        gains = normal_layer(1.0, DEVIATIONS[severity - 1], picture.shape, rng)
        return np.asarray(cv2.multiply(picture, gains, dtype=cv2.CV_8U), np.uint8)
