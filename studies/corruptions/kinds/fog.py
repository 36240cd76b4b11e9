"""Fog: light scattered on the way hides the scene unevenly.

A plasma surface (diamond-square) times 1.5, 2, 2.5, 2.5, 3 is added and the sum brought back to the picture's range;
the surface's decay is 2, 2, 1.7, 1.5, 1.4, and its largest clouds have 256 pixels of the paper. The brightest value of
the picture is that of the fog: at night fog is dark.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.paper_scale import enlarge, paper_grid
from caos.studies.corruptions.plasma import plasma

THICKNESS: Final = (1.5, 2.0, 2.5, 2.5, 3.0)
DECAYS: Final = (2.0, 2.0, 1.7, 1.5, 1.4)


class Fog(Corruption):
    """A cloudy surface mixed into the picture."""

    title = "Fog"
    group = "weather"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        surface = enlarge(plasma(paper_grid(picture.shape), DECAYS[severity - 1], rng), picture.shape)
        brightest, thickness = picture.max() / 255, THICKNESS[severity - 1]
        share = brightest / (brightest + thickness)
        clouds = cv2.cvtColor(np.rint(surface * 255).astype(np.uint8), cv2.COLOR_GRAY2RGB)
        return np.asarray(cv2.addWeighted(picture, share, clouds, thickness * share, 0), np.uint8)
