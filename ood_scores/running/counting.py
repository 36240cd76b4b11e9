"""Counting of one image: each of its score maps is read once, and what all its measures need is counted.

:func:`caos.ood_scores.measuring.metrics.count`, :class:`PooledCounts` and :class:`OpenSetCounts` count the same with
array operations; tests hold the two together, to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.metrics import Counts
from caos.ood_scores.measuring.open_set import CountedPixels, OpenSetCounts, SegmentedImage, halve
from caos.ood_scores.measuring.pixel_counts import COARSE, GROUPS, Calibration, Mask, PixelCounts, ScoreMap
from caos.ood_scores.measuring.pooled import PooledCounts
from caos.ood_scores.measuring.score_grid import ScoreGrid
from caos.ood_scores.running import pixel_loops
from caos.ood_scores.running.code_maps import Codes

Cells = npt.NDArray[np.uint16]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
NOTHING: Final = np.zeros(0, np.bool_)
"""Instead of a mask: no pixel is left out."""
Tables = Mapping[str, Counts | None]
"""By name of a policy, the table of all metrics of one score map; None where one kind of pixel is missing."""


class ImageCounter:
    """Counts the score maps of one image.

    Args:
        anomalous: Truth.
        ignored: By name of a policy: pixels that count neither way, None where all count; never anomalous ones.
        segmented: What open-set measures count, or None.
        number: Of the image in the set.
    """

    def __init__(
        self, anomalous: Mask, ignored: Mapping[str, Mask | None], segmented: SegmentedImage | None, number: int
    ) -> None:
        self._shape, self._positive = anomalous.shape, np.flatnonzero(anomalous)
        self._segmented, self._group = segmented, number % GROUPS
        self._left_out = _LeftOut.of(ignored)
        self._asked = np.empty(anomalous.size, np.int32)
        self._pixels = CountedPixels(np.zeros(anomalous.size, np.uint16), 0) if segmented is None else segmented.pixels

    def count(self, column: str, scores: ScoreMap, counts: PixelCounts, codes: Codes) -> Tables:
        """Add one column's map to the counts, and write its codes.

        Raises:
            CaosError: If the map has another size than the truth: loops ask nothing of what they read.
        """
        if scores.shape != self._shape or codes.shape != self._shape:
            raise CaosError(f"{column!r} is a map of shape {scores.shape}, but the truth has shape {self._shape}")
        calibration = counts.calibrations[column]
        kinds = calibration.grid.cells + 2
        flat = np.ascontiguousarray(scores, np.float32).ravel()
        cells = cells_of(calibration.grid, flat)
        thresholds = _Thresholds.of(flat[self._positive], calibration.grid)
        held = np.zeros(kinds, np.int32)
        steps = np.zeros((self._pixels.number + 1, len(calibration.steps) + 1), np.int32)
        of_cell = np.empty(kinds, np.uint32)
        wanted = self._is_open(column, counts)
        wanted[thresholds.cells] = True
        pixel_loops.mark_cells(calibration.steps_and_codes, wanted, of_cell)
        found = pixel_loops.count_pixels(cells, of_cell, self._pixels.kinds, held, codes.ravel(), steps, self._asked)
        closer = _Closer(flat, cells, self._asked[:found])
        np.subtract.at(held, thresholds.cells, thresholds.gained.astype(np.int32))
        counts.is_whole = False
        if self._segmented is not None:
            self._count_open(column, scores, steps, calibration, counts)
        return self._tables(column, counts, held, thresholds, closer)

    def _is_open(self, column: str, counts: PixelCounts) -> Mask:
        """Cells that have not seen two values yet, by some policy."""
        open_cells = np.zeros(counts.calibrations[column].grid.cells + 2, np.bool_)
        for policy in counts.policies:
            open_cells |= ~counts.pools[column, policy.name].mixed
        return open_cells

    def _tables(
        self, column: str, counts: PixelCounts, held: Ints, thresholds: _Thresholds, closer: _Closer
    ) -> dict[str, Counts | None]:
        """The tables by all policies; what is pooled is added to the counts."""
        pooled = {policy.name for policy in counts.policies}
        tables: dict[str, Counts | None] = {}
        for left_out in self._left_out:
            negatives = held if not left_out.mask.size else held - left_out.held(closer.cells, held.size)
            for name in left_out.policies:
                if name in pooled:
                    pool = counts.pools[column, name]
                    self._add(pool, counts.groups[column, name], thresholds, negatives)
                    pixel_loops.remember_values(
                        closer.asked, left_out.mask, closer.scores, closer.cells, pool.value, pool.mixed
                    )
            tables |= dict.fromkeys(left_out.policies, thresholds.table(closer, left_out.mask, negatives))
        return tables

    def _add(self, pool: PooledCounts, groups: Longs, thresholds: _Thresholds, negatives: Ints) -> None:
        np.add.at(pool.positives, thresholds.cells, thresholds.gained)
        np.add.at(groups[0, self._group], thresholds.cells // COARSE, thresholds.gained)
        pixel_loops.add_cells(negatives, pool.negatives, groups[1, self._group], COARSE)

    def _count_open(
        self, column: str, scores: ScoreMap, steps: Ints, calibration: Calibration, counts: PixelCounts
    ) -> None:
        assert counts.open_set is not None
        assert self._segmented is not None
        halved = self._segmented.halved
        of_halved = np.zeros((halved.number + 1, steps.shape[1]), np.int64)
        cells = cells_of(calibration.grid, halve(scores))
        pixel_loops.count_steps(cells, calibration.step_of_cell, halved.kinds, of_halved)
        counted = steps[: self._pixels.number], of_halved[: halved.number]
        counts.open_set.add(column, self._segmented.town, *counted)


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Pixels that some policies leave out; the mask is empty where they leave out none."""

    mask: Mask
    policies: tuple[str, ...]
    pixels: npt.NDArray[np.intp]

    @staticmethod
    def of(ignored: Mapping[str, Mask | None]) -> tuple[_LeftOut, ...]:
        """The policies, together where they leave out the same."""
        by_pixels: dict[bytes, tuple[Mask, list[str]]] = {}
        for name, mask in ignored.items():
            flat = NOTHING if mask is None else mask.ravel()
            by_pixels.setdefault(flat.tobytes(), (flat, []))[1].append(name)
        return tuple(_LeftOut(mask, tuple(names), np.flatnonzero(mask)) for mask, names in by_pixels.values())

    def held(self, cells: Cells, kinds: int) -> Ints:
        """Pixels that are left out, by cell of which there are so many."""
        return np.bincount(cells[self.pixels], minlength=kinds).astype(np.int32)


@dataclass(frozen=True, eq=False)
class _Closer:
    """The pixels whose own score matters, beside that of their cell."""

    scores: npt.NDArray[np.float32]
    cells: Cells
    asked: Ints


@dataclass(frozen=True, eq=False)
class _Thresholds:
    """The distinct scores of anomalous pixels.

    Attributes:
        ascending: The scores, and at last infinity.
        cells: Of each score.
        gained: How many anomalous pixels have each.
    """

    ascending: npt.NDArray[np.float32]
    cells: Cells
    gained: Longs

    @staticmethod
    def of(scores: npt.NDArray[np.float32], grid: ScoreGrid) -> _Thresholds:
        ascending, gained = np.empty(scores.size + 1, np.float32), np.empty(scores.size, np.int64)
        found = pixel_loops.find_distinct(np.sort(scores), ascending, gained)
        return _Thresholds(ascending[: found + 1], cells_of(grid, ascending[:found]), gained[:found])

    def table(self, closer: _Closer, ignored: Mask, negatives: Ints) -> Counts | None:
        """The exact table against the ordinary pixels, of which each cell has so many."""
        ranks = np.zeros(2 * self.ascending.size, np.int64)
        number = pixel_loops.settle_cells(negatives, self.cells, ranks)
        if not self.cells.size or not number:
            return None
        numbers, starts = np.zeros(negatives.size, np.int32), np.empty(self.ascending.size, np.int32)
        pixel_loops.find_threshold_cells(self.cells, numbers, starts)
        pixel_loops.rank_pixels(
            closer.asked, ignored, closer.scores, closer.cells, numbers, starts, self.ascending, ranks
        )
        # The anomalous pixels were among those asked for, each at its own threshold.
        ranks[1:-1:2] -= self.gained
        up_to = np.cumsum(ranks[:-1])
        return Counts(
            thresholds=self.ascending[-2::-1],
            true_positives=np.cumsum(self.gained[::-1]),
            false_positives=number - up_to[:-1:2][::-1],
            negatives_above=number - up_to[1::2][::-1],
            negatives=number,
        )


def cells_of(grid: ScoreGrid, scores: npt.NDArray[np.float32]) -> Cells:
    """The cell of each score, flat, as :meth:`ScoreGrid.cell_of` has it."""
    flat = np.ascontiguousarray(scores).ravel()
    cells = np.empty(flat.size, np.uint16)
    scale, top = np.float32(grid.scale), np.float32(grid.cells)
    if grid.relative:
        span = math.ceil(grid.cells / grid.scale) + 1
        pixel_loops.put_in_relative_cells(flat.view(np.int32), int(grid.low), span, scale, top, cells)
    else:
        pixel_loops.put_in_even_cells(flat, np.float32(grid.low), scale, top, cells)
    return cells


def warm_up() -> None:
    """Load the compiled loops of this module; the first time on a machine, compile them."""
    anomalous, scores = np.eye(4, dtype=np.bool_), np.eye(4, dtype=np.float32)
    ids = np.zeros((4, 4), np.uint8)
    image = SegmentedImage.of("", ids, ids, anomalous, None, 1)
    for relative in (False, True):
        calibrations = {"": Calibration(ScoreGrid(0.0, 1.0, relative), (1,), (1,))}
        counts = PixelCounts(calibrations, (), OpenSetCounts(("",), 1))
        ignored = {policy.name: None for policy in counts.policies}
        ImageCounter(anomalous, ignored, image, 0).count("", scores, counts, ids)
