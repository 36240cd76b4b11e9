"""Colours between files and materials: screen bytes 0..255 as one picks them, linear light 0..1 as materials hold."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL.Image import Image

from caos.foundation.colour import linear_to_srgb, srgb_to_linear


def linear_color(color: Sequence[float]) -> tuple[float, float, float]:
    """Linear RGB of a screen colour 0..255.

    >>> [round(c, 4) for c in linear_color((255, 128, 0))]
    [1.0, 0.2159, 0.0]
    """
    r, g, b = (float(c) for c in srgb_to_linear(np.asarray(color, np.float64) / 255))
    return r, g, b


def linear_image(screen: NDArray[np.uint8] | Image) -> NDArray[np.float32]:
    """Linear values of a picture in bytes, of the same shape."""
    out: NDArray[np.float32] = _light_of_bytes()[np.asarray(screen)]
    return out


def screen_image(linear: ArrayLike) -> NDArray[np.uint8]:
    """Bytes of linear values, of the same shape; what lies outside 0..1 is cut. Keeps dark tones apart."""
    return np.round(linear_to_srgb(np.clip(linear, 0, 1)) * 255).astype(np.uint8)


@functools.cache
def _light_of_bytes() -> NDArray[np.float32]:
    return srgb_to_linear(np.arange(256) / 255).astype(np.float32)
