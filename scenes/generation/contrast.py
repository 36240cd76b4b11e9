"""Contrast of a hazard: how far its colours lie from those of the ground around it, in a finished frame."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.scenes.labels import STREETHAZARDS

GROUND: Final = tuple(STREETHAZARDS.png_value(name) for name in ("road line", "road", "sidewalk"))
RING_SHARE: Final = 0.015
"""Width of the ring of ground that is looked at, as a share of the image's width."""
NARROWEST_RING_PX: Final = 3
FEWEST_GROUND_PX: Final = 12


def ground_contrast(rgb: NDArray[np.uint8], annotation: NDArray[np.uint8], mask: NDArray[np.bool_]) -> float | None:
    """Mean distance in CIE Lab of a hazard's pixels from the median colour of the road and sidewalk around it.

    About 2 is what an eye just tells apart; bare asphalt against itself measures 2 to 5.

    Args:
        rgb: The frame ``(h, w, 3)``.
        annotation: Its PNG values ``(h, w)``.
        mask: The hazard's pixels.

    Returns:
        None if hardly any road or sidewalk lies around it.
    """
    reach = max(NARROWEST_RING_PX, round(RING_SHARE * mask.shape[1]))
    ring = cv2.dilate(mask.astype(np.uint8), np.ones((2 * reach + 1,) * 2, np.uint8)).astype(bool) & ~mask
    ring &= np.isin(annotation, GROUND)
    if not mask.any() or ring.sum() < FEWEST_GROUND_PX:
        return None
    ground = np.median(_lab(rgb[ring]), axis=0)
    return float(np.linalg.norm(_lab(rgb[mask]) - ground, axis=1).mean())


def _lab(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """CIE Lab ``(n, 3)`` of screen colours ``(n, 3)``."""
    lab = cv2.cvtColor((pixels[None] / 255).astype(np.float32), cv2.COLOR_RGB2LAB)[0]
    return np.asarray(lab, np.float32)
