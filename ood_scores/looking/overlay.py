"""Overlay of what looks foreign: a darkened photograph, warm where scores are rare, outlined where they are flagged."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from caos.foundation.execution.matplotlib_settings import load_matplotlib
from caos.ood_scores.looking.photographs import Picture
from caos.ood_scores.looking.regions import ForeignRegion
from caos.ood_scores.measuring.inputs import Mask
from caos.ood_scores.measuring.pixel_counts import ScoreMap

BRIGHTNESS: Final = 0.72
"""Of the photograph below the heat."""
GREYNESS: Final = 0.65
"""How far its colours are taken back, so that colour in the overlay means heat."""
WARM_FROM: Final = 0.2
"""Rarity where the heat begins to show."""
STRONGEST: Final = 0.78
"""How much the hottest pixel hides of the photograph."""
COOL, HOT = 0.35, 0.97
"""The part of the colour scale that is used: from purple over orange to pale yellow, dark to bright for any eyes."""
STEPS: Final = 256
LINE: Final = (255, 255, 255)
HALO: Final = (0, 0, 0)
TAG: Final = "looks foreign"
SMALLEST_TAGGED: Final = 200
"""Pixels of the longer side below which the tag would be an unreadable blot."""


def draw_overlay(photograph: Picture, rarity: ScoreMap, flagged: Mask, regions: Sequence[ForeignRegion]) -> Picture:
    """The overlay of a photograph; all maps have its size."""
    picture = _heated(photograph, rarity)
    width = max(round(max(photograph.shape[:2]) / 500), 1)
    contours, _ = cv2.findContours(flagged.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for color, thickness in ((HALO, 2 * width + 1), (LINE, width)):
        cv2.drawContours(picture, contours, -1, color, thickness, cv2.LINE_AA)
    if regions and max(photograph.shape[:2]) >= SMALLEST_TAGGED:
        _draw_tag(picture, regions[0])
    return picture


def _heated(photograph: Picture, rarity: ScoreMap) -> Picture:
    grey = cv2.cvtColor(photograph, cv2.COLOR_RGB2GRAY)[..., None].astype(np.float32)
    base = BRIGHTNESS * (GREYNESS * grey + (1 - GREYNESS) * photograph)
    heat = np.clip((rarity - WARM_FROM) / (1 - WARM_FROM), 0, 1)
    colors = heat_colors()[(heat * (STEPS - 1)).astype(np.uint8)]
    weight = (STRONGEST * np.sqrt(heat))[..., None]
    return np.asarray(np.clip(base + weight * (colors - base), 0, 255), np.uint8)


@functools.cache
def heat_colors() -> npt.NDArray[np.float32]:
    """The colours of the heat, ``(STEPS, 3)`` of 0..255, coolest first."""
    load_matplotlib()
    from matplotlib import colormaps

    scale = colormaps["inferno"](np.linspace(COOL, HOT, STEPS))
    return np.asarray(255 * scale[:, :3], np.float32)


def _draw_tag(picture: Picture, region: ForeignRegion) -> None:
    """Words at the upper edge of a region, inside the picture."""
    height, width = picture.shape[:2]
    scale = max(width, height) / 1400
    stroke = max(round(1.6 * scale), 1)
    (wide, high), below = cv2.getTextSize(TAG, cv2.FONT_HERSHEY_DUPLEX, scale, stroke)
    margin = max(round(6 * scale), 2)
    left = int(np.clip(region.box[0] + region.box[2] / 2 - wide / 2, margin, max(width - wide - margin, margin)))
    base = int(np.clip(region.box[1] - 2 * margin - below, high + margin, height - below - margin))
    corner, opposite = (left - margin, base - high - margin), (left + wide + margin, base + below + margin)
    cv2.rectangle(picture, corner, opposite, LINE, -1)
    cv2.putText(picture, TAG, (left, base), cv2.FONT_HERSHEY_DUPLEX, scale, HALO, stroke, cv2.LINE_AA)
