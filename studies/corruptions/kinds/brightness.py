"""Brightness: daylight that is too strong for the exposure.

0.1, 0.2, 0.3, 0.4, 0.5 added to the value of HSV.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.tones import shift_value

AMOUNTS: Final = (0.1, 0.2, 0.3, 0.4, 0.5)


class Brightness(Corruption):
    """A brighter picture of the same hues."""

    title = "Brightness"
    group = "weather"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        return shift_value(picture, AMOUNTS[severity - 1])
