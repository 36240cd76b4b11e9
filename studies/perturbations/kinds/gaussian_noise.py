"""Gaussian noise of deviation 0.03, drawn anew for every frame but the first, which is clean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Picture
from caos.studies.corruptions.draws import normal_steps
from caos.studies.perturbations.perturbation import Repainting

DEVIATION: Final = 0.03


class GaussianNoiseFrames(Repainting):
    """Gaussian noise."""

    title = "Gaussian noise"
    group = "noise"
    against_first = True

    def _pictures(self, picture: Picture, rng: np.random.Generator, frames: int) -> Iterator[Picture]:
        yield picture.copy()
        for _ in range(frames - 1):
            noise = normal_steps(255 * DEVIATION, picture.shape, rng)
            yield np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8)
