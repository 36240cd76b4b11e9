"""How many scores lie below, and up to, each of some thresholds: exact, and mostly without sorting.

Scores are put into narrow cells in their order. Most cells hold no threshold: counting is enough there. So it is where
all scores of a cell equal its threshold. What is left shares a cell with a threshold; it goes into finer cells, and the
last few scores are sorted. Numpy sorts with wide registers, but on some processors these are slower than counting.

Rounding never harms: a greater score is never given a lower cell, and order within a cell is not taken from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.short_numbers import tally

Float = np.floating[Any]
FloatArray = npt.NDArray[Float]
IntArray = npt.NDArray[np.int64]
Ranks = tuple[IntArray, IntArray]
"""How many scores are below, and how many up to, each threshold."""

_FEW: Final = 8  # so few thresholds are compared faster than anything
_SMALL: Final = 1 << 15  # so few scores are sorted faster than counted
_CROWDED: Final = 16  # with fewer scores a threshold than this, most cells would hold one
_EVEN_CELLS: Final = 1 << 20
_END_CELLS: Final = 1 << 18
_FINER_CELLS: Final = 1 << 17
_BLOCK: Final = 450 << 10  # scores at a time, so that what is computed on the way stays in the processor's cache
_SAMPLE: Final = 1 << 10  # scores that an axis is chosen by


def ranks(scores: FloatArray, ascending: FloatArray, ends: tuple[Float, Float] | None = None) -> Ranks:
    """How many of the finite ``scores`` are below, and how many up to, each of the ``ascending`` distinct thresholds.

    ``ends`` are the lowest and the highest score, where they are known.
    """
    if ascending.size <= _FEW:
        return _compared(scores, ascending)
    scores = scores.ravel()
    can_count = scores.dtype in (np.float32, np.float64) and scores.size > max(_SMALL, _CROWDED * ascending.size)
    if not can_count:
        return _sorted(scores, ascending)
    axis = _best_axis(scores, ascending, *(ends or (scores.min(), scores.max())))
    return _sorted(scores, ascending) if axis is None else _counted(scores, ascending, axis)


def _compared(scores: FloatArray, ascending: FloatArray) -> Ranks:
    lower = [np.count_nonzero(scores < threshold) for threshold in ascending]
    equal = [np.count_nonzero(scores == threshold) for threshold in ascending]
    return np.array(lower, np.int64), np.add(lower, equal, dtype=np.int64)


def _sorted(scores: FloatArray, ascending: FloatArray) -> Ranks:
    ordered = np.sort(scores)
    below, up_to = (np.searchsorted(ordered, ascending, side).astype(np.int64) for side in ("left", "right"))
    return below, up_to


def _counted(scores: FloatArray, ascending: FloatArray, axis: _Axis) -> Ranks:
    left = _Left(scores, scores, np.clip(ascending, axis.low, axis.high))
    below, up_to = np.zeros((2, ascending.size), np.int64)
    shrinks = True
    while shrinks and left.scores.size > _SMALL:
        before = left.scores.size
        cells = _Cells(axis, left.own, ascending)
        left, settled = cells.sift(left)
        below += settled[0]
        up_to += settled[1]
        axis = _Axis.even(scores.dtype.type(0), scores.dtype.type(cells.number), _FINER_CELLS)
        shrinks = 2 * left.scores.size < before
    rest = _sorted(left.scores, ascending)
    return below + rest[0], up_to + rest[1]


@dataclass(frozen=True)
class _Axis:
    """Where values lie among the cells: evenly between two ends, or finer and finer towards both of them.

    Attributes:
        cells: How many there are; the last stays empty.
        floor: At the ends: the distance from an end at which it gets no finer; 0 for even cells.
        base: At the ends: the bits of ``floor``, whose order is that of the floats.
    """

    low: Float
    high: Float
    cells: int
    scale: Float
    floor: Float
    base: int = 0

    @staticmethod
    def even(low: Float, high: Float, cells: int) -> _Axis:
        """An even axis."""
        return _Axis(low, high, cells, low.dtype.type(cells - 2) / (high - low), low.dtype.type(0))

    @staticmethod
    def at_ends(low: Float, high: Float, cells: int) -> _Axis:
        """An axis for scores that crowd at their ends, as probabilities do."""
        kind = low.dtype.type
        floor = (high - low) * kind(2.0**-24)
        base, top = (int(_bits(np.array([value]))[0]) for value in (floor, (high - low) * kind(0.5001) + floor))
        return _Axis(low, high, cells, kind((cells / 2 - 2) / max(top - base, 1)), floor, base)

    @property
    def is_usable(self) -> bool:
        """Whether the range of the scores allows this axis."""
        return bool(np.isfinite(self.scale) and self.scale > 0 and np.isfinite(self.floor))

    def positions(self, places: FloatArray) -> FloatArray:
        """Positions from 0 to below the number of cells less one: never lower for a greater place."""
        found: FloatArray = places - self.low
        if not self.floor:
            found *= self.scale
            return found
        other = self.high - places
        side = found - other
        np.minimum(found, other, out=found)
        found += self.floor
        bits = _bits(found)
        bits -= self.base
        np.copyto(other, bits, casting="same_kind")
        half = places.dtype.type(self.cells / 2 - 1)
        np.multiply(other, self.scale, out=found)
        np.subtract(half, found, out=found)
        signs = _bits(side)
        signs &= np.iinfo(signs.dtype).min
        np.bitwise_or(_bits(found), signs, out=_bits(found))  # copysign, of what is not negative, but quicker
        found += half
        return found


def _bits(values: FloatArray) -> npt.NDArray[Any]:
    """Integers in the order of floats that are not negative."""
    return values.view(np.int32 if values.dtype == np.float32 else np.int64)


def _best_axis(scores: FloatArray, ascending: FloatArray, low: Float, high: Float) -> _Axis | None:
    """The axis with the fewest scores beside thresholds; None where the range of the scores allows none."""
    sample = scores[:: max(1, scores.size // _SAMPLE)]
    own = np.clip(ascending, low, high)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        both = (_Axis.even(low, high, _EVEN_CELLS), _Axis.at_ends(low, high, _END_CELLS))
    usable = [axis for axis in both if axis.is_usable]
    return min(usable, key=lambda axis: _crowding(axis, sample, own), default=None)


def _crowding(axis: _Axis, sample: FloatArray, own: FloatArray) -> int:
    held = np.zeros(axis.cells, np.bool_)
    held[axis.positions(own).astype(np.intp)] = True
    return int(np.count_nonzero(held[axis.positions(sample).astype(np.intp)]))


@dataclass(frozen=True, eq=False)
class _Left:
    """Scores not counted yet, where they lie, and where the thresholds lie on the same axis."""

    scores: FloatArray
    places: FloatArray
    own: FloatArray


class _Cells:
    """Cells of which some hold thresholds. The j-th of those has the code 2 j + 1; cells between two have an even one.

    Attributes:
        number: How many cells hold thresholds.
    """

    def __init__(self, axis: _Axis, own: FloatArray, ascending: FloatArray) -> None:
        positions = axis.positions(own)
        cells = positions.astype(np.intp)
        self._axis = axis
        self._first = np.append(True, cells[1:] != cells[:-1])
        self._index = np.cumsum(self._first) - 1
        self._own = _within(positions, self._index)
        held = cells[self._first]
        self.number = held.size
        self._codes = _codes(held, axis.cells)
        self._lowest = np.zeros(2 * self.number + 1, ascending.dtype)
        self._lowest[1::2] = ascending[self._first]

    def sift(self, left: _Left) -> tuple[_Left, Ranks]:
        """Count what can be counted: what is left, and the ranks among the others."""
        settled = np.zeros(2 * self.number + 1, np.int64)
        blocks = [slice(start, start + _BLOCK) for start in range(0, left.scores.size, _BLOCK)]
        parts = [self._sift_block(left.scores[block], left.places[block], settled) for block in blocks]
        scores, places, codes = (np.concatenate(part) for part in zip(*parts, strict=True))
        settled -= np.bincount(codes, minlength=settled.size)
        up_to = np.cumsum(settled)[2 * self._index + 1]
        # Those that were counted in a threshold's cell equal the lowest threshold there.
        below = up_to - np.where(self._first, settled[2 * self._index + 1], 0)
        return _Left(scores, places, self._own), (below, up_to)

    def _sift_block(
        self, scores: FloatArray, places: FloatArray, settled: IntArray
    ) -> tuple[FloatArray, FloatArray, npt.NDArray[Any]]:
        """Add all scores to ``settled``, by code; those left, their places and codes are still to be taken away."""
        positions = self._axis.positions(places)
        cells = positions.astype(np.int32).astype(np.intp)  # two steps are quicker than one
        codes = self._codes.take(cells, mode="wrap")  # none is out of range, and this does not ask
        settled += tally(codes, settled.size)
        near = (codes & 1).astype(np.bool_)
        if 2 * np.count_nonzero(near) > near.size:
            near &= scores != self._lowest.take(codes)
        index = np.flatnonzero(near)
        chosen = codes.take(index)
        return scores.take(index), _within(positions.take(index), chosen >> 1), chosen


def _codes(held: npt.NDArray[np.intp], cells: int) -> npt.NDArray[Any]:
    """The code of each cell."""
    lengths = np.ones(2 * held.size + 1, np.intp)
    lengths[::2] = np.diff(held, prepend=-1, append=cells) - 1
    return np.repeat(np.arange(lengths.size, dtype=np.min_scalar_type(lengths.size)), lengths)


def _within(positions: FloatArray, index: npt.NDArray[Any]) -> FloatArray:
    """Places where only cells with thresholds are left, numbered by ``index`` and one wide."""
    places: FloatArray = positions - np.trunc(positions)
    places += index.astype(positions.dtype)
    return places
