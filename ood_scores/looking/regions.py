"""Regions of a picture that look foreign: where they are, how large, how foreign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from caos.ood_scores.measuring.components import Labels
from caos.ood_scores.measuring.inputs import Mask
from caos.ood_scores.measuring.pixel_counts import ScoreMap

SMALLEST_SHARE: Final = 2e-4
"""Of the picture; a smaller speck is no region."""
ROWS: Final = ("upper", "middle", "lower")
COLUMNS: Final = ("left", "middle", "right")


@dataclass(frozen=True)
class ForeignRegion:
    """A connected set of flagged pixels.

    Attributes:
        box: Left, top, width and height in pixels.
        pixels: Its size.
        share: Of the picture.
        score: The highest in it.
        place: In words, such as ``lower left``.
    """

    box: tuple[int, int, int, int]
    pixels: int
    share: float
    score: float
    place: str


def find_regions(scores: ScoreMap, threshold: float) -> tuple[tuple[ForeignRegion, ...], Mask]:
    """The regions with scores of at least ``threshold``, largest first, and the pixels that belong to one."""
    flagged = (scores >= threshold).astype(np.uint8)
    count, labelled, found, centres = cv2.connectedComponentsWithStats(flagged, connectivity=8, ltype=cv2.CV_32S)
    numbers = np.asarray(labelled, np.int32)
    kept = [n for n in range(1, count) if found[n, cv2.CC_STAT_AREA] >= SMALLEST_SHARE * scores.size]
    regions = [_region(scores, numbers, n, found[n].tolist(), centres[n].tolist()) for n in kept]
    regions.sort(key=lambda region: -region.pixels)
    return tuple(regions), np.isin(numbers, kept)


def _region(scores: ScoreMap, numbers: Labels, number: int, found: list[int], centre: list[float]) -> ForeignRegion:
    left, top, width, height, pixels = found
    window = np.s_[top : top + height, left : left + width]
    return ForeignRegion(
        box=(left, top, width, height),
        pixels=pixels,
        share=pixels / scores.size,
        score=float(scores[window][numbers[window] == number].max()),
        place=place_in_words(centre[0] / scores.shape[1], centre[1] / scores.shape[0]),
    )


def place_in_words(across: float, down: float) -> str:
    """A place in a picture, both coordinates 0..1, by thirds.

    >>> place_in_words(0.1, 0.9), place_in_words(0.5, 0.9), place_in_words(0.5, 0.5)
    ('lower left', 'lower middle', 'middle')
    """
    row, column = ROWS[min(int(3 * down), 2)], COLUMNS[min(int(3 * across), 2)]
    return row if row == column else f"{row} {column}"
