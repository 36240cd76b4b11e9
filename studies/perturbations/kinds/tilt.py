"""Tilt: the picture as a plane in space, turned about both its axes by one degree a frame, the middle frame flat.

The camera looks at its middle from as far away as the picture's diagonal is long.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from caos.studies.perturbations.perturbation import Matrix, Movement, about_middle

TURN_DEG: Final = 1


class TiltFrames(Movement):
    """Tilt."""

    title = "Tilt"
    group = "digital"

    def _matrices(self, shape: tuple[int, ...], frames: int) -> Iterator[Matrix]:
        for frame in range(frames):
            angle = np.deg2rad(TURN_DEG * (frame - (frames - 1) / 2))
            yield about_middle(shape, tilted_plane(angle, float(np.hypot(shape[0], shape[1]))))


def tilted_plane(angle: float, distance: float) -> Matrix:
    """The perspective picture of a plane that is turned about its column and row axes, seen from ``distance``."""
    cos, sin = np.cos(angle), np.sin(angle)
    about_columns = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
    about_rows = np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])
    turned = about_columns @ about_rows
    placed = np.column_stack([turned[:, 0], turned[:, 1], [0, 0, distance]])
    return np.asarray(np.diag([distance, distance, 1]) @ placed, np.float64)
