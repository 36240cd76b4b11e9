"""Snow whose wind turns: the same flakes, their trails turned by 4 degrees a frame.

Flakes of mean 0.05, deviation 0.3, size 3, threshold 0.5, trails of 14 and 4 pixels of the paper; the scene keeps 0.85
of its tones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from caos.studies.corruptions.corruption import Picture
from caos.studies.corruptions.kinds.snow import Snowfall, flake_layer, snowed
from caos.studies.perturbations.perturbation import Repainting

SNOWFALL: Final = Snowfall(0.05, 0.3, 3, 0.5, 14, 4, 0.85)
FIRST_DEG: Final = -150
TURN_DEG: Final = 4


class SnowFrames(Repainting):
    """Snow."""

    title = "Snow"
    group = "weather"

    def _pictures(self, picture: Picture, rng: np.random.Generator, frames: int) -> Iterator[Picture]:
        flakes = flake_layer(picture.shape, SNOWFALL, rng)
        for frame in range(frames):
            yield snowed(picture, flakes, SNOWFALL, FIRST_DEG + TURN_DEG * frame)
