"""Shot noise: light arrives in photons, and few of them are counted in the dark.

A white pixel expects 60, 25, 12, 5, 3 photons; counts are drawn from Poisson distributions.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.draws import poisson_noise

PHOTONS: Final = (60, 25, 12, 5, 3)


class ShotNoise(Corruption):
    """Poisson noise of each channel of each pixel."""

    title = "Shot noise"
    group = "noise"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        return poisson_noise(picture, PHOTONS[severity - 1], rng)
