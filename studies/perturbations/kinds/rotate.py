"""Rotation about the middle, one degree a frame, the middle frame level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from caos.studies.perturbations.perturbation import Matrix, Movement, about_middle

TURN_DEG: Final = 1


class RotateFrames(Movement):
    """Rotate."""

    title = "Rotate"
    group = "digital"

    def _matrices(self, shape: tuple[int, ...], frames: int) -> Iterator[Matrix]:
        for frame in range(frames):
            angle = np.deg2rad(TURN_DEG * (frame - (frames - 1) / 2))
            yield about_middle(
                shape, np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
            )
