"""Saturate: edited pictures are more or less colourful.

The saturation of HSV times 0.3 and 0.1 (paler), 2, 5 and 20 (more colourful), the last two plus 0.1 and 0.2. Held out
for tuning. In the published code greys turn red at the last two, for lack of a hue; here they stay grey.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.tones import scale_saturation

GAINS: Final = (0.3, 0.1, 2, 5, 20)
SHIFTS: Final = (0, 0, 0, 0.1, 0.2)


class Saturate(Corruption):
    """Paler, then more colourful."""

    title = "Saturate"
    group = "digital"
    held_out = True
    rising = ((1, 2), (3, 4, 5))

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        return scale_saturation(picture, GAINS[severity - 1], SHIFTS[severity - 1])
