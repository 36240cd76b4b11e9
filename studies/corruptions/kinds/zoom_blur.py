"""Zoom blur: the camera races ahead while the shutter is open.

The mean of the picture and its enlargements up to 1.11, 1.15, 1.20, 1.24, 1.30. The published code adds 12, 16, 11, 13
and 11 enlargements in equal steps (`FACTORS`) and the original once more. Here 32 in equal ratios up to the largest are
made by doubling: the mean of a picture and its enlargement, five times, each with the square of the enlargement before;
larger pictures show no ghosts.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture

FACTORS: Final = tuple(
    tuple(1 + step * number for number in range(count))
    for step, count in ((0.01, 12), (0.01, 16), (0.02, 11), (0.02, 13), (0.03, 11))
)
"""The published factors of each severity. The first list ends at 1.11: ``arange(1, 1.11, 0.01)`` includes its end."""
DOUBLINGS: Final = 5


class ZoomBlur(Corruption):
    """Mean over enlargements about the middle."""

    title = "Zoom blur"
    group = "blur"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        factors = FACTORS[severity - 1]
        ratio = factors[-1] ** (1 / (2**DOUBLINGS - 1))
        mean = picture.astype(np.float32)
        for _ in range(DOUBLINGS):
            mean = np.asarray(cv2.addWeighted(mean, 0.5, enlarged(mean, ratio), 0.5, 0))
            ratio *= ratio
        once_more = 1 / (len(factors) + 1)
        mixed = cv2.addWeighted(picture, once_more, mean, 1 - once_more, 0, dtype=cv2.CV_8U)
        return np.asarray(mixed, np.uint8)


def enlarged(picture: np.ndarray, ratio: float) -> np.ndarray:
    """The picture enlarged about its middle, cut to its size."""
    height, width = picture.shape[:2]
    middle = (width - 1) / 2, (height - 1) / 2
    matrix = np.array([[ratio, 0, middle[0] * (1 - ratio)], [0, ratio, middle[1] * (1 - ratio)]])
    return np.asarray(cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE))
