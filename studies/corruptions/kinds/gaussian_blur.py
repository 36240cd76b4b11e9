"""Gaussian blur: a low-pass filter, near pixels weigh more than far ones.

Deviations 1, 2, 3, 4, 6 pixels of the paper. Held out for tuning.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.studies.corruptions.blurring import bell_blur
from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.paper_scale import length_scale

DEVIATIONS: Final = (1, 2, 3, 4, 6)


class GaussianBlur(Corruption):
    """Convolution with a bell."""

    title = "Gaussian blur"
    group = "blur"
    held_out = True

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        return bell_blur(picture, length_scale(picture.shape) * DEVIATIONS[severity - 1])
