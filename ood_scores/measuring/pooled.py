"""Metrics over the pixels of any number of images, in constant memory, mergeable, with a proven error bound.

Scores are counted into a fixed grid of narrow cells (`ScoreGrid`); counts of two processes add up
(`PooledCounts.merge`). What lies in different cells is ordered exactly; only pixels that share a cell are not, and the
best and the worst order they could have give the highest and the lowest possible value of each metric. The value
reported is the middle, the error is half the difference: not an estimate but a bound. A cell that has only ever seen
one value is a tie and adds no error, so constant and binary detectors are exact. Scores are taken as float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.metrics import IntArray
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.score_grid import Cells, Float32, Float64, ScoreGrid
from caos.ood_scores.measuring.short_numbers import tally


@dataclass(frozen=True)
class Bounded:
    """A value and how far it can be from the exact one."""

    value: float
    error: float

    @staticmethod
    def between(low: float, high: float) -> Bounded:
        """The middle of an interval and half its width."""
        return Bounded((low + high) / 2, (high - low) / 2)


@dataclass(frozen=True)
class PooledMeasures:
    """AUROC, AUPR and FPR95 of pooled pixels, each with its error bound."""

    auroc: Bounded
    aupr: Bounded
    fpr95: Bounded
    positives: int
    negatives: int


class PooledCounts:
    """How many anomalous and ordinary pixels fell into each cell of a grid."""

    def __init__(self, grid: ScoreGrid) -> None:
        self.grid = grid
        self.positives: IntArray = np.zeros(grid.cells + 2, np.int64)
        self.negatives: IntArray = np.zeros(grid.cells + 2, np.int64)
        self.value: Float32 = np.full(grid.cells + 2, np.nan, np.float32)
        self.mixed: npt.NDArray[np.bool_] = np.zeros(grid.cells + 2, np.bool_)

    def add(
        self, scores: npt.ArrayLike, anomalous: npt.NDArray[np.bool_], ignore: npt.NDArray[np.bool_] | None = None
    ) -> tuple[IntArray, IntArray]:
        """Count the pixels of one image.

        Returns:
            How many anomalous and how many ordinary pixels of this image fell into each cell.
        """
        values = np.asarray(scores, np.float32).ravel()
        cells, is_positive = self.grid.cell_of(values), anomalous.ravel()
        if ignore is not None:
            kept = ~ignore.ravel()
            values, cells, is_positive = values[kept], cells[kept], is_positive[kept]
        positives, negatives = (tally(cells[which], self.positives.size) for which in (is_positive, ~is_positive))
        self.positives += positives
        self.negatives += negatives
        self._remember(cells, values)
        return positives, negatives

    def _remember(self, cells: Cells, values: Float32) -> None:
        """Keep a value of each of these cells, and which of them have seen another one."""
        # Most cells have seen two values after a few images.
        is_open = ~self.mixed[cells]
        cells, values = cells[is_open], values[is_open]
        unseen = np.isnan(self.value[cells])
        self.value[cells[unseen]] = values[unseen]
        self.mixed[cells[self.value[cells] != values]] = True

    def merge(self, other: PooledCounts) -> None:
        """Add the counts of another process.

        Raises:
            CaosError: If the grids differ.
        """
        if other.grid != self.grid:
            raise CaosError("pooled counts of different grids cannot be merged; pool all images with one grid")
        self.positives += other.positives
        self.negatives += other.negatives
        unseen = np.isnan(self.value)
        theirs = ~np.isnan(other.value)
        self.mixed |= other.mixed | (~unseen & theirs & (self.value != other.value))
        self.value[unseen] = other.value[unseen]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, for saving; :meth:`restore` reads it."""
        return {
            "positives": self.positives,
            "negatives": self.negatives,
            "value": self.value,
            "mixed": self.mixed,
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Set the state to saved arrays of the same grid; counts may be integers of any length."""
        self.positives, self.negatives = (arrays[name].astype(np.int64) for name in ("positives", "negatives"))
        self.value, self.mixed = arrays["value"].copy(), arrays["mixed"].copy()

    def measure(self, protocol: Protocol, where: str = "") -> PooledMeasures:
        """The three numbers by a protocol's definitions (``nearest`` is measured as ``at least``).

        Raises:
            CaosError: If one kind of pixel is missing.
        """
        return _Steps.of(self, where).measure(protocol)

    def flagged(self) -> tuple[Float64, Float64]:
        """Shares of positives and of negatives at or above the lower edge of each cell."""
        true = np.cumsum(self.positives[::-1])[::-1]
        false = np.cumsum(self.negatives[::-1])[::-1]
        return true / max(true[0], 1), false / max(false[0], 1)

    def cell_at_recall(self, recall: float = 0.95) -> int:
        """The highest cell from whose lower edge at least ``recall`` of the positives are flagged."""
        return int(np.flatnonzero(self.flagged()[0] >= recall)[-1])

    def cell_at_false_alarms(self, rate: float) -> int:
        """The lowest cell from whose lower edge at most ``rate`` of the negatives are flagged."""
        return int(np.flatnonzero(np.append(self.flagged()[1], 0.0) <= rate)[0])

    def best_f1(self) -> tuple[int, float]:
        """The cell from whose lower edge the pixel F1 is highest, and that F1."""
        true = np.cumsum(self.positives[::-1])[::-1]
        false = np.cumsum(self.negatives[::-1])[::-1]
        f1 = 2 * true / np.maximum(true + false + true[0], 1)
        best = int(np.argmax(f1))
        return best, float(f1[best])


@dataclass(frozen=True, eq=False)
class _Steps:
    """Occupied cells from the highest score down: pixels in each, and pixels above it."""

    positives: Float64
    negatives: Float64
    true_above: Float64
    false_above: Float64
    tie: npt.NDArray[np.bool_]

    @staticmethod
    def of(counts: PooledCounts, where: str) -> _Steps:
        occupied = np.flatnonzero(counts.positives + counts.negatives)[::-1]
        positives = counts.positives[occupied].astype(np.float64)
        negatives = counts.negatives[occupied].astype(np.float64)
        if not positives.sum() or not negatives.sum():
            place = f" in {where}" if where else ""
            total = int(positives.sum() + negatives.sum())
            raise CaosError(f"AUROC is undefined: {int(positives.sum())} anomalous of {total} valid pixels{place}")
        true_above = np.cumsum(positives) - positives
        false_above = np.cumsum(negatives) - negatives
        return _Steps(positives, negatives, true_above, false_above, ~counts.mixed[occupied])

    def measure(self, protocol: Protocol) -> PooledMeasures:
        aupr = self._average_precision() if protocol.aupr == "average precision" else self._trapezoid()
        return PooledMeasures(
            auroc=self._auroc(),
            aupr=aupr,
            fpr95=self._fpr(0.95, strict=protocol.fpr95 == "above"),
            positives=int(self.positives.sum()),
            negatives=int(self.negatives.sum()),
        )

    def _auroc(self) -> Bounded:
        pairs = self.positives.sum() * self.negatives.sum()
        within = self.positives * self.negatives / pairs
        beaten = self.positives * (self.negatives.sum() - self.false_above - self.negatives) / pairs
        return Bounded(float(beaten.sum() + within.sum() / 2), float(within[~self.tie].sum() / 2))

    def _average_precision(self) -> Bounded:
        true = self.true_above + self.positives
        exact = self.positives * true / np.maximum(true + self.false_above + self.negatives, 1)
        high = self.positives * true / np.maximum(true + self.false_above, 1)
        low = _sum_of_precisions(self.true_above, self.positives, self.false_above + self.negatives)
        # Without a negative in the cell, order and ties among its positives still move the sum, within these ends.
        return self._area(np.where(self.tie, exact, low), np.where(self.tie, exact, high))

    def _trapezoid(self) -> Bounded:
        above = self.true_above + self.false_above
        entering = np.divide(self.true_above, above, out=np.ones_like(above), where=above > 0)
        true = self.true_above + self.positives
        leaving = true / (true + self.false_above + self.negatives)
        exact = self.positives * (entering + leaving) / 2
        high = self.positives * np.maximum(entering, true / np.maximum(true + self.false_above, 1))
        lowest = self.true_above / np.maximum(self.true_above + self.false_above + self.negatives, 1)
        low = self.positives * np.minimum(entering, lowest)
        return self._area(np.where(self.tie, exact, low), np.where(self.tie, exact, high))

    def _area(self, low: Float64, high: Float64) -> Bounded:
        total = self.positives.sum()
        return Bounded.between(float(low.sum() / total), float(high.sum() / total))

    def _fpr(self, recall: float, *, strict: bool) -> Bounded:
        total = self.positives.sum()
        recalls = (self.true_above + self.positives) / total
        step = int(np.argmax(recalls > recall if strict else recalls >= recall))
        high = (self.false_above[step] + self.negatives[step]) / self.negatives.sum()
        low = high if self.tie[step] else self.false_above[step] / self.negatives.sum()
        return Bounded.between(float(low), float(high))


def _sum_of_precisions(true_before: Float64, positives: Float64, false: Float64) -> Float64:
    """``sum((t + i) / (t + i + f) for i in 1..p)`` for each cell, by way of harmonic numbers."""
    return positives - false * (_harmonic(true_before + positives + false) - _harmonic(true_before + false))


def _harmonic(n: Float64) -> Float64:
    """The n-th harmonic number to about 1e-10, up to a constant that cancels in differences."""
    shifted = n + 10.0
    tail = sum(1.0 / (n + k) for k in range(1, 11))
    return np.log(shifted) + 0.5 / shifted - 1.0 / (12.0 * shifted**2) + 1.0 / (120.0 * shifted**4) - tail
