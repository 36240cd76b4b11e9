"""Snow: flakes fall before a brightened scene.

Normal noise (mean, deviation), enlarged to flakes of that size, cut off below a threshold and drawn out by a trail of
(radius, deviation), is added twice, the second time turned by 180 degrees; the scene keeps a share of its tones and for
the rest is whitened. Lengths in pixels of the paper. Severity 3 has fewer and larger flakes than severity 2.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.studies.corruptions.blurring import streak_blur
from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.draws import normal_layer
from caos.studies.corruptions.paper_scale import enlarge, length_scale, paper_grid


class Snowfall(NamedTuple):
    """One severity's flakes and light."""

    mean: float
    deviation: float
    flake: float
    threshold: float
    trail: float
    fading: float
    kept: float


SNOWFALLS: Final = (
    Snowfall(0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    Snowfall(0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    Snowfall(0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    Snowfall(0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    Snowfall(0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)
STEEP_DEG: Final = (-135, -45)


class Snow(Corruption):
    """Streaks of flakes over a whitened picture."""

    title = "Snow"
    group = "weather"
    rising = ((1, 2, 4, 5), (1, 3, 4, 5))

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        snowfall = SNOWFALLS[severity - 1]
        flakes = flake_layer(picture.shape, snowfall, rng)
        return snowed(picture, flakes, snowfall, rng.uniform(*STEEP_DEG))


def flake_layer(shape: tuple[int, ...], snowfall: Snowfall, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Flakes at rest, ``(h, w)``."""
    noise = normal_layer(snowfall.mean, snowfall.deviation, paper_grid(shape, snowfall.flake), rng)
    layer = enlarge(noise, shape)
    np.putmask(layer, layer < snowfall.threshold, 0)
    return np.asarray(np.rint(np.clip(layer, 0, 1) * 255), np.uint8)


def snowed(picture: Picture, flakes: NDArray[np.uint8], snowfall: Snowfall, angle_deg: float) -> Picture:
    """The whitened picture under flakes that fly in one direction."""
    scale = length_scale(picture.shape)
    streaks = streak_blur(flakes, scale * snowfall.trail, scale * snowfall.fading, angle_deg)
    both = cv2.add(streaks, np.ascontiguousarray(streaks[::-1, ::-1]))
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    white = cv2.cvtColor(cv2.convertScaleAbs(grey, alpha=1.5, beta=127.5), cv2.COLOR_GRAY2RGB)
    scene = cv2.addWeighted(picture, snowfall.kept, cv2.max(picture, white), 1 - snowfall.kept, 0)
    return np.asarray(cv2.add(scene, cv2.cvtColor(both, cv2.COLOR_GRAY2RGB)), np.uint8)
