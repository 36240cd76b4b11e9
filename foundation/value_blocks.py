"""Blocks of many sorted arrays: the same range of values of each, to be ranked together piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.score_store import IntArray, ScoreArray, distinct

BLOCK: Final = 1 << 21
"""Values of a block, by weight; more where a single value occurs more often."""


def value_blocks(arrays: Sequence[ScoreArray], weights: Sequence[int], most: int = BLOCK) -> Iterator[list[ScoreArray]]:
    """Slices of the sorted arrays, one each, range of values by range of values from the highest down.

    Where the ranges begin depends on the values alone, not on the order of the arrays.

    Args:
        arrays: Ascending, of one number type.
        weights: Of a value of each array.
        most: About the weight of a block. A value that occurs more often has a block of its own.
    """
    edges = _edges(arrays, weights, most)
    # Each edge ends two blocks: of what is greater, and of what is equal.
    bounds = np.empty((len(arrays), 2 * edges.size + 2), np.int64)
    for row, array in zip(bounds, arrays, strict=True):
        row[0], row[-1] = 0, array.size
        row[1:-1:2], row[2:-1:2] = np.searchsorted(array, edges, "left"), np.searchsorted(array, edges, "right")
    for column in range(bounds.shape[1] - 1, 0, -1):
        starts, ends = bounds[:, column - 1], bounds[:, column]
        if (starts < ends).any():
            yield [array[start:end] for array, start, end in zip(arrays, starts, ends, strict=True)]


def _edges(arrays: Sequence[ScoreArray], weights: Sequence[int], most: int) -> ScoreArray:
    """Values that part the arrays into blocks; none where one block holds all."""
    total = sum(weight * array.size for array, weight in zip(arrays, weights, strict=True))
    if total <= most:
        return np.concatenate([array[:0] for array in arrays] or [np.zeros(0)])
    # Of each array, up to one step of weight is not seen: together less than half a block.
    step = max(1, most // (2 * len(arrays)))
    sample = np.sort(np.concatenate([array[:: max(1, step // w)] for array, w in zip(arrays, weights, strict=True)]))
    every = max(1, most // (2 * step))
    return np.asarray(distinct(sample[every::every])[0])


def tally(slices: Sequence[ScoreArray]) -> tuple[ScoreArray, IntArray]:
    """The distinct values of sorted slices, ascending, and how often each occurs."""
    filled = [one for one in slices if one.size]
    same = [one for one in filled if one[0] == one[-1]]
    if len(same) < len(filled):
        return distinct(np.sort(np.concatenate(filled)))
    # A single value may occur too often to be copied.
    values = np.array([one[0] for one in same], slices[0].dtype if len(slices) else np.float64)
    found, where = np.unique(values, return_inverse=True)
    counts = np.zeros(found.size, np.int64)
    np.add.at(counts, where, [one.size for one in same])
    return found, counts


def ranks_in(slices: Sequence[ScoreArray], thresholds: npt.NDArray[np.generic]) -> tuple[IntArray, IntArray]:
    """How many values of sorted slices are below, and how many up to, each of the ascending thresholds."""
    filled = [one for one in slices if one.size]
    size = sum(one.size for one in filled)
    below, up_to = np.zeros(thresholds.size, np.int64), np.zeros(thresholds.size, np.int64)
    if len(filled) > 1 and len(filled) * thresholds.size > size // 16:
        filled = [np.sort(np.concatenate(filled))]
    for one in filled if thresholds.size else ():
        below += np.searchsorted(one, thresholds, "left")
        up_to += np.searchsorted(one, thresholds, "right")
    return below, up_to
