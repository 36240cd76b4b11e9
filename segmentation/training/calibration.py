"""Calibration: whether confidence tells right from wrong answers, from every answer's own confidence.

The calibration error is the root mean square gap between confidence and accuracy over bins of equal mass; AURRA is the
area under accuracy as a function of the share of answers given, most confident first (both: appendix A.3.2 of the
dissertation). Answers that are equally confident have no order: what depends on one is the mean over all orders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from caos.foundation.score_store import CategoryScores, ScoreStore
from caos.foundation.value_blocks import tally, value_blocks

BINS: Final = 100
CURVE_POINTS: Final = 21
RIGHT, WRONG = 0, 1
Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """How well confidence tells right from wrong answers; None and empty where nothing was answered.

    Attributes:
        rms: Root mean square calibration error.
        aurra: Area under the response rate accuracy curve.
        response: Accuracy of the most confident 5 %, 10 % ... of the answers, the last of all of them; the first point
            is that of the most confident ones alone.
    """

    rms: float | None
    aurra: float | None
    response: tuple[float, ...]


class Confidences:
    """Confidences of any number of answers, kept exactly: in memory while they are few, else in a temporary file."""

    def __init__(self) -> None:
        self._store = ScoreStore(2)
        self._images = 0

    def add(self, doubt: NDArray[np.floating], right: NDArray[np.bool_]) -> None:
        """Add the answers of one image: one minus the confidence of each, flat, and whether it is right."""
        values = np.concatenate([doubt[right], doubt[~right]]).astype(np.float32)
        ends = np.cumsum([np.count_nonzero(right), np.count_nonzero(~right)])
        self._store.add(self._images, CategoryScores(-values, ends))
        self._images += 1

    def calibration(self) -> Calibration:
        """The measures of all answers."""
        ordered = self._store.sorted_by([(RIGHT,), (WRONG,)])
        images = [scores for _, scores in ordered.images()]
        arrays = [scores[category] for category in (RIGHT, WRONG) for scores in images]
        sums = _Sums(sum(array.size for array in arrays))
        for block in value_blocks(arrays, [1] * len(arrays)):
            values, count = tally(block)
            right = np.zeros(values.size, np.int64)
            held, number = tally(block[: len(images)])
            right[np.searchsorted(values, held)] = number
            sums.add(count[::-1], right[::-1], (count * (1.0 + values.astype(np.float64)))[::-1])
        return sums.calibration()


def calibration_of(cells: Float64) -> Calibration:
    """The calibration of answers counted by confidence.

    Args:
        cells: For each confidence the number of answers, how many are right, and the sum of their confidences
            ``(n, 3)``, in any order.

    >>> found = calibration_of(np.array([[60.0, 30.0, 30.0], [40.0, 40.0, 39.0]]))
    >>> [round(value, 3) for value in found.response[::5]]
    [1.0, 1.0, 0.9, 0.767, 0.7]
    """
    filled = cells[cells[:, 0] > 0]
    sums = _Sums(float(filled[:, 0].sum()))
    if len(filled):
        confidence = filled[:, 2] / filled[:, 0]
        order = np.argsort(confidence, kind="stable")
        filled, confidence = filled[order], confidence[order]
        first = np.flatnonzero(np.append(True, confidence[1:] != confidence[:-1]))
        sums.add(*np.add.reduceat(filled, first, axis=0)[::-1].T)
    return sums.calibration()


def grouped(doubt: Float64, right: NDArray[np.bool_], groups: int) -> Float64:
    """Answers of one image in groups of equal size and similar confidence, as :func:`calibration_of` takes them.

    Args:
        doubt: One minus the confidence of each answer, flat.
        right: Whether it is right.
        groups: How many, at most.
    """
    order = np.argsort(doubt, kind="stable")
    starts = np.unique(np.linspace(0, order.size, groups, endpoint=False).astype(np.int64))
    answers = np.stack([np.ones(order.size), right[order], 1 - doubt[order]], axis=1)
    return np.add.reduceat(answers, starts, axis=0) if order.size else np.zeros((0, 3))


@dataclass(eq=False)
class _Sums:
    """What answers add up to, the most confident first."""

    total: float
    answered: float = 0.0
    right: float = 0.0
    sure: float = 0.0
    area: float = 0.0
    first: float | None = None
    marks: list[Float64] = field(default_factory=list)

    def add(self, count: NDArray[np.generic], right: NDArray[np.generic], sure: NDArray[np.generic]) -> None:
        """Add answers by falling confidence: their number, how many are right, and the sum of their confidences.

        With ``n0`` answers before ``n`` equally confident ones of which a share ``a`` is right, the accuracies after
        each of these add up to ``a n + (right0 - a n0) (H(n0 + n) - H(n0))``, where H are the harmonic numbers.
        """
        own, hits, sums = (np.asarray(part, np.float64) for part in (count, right, sure))
        if not own.size:
            return
        answered, found, confidence = (
            before + np.append(0.0, np.cumsum(part))
            for before, part in ((self.answered, own), (self.right, hits), (self.sure, sums))
        )
        share = hits / own
        harmonic = digamma(answered[1:] + 1) - digamma(answered[:-1] + 1)
        self.area += float(np.sum(hits + (found[:-1] - share * answered[:-1]) * harmonic))
        if self.first is None:
            self.first = float(share[0])
        inside = self._points[(self._points > answered[0]) & (self._points <= answered[-1])]
        self.marks.append(np.stack([np.interp(inside, answered, part) for part in (found, confidence)]))
        self.answered, self.right, self.sure = float(answered[-1]), float(found[-1]), float(confidence[-1])

    @property
    def _points(self) -> Float64:
        """Numbers of answers at which bins end, and points of the curve lie."""
        return np.union1d(np.arange(1, BINS + 1) / BINS, np.arange(1, CURVE_POINTS) / (CURVE_POINTS - 1)) * self.total

    def calibration(self) -> Calibration:
        """The measures, once all answers are added."""
        if not self.total or self.first is None:
            return Calibration(None, None, ())
        points = self._points
        right, sure = np.concatenate(self.marks, axis=1)
        ends = np.searchsorted(points, np.arange(1, BINS + 1) / BINS * self.total * (1 - 1e-12))
        gaps = np.diff((sure - right)[ends], prepend=0.0) / (self.total / BINS)
        curve = np.searchsorted(points, np.arange(1, CURVE_POINTS) / (CURVE_POINTS - 1) * self.total * (1 - 1e-12))
        response = (self.first, *(right[curve] / points[curve]).tolist())
        return Calibration(float(np.sqrt(np.mean(gaps**2))), self.area / self.total, response)
