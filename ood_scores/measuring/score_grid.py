"""Cells of scores: a fixed grid of narrow cells in the order of the scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.metrics import ordered_bits
from caos.ood_scores.measuring.short_numbers import KINDS, tally

Cells = npt.NDArray[np.uint16]
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
