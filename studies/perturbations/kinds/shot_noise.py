"""Shot noise of 300 photons a white pixel, drawn anew for every frame but the first, which is clean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from caos.studies.corruptions.corruption import Picture
from caos.studies.corruptions.draws import poisson_noise
from caos.studies.perturbations.perturbation import Repainting

PHOTONS: Final = 300


class ShotNoiseFrames(Repainting):
    """Shot noise."""

    title = "Shot noise"
    group = "noise"
    against_first = True

    def _pictures(self, picture: Picture, rng: np.random.Generator, frames: int) -> Iterator[Picture]:
        yield picture.copy()
        for _ in range(frames - 1):
            yield poisson_noise(picture, PHOTONS, rng)
