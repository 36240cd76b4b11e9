"""Glass blur: a frosted pane scatters the light of each point to somewhere near.

Blurred by a bell, shuffled, blurred again. (Deviation, farthest jump, rounds): (0.7, 1, 2), (0.9, 2, 1), (1, 2, 3),
(1.1, 3, 2), (1.5, 4, 2), lengths in pixels of the paper. The published code swaps pixels one after the other; here each
pixel of a round takes the colour of one drawn from its neighbourhood, all at once: the same jumps, but a colour may be
taken twice.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from caos.studies.corruptions.blurring import bell_blur
from caos.studies.corruptions.corruption import Corruption, Picture
from caos.studies.corruptions.draws import WORD_VALUES, words
from caos.studies.corruptions.paper_scale import length_scale, paper_grid

DEVIATIONS: Final = (0.7, 0.9, 1.0, 1.1, 1.5)
JUMPS: Final = (1, 2, 2, 3, 4)
ROUNDS: Final = (2, 1, 3, 2, 2)
NO_FRACTIONS: Final = np.empty(0, np.uint16)


class GlassBlur(Corruption):
    """Pixels shuffled among their neighbours between two blurs."""

    title = "Glass blur"
    group = "blur"

    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        scale = length_scale(picture.shape)
        sigma, jump = scale * DEVIATIONS[severity - 1], scale * JUMPS[severity - 1]
        changed = bell_blur(picture, sigma)
        for _ in range(ROUNDS[severity - 1]):
            changed = scatter(changed, jump, rng)
        return bell_blur(changed, sigma)


def scatter(picture: Picture, jump: float, rng: np.random.Generator) -> Picture:
    """Each pixel replaced by one up to ``jump`` rows and columns away; between whole numbers the farthest are rarer.

    All pixels of the picture that are one pixel of the paper jump together, so that the grain is as coarse as there.
    """
    height, width = picture.shape[:2]
    places = np.empty((height, width, 2), np.int16)
    places[..., 0] = np.arange(width, dtype=np.int16)
    places[..., 1] = np.arange(height, dtype=np.int16)[:, None]
    grid = tuple(map(min, paper_grid(picture.shape), (height, width)))
    table = np.rint(np.linspace(-jump - 0.5, jump + 0.5, 2 * WORD_VALUES + 1)[1::2]).astype(np.int16)
    jumps = np.take(table, words((*grid, 2), rng))
    places += cv2.resize(jumps, (width, height), interpolation=cv2.INTER_NEAREST).astype(np.int16, copy=False)
    moved = cv2.remap(picture, places, NO_FRACTIONS, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(moved, np.uint8)
