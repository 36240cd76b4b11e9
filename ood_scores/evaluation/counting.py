"""Counting of one image: each of its score maps is sorted once, for all that is measured of the image by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.score_store import ANOMALOUS, CategoryScores, PixelOrder
from caos.ood_scores.evaluation.code_maps import Codes
from caos.ood_scores.measuring.metrics import Counts
from caos.ood_scores.measuring.open_set import CountedPixels, SegmentedImage, halve
from caos.ood_scores.measuring.pixel_counts import CODES, Calibration, PixelCounts, Policy, ScoreMap

Tables = Mapping[str, Counts | None]
"""By name of a policy, the table of all metrics of one score map; None where one kind of pixel is missing."""


class ImageCounter:
    """Counts the score maps of one image.

    Args:
        categories: The category of each pixel, see :class:`~caos.ood_scores.measuring.pixel_counts.PixelCategories`.
        policies: Those whose tables are wanted.
        segmented: What open-set measures count, or None.
        number: Of the image in the set.
        counts: What is added to.
    """

    def __init__(
        self,
        categories: npt.NDArray[np.uint8],
        policies: tuple[Policy, ...],
        segmented: SegmentedImage | None,
        number: int,
        counts: PixelCounts,
    ) -> None:
        self._shape, self._segmented, self._number, self._counts = categories.shape, segmented, number, counts
        self._order = PixelOrder.of(categories, counts.categories.number)
        self._codes_before = categories.astype(np.uint16) * CODES
        self._ordinary = {policy.name: counts.categories.ordinary(policy) for policy in policies}
        self._sets = _alike(list(self._ordinary.values()), counts.categories.number)

    def count(self, column: str, scores: ScoreMap, codes: Codes) -> Tables:
        """Add one column's map to the counts, and write its codes.

        Raises:
            CaosError: If the map has another size than the truth.
        """
        if scores.shape != self._shape or codes.shape != self._shape:
            raise CaosError(f"{column!r} is a map of shape {scores.shape}, but the truth has shape {self._shape}")
        calibration = self._counts.calibrations[column]
        cells = calibration.grid.cell_of(scores).astype(np.intp)  # as indices, of which two tables are read
        codes[...] = calibration.codes_of_cells(cells)
        if self._segmented is not None:
            steps = calibration.step_of_cell.take(cells)
            self._count_open(column, self._segmented, scores, steps, calibration)
        by_category = CategoryScores.of(scores, self._order)
        ordered = {one: by_category.sorted(one) for one in ((ANOMALOUS,), *self._sets)}
        counted = np.bincount((self._codes_before + codes).ravel(), minlength=self._order.ends.size * CODES)
        lowest = calibration.lowest_scores(list(ordered.values()))
        self._counts.add(column, self._number, by_category, counted.reshape(-1, CODES), lowest)
        return self._tables(ordered)

    def _tables(self, ordered: Mapping[tuple[int, ...], ScoreMap]) -> dict[str, Counts | None]:
        """The table of each policy."""
        anomalous = ordered[(ANOMALOUS,)]
        tables: dict[tuple[int, ...], Counts | None] = {}
        for own in self._ordinary.values():
            negatives = [ordered[one] for one in self._sets if one[0] in own]
            if own not in tables:
                is_defined = anomalous.size and any(part.size for part in negatives)
                tables[own] = Counts.of_sorted(anomalous, negatives) if is_defined else None
        return {name: tables[own] for name, own in self._ordinary.items()}

    def _count_open(
        self,
        column: str,
        segmented: SegmentedImage,
        scores: ScoreMap,
        steps: npt.NDArray[np.uint16],
        calibration: Calibration,
    ) -> None:
        assert self._counts.open_set is not None
        number = len(calibration.steps) + 1
        halved = calibration.step_of_cell.take(calibration.grid.cell_of(halve(scores)))
        parts = (count_steps(segmented.pixels, steps, number), count_steps(segmented.halved, halved, number))
        self._counts.open_set.add(column, segmented.town, *parts)


def _alike(policies: Sequence[tuple[int, ...]], categories: int) -> list[tuple[int, ...]]:
    """All ordinary categories, in sets that every policy counts or leaves out together."""
    sets: dict[tuple[bool, ...], list[int]] = {}
    for category in range(ANOMALOUS + 1, categories):
        sets.setdefault(tuple(category in policy for policy in policies), []).append(category)
    return [tuple(one) for one in sets.values()]


def count_steps(pixels: CountedPixels, steps: npt.NDArray[np.uint16], number: int) -> npt.NDArray[np.int64]:
    """Pixels of each kind that counts and each of so many steps ``(kinds, steps)``."""
    size = (pixels.number + 1) * number
    # Two bytes are enough for most networks, and four times as fast as eight.
    short = np.min_scalar_type(size)
    joint = pixels.kinds.astype(short, copy=False) * short.type(number)
    joint += steps.ravel()
    counted = np.bincount(joint, minlength=size)
    return counted.reshape(-1, number)[: pixels.number]
