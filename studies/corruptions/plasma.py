"""Plasma: a cloudy random surface by the diamond-square algorithm."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

LARGEST_STEP: Final = 256
"""Size of the largest clouds, in points."""


def plasma(shape: tuple[int, int], decay: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """A surface of ``shape`` points from 0 to 1; the larger ``decay``, the smoother.

    A side of any length is covered by as many of the largest squares as it needs. Each halving of the step divides the
    random part by the square of ``decay``, as the published code does.
    """
    tiles = [math.ceil(side / LARGEST_STEP) for side in shape]
    surface = np.zeros((tiles[0], tiles[1]), np.float32)
    amplitude = 1.0
    while surface.shape[0] < tiles[0] * LARGEST_STEP:
        surface = _halved(surface, amplitude, rng)
        amplitude /= decay**2
    surface = surface[: shape[0], : shape[1]]
    low, high = float(surface.min()), float(surface.max())
    return (surface - np.float32(low)) / np.float32(high - low)


def _halved(corners: NDArray[np.float32], amplitude: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """The surface, which repeats itself, at half the step: middles of squares first, then middles of their sides."""
    rows, columns = corners.shape
    noise = rng.random((3, rows, columns), np.float32) * np.float32(2 * amplitude) - np.float32(amplitude)
    right, below = np.roll(corners, -1, 1), np.roll(corners, -1, 0)
    middles = (corners + right + below + np.roll(below, -1, 1)) / 4 + noise[0]
    fine = np.empty((2 * rows, 2 * columns), np.float32)
    fine[::2, ::2], fine[1::2, 1::2] = corners, middles
    fine[::2, 1::2] = (corners + right + middles + np.roll(middles, 1, 0)) / 4 + noise[1]
    fine[1::2, ::2] = (corners + below + middles + np.roll(middles, 1, 1)) / 4 + noise[2]
    return fine
