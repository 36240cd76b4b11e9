"""Flagged regions of a coded score map, and its pixels by class: what judging looks at, by compiled loops."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.components import Mask, Regions
from caos.ood_scores.measuring.thresholds import CODES
from caos.ood_scores.running import pixel_loops
from caos.ood_scores.running.code_maps import Codes


def flagged_regions(
    codes: Codes, level: int, ignore: Mask | None, smallest: int
) -> tuple[Regions, npt.NDArray[np.float64]]:
    """The 8-connected regions of at least ``smallest`` pixels whose code reaches a level, and their mean codes.

    As :meth:`Regions.of` and :meth:`Regions.mean_of`; regions are numbered by their first pixels.
    """
    components = np.empty(codes.shape, np.int32)
    parents = np.empty(codes.size // 2 + 2, np.int32)  # no two neighbours begin a part
    ignored = np.zeros((0, 0), np.bool_) if ignore is None else ignore
    parts = pixel_loops.label_flagged(codes, level, ignored, components, parents)
    sizes, sums = np.zeros((2, parts + 1), np.int64)
    flat = components.ravel()
    found = pixel_loops.join_parts(codes.ravel(), flat, parents[: parts + 1], sizes, sums)
    regions = Regions.of_components(flat, sizes[: found + 1], smallest)
    return regions, regions.means(sums[: found + 1])


def codes_by_class(codes: Codes, classes: npt.NDArray[np.uint8], number: int) -> npt.NDArray[np.int64]:
    """How many pixels of each of ``number`` classes have each code; other classes are left out."""
    counted = np.zeros((number, CODES), np.int64)
    pixel_loops.count_classes(codes.ravel(), classes.ravel(), counted)
    return counted


def warm_up() -> None:
    """Load the compiled loops of this module; the first time on a machine, compile them."""
    codes = np.eye(4, dtype=np.uint8)
    flagged_regions(codes, 1, None, 1)
    codes_by_class(codes, codes, 2)
