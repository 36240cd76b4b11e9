"""Frost: ice crystals cover the lens or the windscreen.

The scene times 1, 0.8, 0.7, 0.65, 0.6 plus a picture of frost times 0.4, 0.6, 0.7, 0.7, 0.75. The paper cuts windows
out of five photographs of frost; here the frost is drawn (see `ice`), and windows are cut, turned and mirrored at
random.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.ice import PANES, frost_window
from caos.studies.corruptions.paper_scale import length_scale

SCENE: Final = (1.0, 0.8, 0.7, 0.65, 0.6)
ICE: Final = (0.4, 0.6, 0.7, 0.7, 0.75)


class Frost(Corruption):
    """A weighted sum of picture and ice."""

    title = "Frost"
    group = "weather"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        ice = frost_window(int(rng.integers(PANES)), picture.shape, length_scale(picture.shape), rng)
        return np.asarray(cv2.addWeighted(picture, SCENE[severity - 1], ice, ICE[severity - 1], 0), np.uint8)
