"""Translation to the right, one pixel of the paper a frame, the middle frame in place.

Steps are whole pixels, so that no frame is blurred by resampling.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caos.studies.corruptions.paper_scale import length_scale
from caos.studies.perturbations.perturbation import Matrix, Movement


class TranslateFrames(Movement):
    """Translate."""

    title = "Translate"
    group = "digital"

    def _matrices(self, shape: tuple[int, ...], frames: int) -> Iterator[Matrix]:
        step = max(round(length_scale(shape)), 1)
        for frame in range(frames):
            matrix = np.eye(3)
            matrix[0, 2] = step * (frame - (frames - 1) // 2)
            yield matrix
