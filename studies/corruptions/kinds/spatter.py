"""Spatter: drops of rain, and at the last two severities mud, on the lens.

Normal noise of mean 0.65 (0.67 at the last) and deviation 0.3 (0.4), blurred by 4, 3, 2, 1, 1 pixels of the paper, is
liquid where it exceeds 0.69, 0.68, 0.68, 0.65, 0.65. Water shows as pale relief, lit from one side, of strength 0.6,
0.6, 0.5; mud covers what it covers for the most part after a blur of 1.5. Held out for tuning.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.studies.corruptions.blurring import bell_blur
from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.draws import normal_layer
from caos.studies.corruptions.paper_scale import enlarge, paper_grid


class Liquid(NamedTuple):
    """One severity, lengths in pixels of the paper."""

    mean: float
    deviation: float
    blur: float
    threshold: float
    strength: float
    is_mud: bool


LIQUIDS: Final = (
    Liquid(0.65, 0.3, 4, 0.69, 0.6, is_mud=False),
    Liquid(0.65, 0.3, 3, 0.68, 0.6, is_mud=False),
    Liquid(0.65, 0.3, 2, 0.68, 0.5, is_mud=False),
    Liquid(0.65, 0.3, 1, 0.65, 1.5, is_mud=True),
    Liquid(0.67, 0.4, 1, 0.65, 1.5, is_mud=True),
)
WATER: Final = (175, 238, 238)
MUD: Final = (63, 42, 20)
DEEPEST: Final = 20
MOSTLY: Final = 0.8
RELIEF: Final = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]], np.float32)


class Spatter(Corruption):
    """Drops of water or of mud before the picture."""

    title = "Spatter"
    group = "weather"
    held_out = True

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        liquid = LIQUIDS[severity - 1]
        layer = bell_blur(normal_layer(liquid.mean, liquid.deviation, paper_grid(picture.shape), rng), liquid.blur)
        if liquid.is_mud:
            return _muddied(picture, enlarge(_mud(layer, liquid), picture.shape))
        return _wetted(picture, enlarge(_water(layer, liquid), picture.shape, smooth=True))


def _water(layer: NDArray[np.float32], liquid: Liquid) -> NDArray[np.float32]:
    """How much light each point of the grid gets from the drops: their relief, lit from one side."""
    wet = np.where(layer > liquid.threshold, layer, 0).astype(np.float32)
    edges = cv2.Canny(np.rint(np.clip(wet, 0, 1) * 255).astype(np.uint8), 50, 150)
    depth = cv2.distanceTransform(255 - edges, cv2.DIST_L2, 5)
    even = cv2.equalizeHist(cv2.blur(np.minimum(depth, DEEPEST), (3, 3)).astype(np.uint8))
    lit = wet * cv2.blur(cv2.filter2D(even, cv2.CV_8U, RELIEF), (3, 3))
    return np.asarray(lit * (liquid.strength / max(float(lit.max()), 1.0)), np.float32)


def _wetted(picture: Picture, light: NDArray[np.float32]) -> Picture:
    glow = cv2.merge([np.clip(light, 0, 1) * np.float32(channel) for channel in WATER])
    return np.asarray(cv2.add(picture, glow, dtype=cv2.CV_8U), np.uint8)


def _mud(layer: NDArray[np.float32], liquid: Liquid) -> NDArray[np.float32]:
    """How much of each point of the grid the mud covers."""
    cover = bell_blur((layer > liquid.threshold).astype(np.float32), liquid.strength)
    return np.where(cover < MOSTLY, 0, cover).astype(np.float32)


def _muddied(picture: Picture, cover: NDArray[np.float32]) -> Picture:
    seen = cv2.multiply(picture, cv2.merge([1 - cover] * 3), dtype=cv2.CV_32F)
    return np.asarray(cv2.add(seen, cv2.merge([cover * channel for channel in MUD]), dtype=cv2.CV_8U), np.uint8)
