"""Flagged regions of a coded score map: what judging compares with the true objects."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.components import Mask, Regions, connected_components
from caos.ood_scores.running.code_maps import Codes


def flagged_regions(
    codes: Codes, level: int, ignore: Mask | None, smallest: int
) -> tuple[Regions, npt.NDArray[np.float64]]:
    """The 8-connected regions of at least ``smallest`` pixels whose code reaches a level, and their mean codes.

    As :meth:`Regions.of` and :meth:`Regions.mean_of`, which look at all pixels instead of the flagged ones.
    """
    flagged = codes >= level
    if ignore is not None:
        flagged &= ~ignore
    components = connected_components(flagged).ravel()
    pixels = np.flatnonzero(flagged)
    own = components[pixels]
    sizes = np.bincount(own, minlength=1)
    sizes[0] = components.size - pixels.size
    sums = np.bincount(own, weights=codes.ravel()[pixels], minlength=sizes.size)
    regions = Regions.of_components(components, sizes, smallest)
    return regions, regions.means(sums)
