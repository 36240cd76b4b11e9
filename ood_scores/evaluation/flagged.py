"""Flagged regions of a coded score map: what judging compares with the true objects."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caos.ood_scores.evaluation.code_maps import Codes
from caos.ood_scores.measuring.components import Mask, Regions


def flagged_regions(
    codes: Codes, level: int, ignore: Mask | None, smallest: int
) -> tuple[Regions, npt.NDArray[np.float64]]:
    """Find the connected components (8-connected) of pixels whose code reaches a level, and the mean code of each.

    Args:
        codes: Score codes ``(h, w)``, uint8.
        level: The least code that is flagged.
        ignore: True where a pixel belongs to no region.
        smallest: Pixels of the smallest region; smaller components are dropped.
    """
    regions = Regions.of(codes >= level, ignore, smallest)
    return regions, regions.mean_of(codes)
