"""Impulse noise: bit errors turn single values black or white, salt and pepper in colour.

Shares of 0.03, 0.06, 0.09, 0.17, 0.27 of all values, half of them black and half white.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.draws import WORD_VALUES, words

SHARES: Final = (0.03, 0.06, 0.09, 0.17, 0.27)


class ImpulseNoise(Corruption):
    """Values of single channels replaced by 0 or 255."""

    title = "Impulse noise"
    group = "noise"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        half = round(SHARES[severity - 1] / 2 * WORD_VALUES)
        drawn = words(picture.shape, rng)
        changed = picture.copy()
        np.putmask(changed, drawn < half, 0)
        np.putmask(changed, drawn >= WORD_VALUES - half, 255)
        return changed
