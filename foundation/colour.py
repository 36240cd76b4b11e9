"""Colour: the sRGB curve between what screens show and what light is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def srgb_to_linear(screen: ArrayLike) -> NDArray[np.float64]:
    """Linear light 0..1 of screen values 0..1.

    >>> float(np.round(srgb_to_linear(0.5), 4))
    0.214
    """
    c = np.asarray(screen, np.float64)
    return np.asarray(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4))


def linear_to_srgb(light: ArrayLike) -> NDArray[np.floating[Any]]:
    """Screen values 0..1 of linear light 0..1; a float32 picture stays float32.

    >>> float(np.round(linear_to_srgb(srgb_to_linear(0.5)), 4))
    0.5
    """
    c = np.asarray(light)
    c = c if c.dtype == np.float32 else c.astype(np.float64)
    curve = 1.055 * np.power(np.maximum(c, 0.0031308), 1 / 2.4) - 0.055
    return np.asarray(np.where(c <= 0.0031308, c * 12.92, curve))
