"""Motion blur: the camera moves while the shutter is open.

A fading trail in a random direction within 45 degrees of level. (Radius, deviation): (10, 3), (15, 5), (15, 8), (15,
12), (20, 15) pixels of the paper.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.studies.corruptions.blurring import streak_blur
from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.paper_scale import length_scale

RADII: Final = (10, 15, 15, 15, 20)
DEVIATIONS: Final = (3, 5, 8, 12, 15)
STEEPEST_DEG: Final = 45


class MotionBlur(Corruption):
    """Convolution with a trail."""

    title = "Motion blur"
    group = "blur"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        scale = length_scale(picture.shape)
        angle = rng.uniform(-STEEPEST_DEG, STEEPEST_DEG)
        return streak_blur(picture, scale * RADII[severity - 1], scale * DEVIATIONS[severity - 1], angle)
