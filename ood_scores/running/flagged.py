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
    mask = codes >= level
    if ignore is not None:
        mask &= ~ignore
    flags = mask.ravel().view(np.uint8)
    edges = np.empty(flags.size + 1, np.int32)
    found = pixel_loops.find_edges(flags[: flags.size // 8 * 8].view(np.uint64), flags, edges)
    edges = edges[: found + found % 2]  # a last run ends with the image
    runs, width = len(edges) // 2 + len(codes), codes.shape[1]
    starts, ends, numbers = np.empty((3, runs), np.int32)
    runs = pixel_loops.join_runs(edges, width, starts, ends, numbers)
    components = np.zeros(flags.size, np.int32)
    sizes, sums = np.zeros((2, int(numbers[:runs].max(initial=0)) + 1), np.int64)
    pixel_loops.measure_runs(codes.ravel(), starts[:runs], ends[:runs], numbers[:runs], components, sizes, sums)
    regions = Regions.of_components(components, sizes, smallest)
    return regions, regions.means(sums)


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
