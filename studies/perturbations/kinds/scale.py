"""Scale about the middle: 0.4 of the size at first, 0.025 more a frame, 1.15 at the last of 31."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from caos.studies.perturbations.perturbation import Matrix, Movement, about_middle

SMALLEST: Final = 0.4
STEP: Final = 0.025


class ScaleFrames(Movement):
    """Scale."""

    title = "Scale"
    group = "digital"

    def _matrices(self, shape: tuple[int, ...], frames: int) -> Iterator[Matrix]:
        for frame in range(frames):
            factor = SMALLEST + STEP * frame
            yield about_middle(shape, np.diag([factor, factor, 1.0]))
