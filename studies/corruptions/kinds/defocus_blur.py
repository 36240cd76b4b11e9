"""Defocus blur: a lens out of focus spreads each point over a disc.

Radii 3, 4, 6, 8, 10 pixels of the paper, the disc's edge softened by 0.1 and then 0.5 of a pixel.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.studies.corruptions.blurring import disc_blur
from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.paper_scale import length_scale

RADII: Final = (3, 4, 6, 8, 10)
SOFTNESS: Final = (0.1, 0.5, 0.5, 0.5, 0.5)


class DefocusBlur(Corruption):
    """Convolution with a disc."""

    title = "Defocus blur"
    group = "blur"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        scale = length_scale(picture.shape)
        return disc_blur(picture, scale * RADII[severity - 1], scale * SOFTNESS[severity - 1])
