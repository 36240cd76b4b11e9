"""Cells of scores: a fixed grid of narrow cells in the order of the scores, and one score map counted by them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.metrics import Counts, IntArray, count_parts, ordered_bits

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
CELLS = 1 << 16


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

    def cell_of(self, scores: Float32) -> npt.NDArray[np.intp]:
        """Cell numbers, 0 .. ``cells + 1``, of finite scores."""
        if self.relative:
            position: npt.NDArray[Any] = ordered_bits(scores).astype(np.float64)
            position -= self.low
            position *= self.scale
        else:
            position = (scores - np.float32(self.low)) * np.float32(self.scale)
        np.clip(position, -1, self.cells, out=position)
        position += 1
        return position.astype(np.intp)

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
    held = np.bincount(grid.cell_of(sample), minlength=grid.cells + 2).astype(np.float64)
    return float(held @ held)


class CountedMap:
    """One score map whose pixels are counted by cell, once for all who ask.

    Args:
        scores: Finite float32 scores, any shape.
        anomalous: Truth, the same shape.
        grid: Of the cells.
        cells: Numbers of the cells, the same shape, when they are known already.
    """

    def __init__(
        self,
        scores: Float32,
        anomalous: npt.NDArray[np.bool_],
        grid: ScoreGrid,
        cells: npt.NDArray[np.intp] | None = None,
    ) -> None:
        self.scores = scores.ravel()
        self.cells = (grid.cell_of(scores) if cells is None else cells).ravel()
        self._grid, self._size = grid, grid.cells + 2
        self._everything = np.bincount(self.cells, minlength=self._size)
        self._anomalous = np.flatnonzero(anomalous)

    def parts(self, ignore: npt.NDArray[np.bool_] | None = None) -> tuple[IntArray, IntArray]:
        """How many anomalous and how many ordinary pixels fell into each cell."""
        everything = self._everything
        if ignore is not None:
            everything = everything - np.bincount(self.cells[np.flatnonzero(ignore)], minlength=self._size)
        positives = np.bincount(self.cells[self._positives(ignore)], minlength=self._size)
        return positives, everything - positives

    def table(self, ignore: npt.NDArray[np.bool_] | None = None) -> Counts | None:
        """The exact table of all metrics; None where one kind of pixel is missing.

        Cells are in the order of the scores, so that only those with an anomalous pixel are sorted.
        """
        positive = self._positives(ignore)
        shared, negatives = self.parts(ignore)
        if not positive.size or not negatives.any():
            return None
        near = (shared > 0).take(self.cells)
        near[self._anomalous] = False
        if ignore is not None:
            near &= ~ignore.ravel()
        # Ordinary pixels in the other cells, up to each cell.
        apart = np.cumsum(np.where(shared > 0, 0, negatives))
        found = count_parts(self.scores[positive], self.scores[np.flatnonzero(near)])
        above = apart[-1] - apart[self._grid.cell_of(np.asarray(found.thresholds, np.float32))]
        return replace(
            found,
            false_positives=found.false_positives + above,
            negatives_above=found.negatives_above + above,
            negatives=found.negatives + int(apart[-1]),
        )

    def _positives(self, ignore: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.intp]:
        return self._anomalous if ignore is None else self._anomalous[~ignore.ravel()[self._anomalous]]
