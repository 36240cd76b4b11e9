"""Cells of scores: a fixed grid of narrow cells in the order of the scores, and one score map counted by them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.metrics import Counts, IntArray, count_parts, ordered_bits
from caos.ood_scores.measuring.short_numbers import KINDS, look_up, tally

Cells = npt.NDArray[np.uint16]
Mask = npt.NDArray[np.bool_]
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
CELLS = KINDS - 2
"""With the outer two, as many as two bytes can number."""
_NARROW = 1 << 31


@dataclass(frozen=True)
class ScoreGrid:
    """A monotone map from a float32 score to one of ``cells + 2`` cells; the outer two take what lies outside.

    Attributes:
        low: Score (or its ordered bits, when ``relative``) where cell 1 begins.
        scale: Cells per unit of score (or of ordered bits).
        relative: Equal relative instead of equal absolute width; for scores spread over many magnitudes.
    """

    low: float
    scale: float
    relative: bool
    cells: int = CELLS

    @staticmethod
    def around(scores: Float32, cells: int = CELLS) -> ScoreGrid:
        """A grid for scores like these: their range and a margin, in the spacing that fills the cells more evenly."""
        low, high = float(scores.min()), float(scores.max())
        margin = 0.25 * (high - low) or max(abs(low), 1.0) * 1e-3
        ends = np.array([low - margin, high + margin], np.float32)
        if low >= 0:
            ends[0] = low / 4  # a score that is never negative needs no cells below zero
        linear = _grid_between(ends, cells, relative=False)
        relative = _grid_between(ends, cells, relative=True)
        sample = scores.ravel()[:: max(1, scores.size // 200_000)]
        return min((linear, relative), key=lambda grid: _crowding(grid, sample))

    def cell_of(self, scores: Float32) -> Cells:
        """Cell numbers, 0 .. ``cells + 1``, of finite scores."""
        position = self._offsets(scores) if self.relative else scores - np.float32(self.low)
        position *= np.float32(self.scale)
        np.clip(position, -1, self.cells, out=position)
        position += 1
        return position.astype(np.uint16)

    def _offsets(self, scores: Float32) -> Float32:
        """How far the ordered bits of scores are from the first cell's; beyond the last, no farther than the next."""
        first, span = int(self.low), math.ceil(self.cells / self.scale) + 1
        bits = ordered_bits(scores)
        if span >= _NARROW or not -_NARROW < first - span < first + span < _NARROW:
            bits = bits.astype(np.int64)
        offsets = np.clip(bits, first - span, first + span) - bits.dtype.type(first)
        return np.asarray(offsets, np.float32)

    def lower_edges(self) -> Float64:
        """Approximate lowest score of each cell; the first is minus infinity."""
        steps = self.low + np.arange(self.cells + 1) / self.scale
        if self.relative:
            bits = np.clip(steps, -(2.0**31) + 2**23, 2.0**31 - 2**23 - 1).astype(np.int32)
            steps = (bits ^ ((bits >> 31) & np.iinfo(np.int32).max)).view(np.float32).astype(np.float64)
        return np.append(-np.inf, steps)


def _grid_between(ends: Float32, cells: int, *, relative: bool) -> ScoreGrid:
    low, high = (float(end) for end in (ordered_bits(ends) if relative else ends))
    return ScoreGrid(low, cells / (high - low), relative, cells)


def _crowding(grid: ScoreGrid, sample: Float32) -> float:
    held = tally(grid.cell_of(sample), grid.cells + 2).astype(np.float64)
    return float(held @ held)


class CountedMap:
    """One score map whose pixels are counted by cell, once for all who ask.

    Args:
        scores: Finite float32 scores, any shape.
        anomalous: Truth, the same shape.
        grid: Of the cells.
    """

    def __init__(self, scores: Float32, anomalous: Mask, grid: ScoreGrid) -> None:
        self.scores, self.cells = scores.ravel(), grid.cell_of(scores)
        self._grid, self._size = grid, grid.cells + 2
        self._flat = self.cells.ravel()
        self._everything = tally(self._flat, self._size)
        self._is_anomalous, self._anomalous = anomalous.ravel(), np.flatnonzero(anomalous)
        self._parts: dict[int, tuple[Mask | None, tuple[IntArray, IntArray]]] = {}

    def parts(self, ignore: Mask | None = None) -> tuple[IntArray, IntArray]:
        """How many anomalous and how many ordinary pixels fell into each cell."""
        # Policies often leave out the same pixels, or none.
        if id(ignore) not in self._parts:
            self._parts[id(ignore)] = (ignore, self._counted(ignore))
        return self._parts[id(ignore)][1]

    def _counted(self, ignore: Mask | None) -> tuple[IntArray, IntArray]:
        everything = self._everything
        if ignore is not None:
            everything = everything - tally(self._flat[np.flatnonzero(ignore)], self._size)
        positives = tally(self._flat[self._positives(ignore)], self._size)
        return positives, everything - positives

    def where(self, chosen: Mask, ignore: Mask | None = None) -> npt.NDArray[np.intp]:
        """Pixels, in the flattened map, whose cells are ``chosen`` ``(cells + 2,)``."""
        found = look_up(chosen, self.cells)
        if ignore is not None:
            found &= ~ignore
        return np.flatnonzero(found)

    def table(self, ignore: Mask | None = None) -> Counts | None:
        """The exact table of all metrics; None where one kind of pixel is missing.

        Cells are in the order of the scores, so that only those with an anomalous pixel are sorted.
        """
        positive = self._positives(ignore)
        shared, negatives = self.parts(ignore)
        if not positive.size or not negatives.any():
            return None
        is_shared = shared > 0
        # Of the shared cells only those that ordinary pixels are in, too, have an order to be found.
        near = self.where(is_shared & (negatives > 0), ignore)
        near = near[~self._is_anomalous[near]]
        # Ordinary pixels in the other cells, up to each cell.
        apart = np.cumsum(np.where(is_shared, 0, negatives))
        found = count_parts(self.scores[positive], self.scores[near])
        above = apart[-1] - apart[self._grid.cell_of(np.asarray(found.thresholds, np.float32))]
        return replace(
            found,
            false_positives=found.false_positives + above,
            negatives_above=found.negatives_above + above,
            negatives=found.negatives + int(apart[-1]),
        )

    def _positives(self, ignore: Mask | None) -> npt.NDArray[np.intp]:
        return self._anomalous if ignore is None else self._anomalous[~ignore.ravel()[self._anomalous]]
