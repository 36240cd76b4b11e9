"""Gaussian noise: what a sensor adds in little light, the same for every channel of every pixel.

Deviations 0.08, 0.12, 0.18, 0.26, 0.38 of white.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.draws import normal_steps

DEVIATIONS: Final = (0.08, 0.12, 0.18, 0.26, 0.38)


class GaussianNoise(Corruption):
    """Normal noise added to each channel of each pixel."""

    title = "Gaussian noise"
    group = "noise"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        noise = normal_steps(255 * DEVIATIONS[severity - 1], picture.shape, rng)
        return np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8)
