"""Conversion of colours between sRGB bytes (0..255, as in files) and linear values (0..1, as in materials)."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL.Image import Image

from caos.foundation.colour import linear_to_srgb, srgb_to_linear


def linear_color(color: Sequence[float]) -> tuple[float, float, float]:
    """Convert an sRGB colour (0..255) to linear RGB (0..1).

    >>> [round(c, 4) for c in linear_color((255, 128, 0))]
    [1.0, 0.2159, 0.0]
    """
    r, g, b = (float(c) for c in srgb_to_linear(np.asarray(color, np.float64) / 255))
    return r, g, b


def linear_image(screen: NDArray[np.uint8] | Image) -> NDArray[np.float32]:
    """Convert an sRGB image (uint8) to linear values (float32, 0..1) of the same shape."""
    out: NDArray[np.float32] = _light_of_bytes()[np.asarray(screen)]
    return out


def screen_image(linear: ArrayLike) -> NDArray[np.uint8]:
    """Convert linear values to sRGB bytes (uint8) of the same shape; values are clipped to 0..1."""
    return np.round(linear_to_srgb(np.clip(linear, 0, 1)) * 255).astype(np.uint8)


@functools.cache
def _light_of_bytes() -> NDArray[np.float32]:
    return srgb_to_linear(np.arange(256) / 255).astype(np.float32)
