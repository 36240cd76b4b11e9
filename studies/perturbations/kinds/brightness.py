"""Brightness from dark to bright: the value of HSV shifted by 0.02 a frame, the middle frame as it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from caos.studies.corruptions.corruption import Picture
from caos.studies.corruptions.tones import shift_value
from caos.studies.perturbations.perturbation import Repainting

STEP: Final = 0.02


class BrightnessFrames(Repainting):
    """Brightness."""

    title = "Brightness"
    group = "weather"

    def _pictures(self, picture: Picture, rng: np.random.Generator, frames: int) -> Iterator[Picture]:
        for frame in range(frames):
            yield shift_value(picture, STEP * (frame - (frames - 1) / 2))
