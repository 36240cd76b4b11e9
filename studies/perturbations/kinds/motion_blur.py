"""Motion blur whose direction turns by 4 degrees a frame and is level in the last.

Radius 10 and deviation 3 pixels of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from caos.studies.corruptions.blurring import streak_blur
from caos.studies.corruptions.corruption import Picture
from caos.studies.corruptions.paper_scale import length_scale
from caos.studies.perturbations.perturbation import Repainting

RADIUS: Final = 10
DEVIATION: Final = 3
TURN_DEG: Final = 4


class MotionBlurFrames(Repainting):
    """Motion blur."""

    title = "Motion blur"
    group = "blur"

    def _pictures(self, picture: Picture, rng: np.random.Generator, frames: int) -> Iterator[Picture]:
        scale = length_scale(picture.shape)
        for frame in range(frames):
            yield streak_blur(picture, scale * RADIUS, scale * DEVIATION, TURN_DEG * (frame - (frames - 1)))
