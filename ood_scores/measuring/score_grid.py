"""Cells of scores: a grid of narrow cells in the order of the scores, for what is shown rather than measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.score_store import ScoreArray
from caos.ood_scores.measuring.inputs import as_scores

Cells = npt.NDArray[np.uint16]
Float32 = npt.NDArray[np.float32]
CELLS: Final = (1 << 16) - 2
"""With the outer two, as many as two bytes can number."""
_NARROW: Final = 1 << 31
_BLOCK: Final = 1 << 16
"""Scores at a time, so that what is computed on the way stays in the processor's cache."""
_LARGEST: Final = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class ScoreGrid:
    """A monotone map from a score to one of ``cells + 2`` cells; the outer two take what lies outside.

    Attributes:
        low: Score (or its ordered bits as float32, when ``relative``) where cell 1 begins.
        scale: Cells per unit of score (or of ordered bits).
        relative: Equal relative instead of equal absolute width; for scores spread over many magnitudes.
    """

    low: float
    scale: float
    relative: bool
    cells: int = CELLS

    @staticmethod
    def around(scores: npt.ArrayLike, cells: int = CELLS) -> ScoreGrid:
        """A grid for scores like these: their range and a margin, in the spacing that fills the cells more evenly."""
        values = _as_float(as_scores(scores).ravel())
        low, high = (float(np.clip(end, -_LARGEST, _LARGEST)) for end in (values.min(), values.max()))
        margin = 0.25 * (high - low) or max(abs(low), 1.0) * 1e-3
        ends = np.clip([low / 4 if low >= 0 else low - margin, high + margin], -_LARGEST, _LARGEST).astype(np.float32)
        sample = values[:: max(1, values.size // 200_000)]
        grids = (_grid_between(ends, cells, relative=relative) for relative in (False, True))
        return min(grids, key=lambda grid: _crowding(grid, sample))

    def cell_of(self, scores: ScoreArray) -> Cells:
        """Cell numbers, 0 .. ``cells + 1``, of finite scores of any type, in their shape."""
        flat = np.ascontiguousarray(scores).ravel()
        cells = np.empty(flat.size, np.uint16)
        with np.errstate(over="ignore"):
            for start in range(0, flat.size, _BLOCK):
                part = slice(start, start + _BLOCK)
                cells[part] = self._cells(_as_float(flat[part]))
        return cells.reshape(scores.shape)

    def _cells(self, scores: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
        position = self._offsets(scores) if self.relative else scores - scores.dtype.type(self.low)
        position *= position.dtype.type(self.scale)
        np.maximum(position, -1, out=position)
        np.minimum(position, self.cells, out=position)
        position += 1
        return position

    def _offsets(self, scores: npt.NDArray[np.floating[Any]]) -> Float32:
        """How far the ordered bits of scores are from the first cell's; beyond the last, no farther than the next."""
        first, span = int(self.low), math.ceil(self.cells / self.scale) + 1
        bits = ordered_bits(np.clip(scores, -_LARGEST, _LARGEST).astype(np.float32))
        if span >= _NARROW or not -_NARROW < first - span < first + span < _NARROW:
            bits = bits.astype(np.int64)
        offsets = np.clip(bits, first - span, first + span) - bits.dtype.type(first)
        return np.asarray(offsets, np.float32)

    def lowest_scores(self, cells: npt.ArrayLike, dtype: npt.DTypeLike) -> ScoreArray:
        """The lowest score of a number type that lies in each of these cells or above; beyond all scores, the largest.

        Found by bisection with :meth:`cell_of` itself: a pixel's cell is at least ``cells[i]`` exactly where its score
        is at least the i-th of these.
        """
        wanted, kind = np.asarray(cells), np.dtype(dtype)
        is_float = kind.kind == "f"
        ends = np.array([-np.inf, np.inf] if is_float else [np.iinfo(kind).min, np.iinfo(kind).max], kind)
        low, high = (np.full(wanted.shape, end) for end in (ordered_bits(ends) if is_float else ends))
        with np.errstate(invalid="ignore", over="ignore"):
            while (low < high).any():
                middle = (low & high) + ((low ^ high) >> 1)  # their mean, without overflow
                reached = self.cell_of(_from_ordered_bits(middle, kind) if is_float else middle) >= wanted
                low, high = np.where(reached, low, np.minimum(middle + 1, high)), np.where(reached, middle, high)
        return _from_ordered_bits(high, kind) if is_float else high


def _crowding(grid: ScoreGrid, sample: ScoreArray) -> float:
    held = np.bincount(grid.cell_of(sample), minlength=grid.cells + 2).astype(np.float64)
    return float((held * held).sum())


def _as_float(scores: ScoreArray) -> npt.NDArray[np.floating[Any]]:
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)


def ordered_bits(values: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.signedinteger[Any]]:
    """Integers in the same order as the floats, at (nearly) equal relative spacing; -0.0 and 0.0 are one."""
    integer, top = (np.int32, 31) if values.dtype == np.float32 else (np.int64, 63)
    bits: npt.NDArray[Any] = (values + values.dtype.type(0)).view(integer)  # adding zero turns -0.0 into 0.0
    flipped: npt.NDArray[np.signedinteger[Any]] = bits ^ ((bits >> top) & np.iinfo(integer).max)
    return flipped


def _from_ordered_bits(bits: npt.NDArray[np.signedinteger[Any]], kind: np.dtype[Any]) -> ScoreArray:
    top = np.iinfo(bits.dtype).bits - 1
    return (bits ^ ((bits >> top) & np.iinfo(bits.dtype).max)).view(kind)


def _grid_between(ends: Float32, cells: int, *, relative: bool) -> ScoreGrid:
    low, high = (float(end) for end in (ordered_bits(ends) if relative else ends))
    return ScoreGrid(low, cells / (high - low), relative, cells)
