"""Blur by a bell, a disc and a streak, for pictures and layers of bytes or floats; radii in pixels of the picture."""

from __future__ import annotations

import math
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

REACH: Final = 4
"""A bell ends after so many deviations, as in scipy and scikit-image."""


def bell_blur(picture: NDArray[Any], sigma: float) -> NDArray[Any]:
    """Gaussian blur, mirrored at the border."""
    half = math.ceil(REACH * sigma)
    kernel = cv2.getGaussianKernel(2 * half + 1, max(sigma, 1e-6), cv2.CV_32F)
    return np.asarray(cv2.sepFilter2D(picture, -1, kernel, kernel))


def disc_kernel(radius: float, softness: float) -> NDArray[np.float32]:
    """A disc that sums to one, its edge smooth to a fraction of a pixel.

    Args:
        radius: Of the disc.
        softness: Deviation of the bell that blurs its edge.
    """
    half = math.ceil(radius + 0.5 + 2 * softness)
    steps = np.arange(-half, half + 1, dtype=np.float32)
    distance = np.hypot(steps[:, None], steps[None, :])
    disc = np.clip(radius + 0.5 - distance, 0, 1).astype(np.float32)
    blurred = np.asarray(bell_blur(disc, softness), np.float32)
    return np.asarray(blurred / blurred.sum(), np.float32)


def disc_blur(picture: NDArray[Any], radius: float, softness: float) -> NDArray[Any]:
    """What a lens out of focus makes of a picture."""
    return np.asarray(cv2.filter2D(picture, -1, disc_kernel(radius, softness)))


def streak_kernel(radius: float, sigma: float, angle_deg: float) -> tuple[NDArray[np.float32], tuple[int, int]]:
    """A trail that starts at the pixel, fades as a bell of deviation ``sigma`` and ends after two radii.

    Returns:
        The kernel, which sums to one, and the column and row in it of the pixel itself.
    """
    steps = np.arange(0, 2 * radius + 1)
    weights = np.exp(-(steps**2) / (2 * sigma**2))
    across, down = steps * math.cos(math.radians(angle_deg)), steps * math.sin(math.radians(angle_deg))
    left, top = math.floor(across.min()), math.floor(down.min())
    kernel = np.zeros((math.ceil(down.max()) - top + 2, math.ceil(across.max()) - left + 2))
    column, row = np.floor(across - left).astype(int), np.floor(down - top).astype(int)
    right, below = across - left - column, down - top - row
    for dx, dy, share in (
        (0, 0, (1 - right) * (1 - below)),
        (1, 0, right * (1 - below)),
        (0, 1, (1 - right) * below),
        (1, 1, right * below),
    ):
        np.add.at(kernel, (row + dy, column + dx), weights * share)
    return (kernel / kernel.sum()).astype(np.float32), (-left, -top)


def streak_blur(picture: NDArray[Any], radius: float, sigma: float, angle_deg: float) -> NDArray[Any]:
    """What a camera that moves makes of a picture: each pixel is mixed with those ahead of it."""
    kernel, anchor = streak_kernel(radius, sigma, angle_deg)
    return np.asarray(cv2.filter2D(picture, -1, kernel, anchor=anchor, borderType=cv2.BORDER_REFLECT_101))
