"""Counting of one image: each of its score maps is sorted once, and everything measured of it is read from that."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.sorted_scores import ANOMALOUS, PixelOrder, SortedScores
from caos.ood_scores.evaluation.code_maps import Codes
from caos.ood_scores.measuring.metrics import Counts
from caos.ood_scores.measuring.open_set import CountedPixels, SegmentedImage, halve
from caos.ood_scores.measuring.pixel_counts import Calibration, PixelCounts, Policy, ScoreMap

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
        self._ordinary = {policy.name: counts.categories.ordinary(policy) for policy in policies}

    def count(self, column: str, scores: ScoreMap, codes: Codes) -> Tables:
        """Add one column's map to the counts, and write its codes.

        Raises:
            CaosError: If the map has another size than the truth.
        """
        if scores.shape != self._shape or codes.shape != self._shape:
            raise CaosError(f"{column!r} is a map of shape {scores.shape}, but the truth has shape {self._shape}")
        sorted_scores = SortedScores.of(scores, self._order)
        self._counts.add(column, self._number, sorted_scores)
        calibration = self._counts.calibrations[column]
        cells = calibration.grid.cell_of(scores).astype(np.intp)  # as indices, of which two tables are read
        codes[...] = calibration.codes_of_cells(cells)
        if self._segmented is not None:
            steps = calibration.step_of_cell.take(cells)
            self._count_open(column, self._segmented, scores, steps, calibration)
        return self._tables(sorted_scores)

    def _tables(self, scores: SortedScores) -> dict[str, Counts | None]:
        """The table of each policy; what all of them count is ranked once."""
        anomalous, ordinary = scores[ANOMALOUS], list(self._ordinary.values())
        if not anomalous.size:
            return dict.fromkeys(self._ordinary)
        always = [category for category in ordinary[0] if all(category in own for own in ordinary)] if ordinary else []
        everywhere = scores.of_any(always)
        tables: dict[tuple[int, ...], Counts] = {}
        for own in ordinary:
            if own not in tables:
                rest = [scores[category] for category in own if category not in always]
                tables[own] = Counts.of_sorted(anomalous, [everywhere, *rest])
        return {name: tables[own] if tables[own].negatives else None for name, own in self._ordinary.items()}

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


def count_steps(pixels: CountedPixels, steps: npt.NDArray[np.uint16], number: int) -> npt.NDArray[np.int64]:
    """Pixels of each kind that counts and each of so many steps ``(kinds, steps)``."""
    size = (pixels.number + 1) * number
    # Two bytes are enough for most networks, and four times as fast as eight.
    short = np.min_scalar_type(size)
    joint = pixels.kinds.astype(short, copy=False) * short.type(number)
    joint += steps.ravel()
    counted = np.bincount(joint, minlength=size)
    return counted.reshape(-1, number)[: pixels.number]
