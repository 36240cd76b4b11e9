"""Scale of the paper's lengths: they are for pictures of 224 x 224 pixels, and grow with a picture's shorter side.

So a severity looks the same on the same picture at any size: blur radii, jitter distances, blocks of pixels, flakes,
drops and needles of ice cover the same share of it. What is said of one pixel stays: noise is drawn for each pixel, and
the blocks of JPEG are 8 pixels in pictures of every size.

Layers that are drawn (fog, drops, the field of an elastic transform) are drawn on the *paper's grid*, on which the
shorter side has 224 points, and enlarged to the picture.
"""

from __future__ import annotations

import math
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

PAPER_SIDE: Final = 224
FloatLayer = NDArray[np.float32]


def length_scale(shape: tuple[int, ...]) -> float:
    """Pixels of a picture ``(h, w, ...)`` for one pixel of the paper.

    >>> length_scale((448, 896, 3))
    2.0
    """
    return min(shape[0], shape[1]) / PAPER_SIDE


def paper_grid(shape: tuple[int, ...], cell: float = 1.0) -> tuple[int, int]:
    """Rows and columns of the paper's grid over a picture ``(h, w, ...)``, in cells of that many of its pixels.

    >>> paper_grid((448, 896, 3))
    (224, 448)
    """
    scale = length_scale(shape) * cell
    return max(math.ceil(shape[0] / scale), 2), max(math.ceil(shape[1] / scale), 2)


def enlarge(layer: NDArray[Any], shape: tuple[int, ...], *, smooth: bool = False) -> NDArray[Any]:
    """A layer on the paper's grid, brought to a picture's height and width."""
    size = (shape[1], shape[0])
    if layer.shape[0] > shape[0]:
        return np.asarray(cv2.resize(layer, size, interpolation=cv2.INTER_AREA))
    return np.asarray(cv2.resize(layer, size, interpolation=cv2.INTER_CUBIC if smooth else cv2.INTER_LINEAR))
