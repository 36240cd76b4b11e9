"""AUROC, AUPR and FPR95 of a score map: exact, ties right.

An anomalous pixel is a positive; a higher score is more anomalous. Everything follows from one table: for each distinct
score of a positive, how many positives and negatives score at least that much, and how many negatives score more.
Thresholds between positives change no recall, so the table has no other rows.

>>> result = measure([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
>>> result.auroc, round(result.aupr, 4), result.fpr95
(0.75, 0.8333, 0.5)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.ranks import ranks

FloatArray = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.int64]
Ends = tuple[np.floating[Any], np.floating[Any]]
RecallRule = Literal["nearest", "at least", "above"]


@dataclass(frozen=True, eq=False)
class Counts:
    """Pixels at or above each distinct score of an anomalous pixel, from the highest score to the lowest.

    Attributes:
        thresholds: Distinct scores of the positives, descending.
        true_positives: Positives with a score >= the threshold; the last is the number of positives.
        false_positives: Negatives with a score >= the threshold.
        negatives_above: Negatives with a score > the threshold.
        negatives: Number of negatives.
    """

    thresholds: FloatArray
    true_positives: IntArray
    false_positives: IntArray
    negatives_above: IntArray
    negatives: int

    @property
    def positives(self) -> int:
        """Number of positives."""
        return int(self.true_positives[-1])

    @cached_property
    def gained(self) -> IntArray:
        """Positives whose score equals the threshold."""
        return np.diff(self.true_positives, prepend=0)


@dataclass(frozen=True)
class Measures:
    """The three numbers of the benchmark for one set of pixels, as fractions of one."""

    auroc: float
    aupr: float
    fpr95: float
    positives: int
    negatives: int


def measure(scores: npt.ArrayLike, anomalous: npt.ArrayLike, ignore: npt.ArrayLike | None = None) -> Measures:
    """AUROC, AUPR (average precision) and FPR95 (nearest recall) of a score map, by the CAOS definitions.

    Args:
        scores: Any shape, any real type, finite; higher is more anomalous.
        anomalous: Same shape; true where the pixel is anomalous.
        ignore: Same shape; true where the pixel counts neither way.

    Raises:
        CaosError: If shapes differ, a score is NaN or infinite, or one kind of pixel is missing.
    """
    counts = count(scores, anomalous, ignore)
    return Measures(
        auroc=auroc(counts),
        aupr=average_precision(counts),
        fpr95=fpr_at_recall(counts, 0.95, "nearest"),
        positives=counts.positives,
        negatives=counts.negatives,
    )


def count(
    scores: npt.ArrayLike, anomalous: npt.ArrayLike, ignore: npt.ArrayLike | None = None, where: str = ""
) -> Counts:
    """The table all metrics are computed from; ``where`` (a file name) ends the text of an error.

    Raises:
        CaosError: As in :func:`measure`.
    """
    place = f" in {where}" if where else ""
    values = _as_scores(scores, place)
    positive = _as_mask(anomalous, "anomalous", values.shape, place)
    if ignore is not None:
        kept = ~_as_mask(ignore, "ignore", values.shape, place)
        values, positive = values[kept], positive[kept]
    positives = values[positive]
    if not positives.size or positives.size == values.size:
        raise CaosError(f"AUROC is undefined: {positives.size} anomalous of {values.size} valid pixels{place}")
    return _table(positives, values, _finite_ends(values, place))


def _table(positives: FloatArray, values: FloatArray, ends: Ends) -> Counts:
    """The table; the positives are among the values, whose ``ends`` are known."""
    ordered = np.sort(positives)
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    ascending, past = ordered[first], np.append(first[1:], ordered.size)
    below, up_to = ranks(values, ascending, ends)
    below, up_to, negatives = below - first, up_to - past, values.size - ordered.size
    return Counts(
        thresholds=ascending[::-1],
        true_positives=(ordered.size - first[::-1]).astype(np.int64),
        false_positives=negatives - below[::-1],
        negatives_above=negatives - up_to[::-1],
        negatives=negatives,
    )


def ordered_bits(values: FloatArray) -> npt.NDArray[np.signedinteger[Any]]:
    """Integers in the same order as the floats, at (nearly) equal relative spacing; -0.0 and 0.0 are one."""
    integer, top = (np.int32, 31) if values.dtype == np.float32 else (np.int64, 63)
    bits: npt.NDArray[Any] = (values + values.dtype.type(0)).view(integer)  # adding zero turns -0.0 into 0.0
    flipped: npt.NDArray[np.signedinteger[Any]] = bits ^ ((bits >> top) & np.iinfo(integer).max)
    return flipped


def auroc(counts: Counts) -> float:
    """Probability that an anomalous pixel scores higher than an ordinary one; a tie counts one half."""
    beaten = 2 * counts.negatives - counts.false_positives - counts.negatives_above
    return float(counts.gained @ beaten / (2.0 * counts.positives * counts.negatives))


def average_precision(counts: Counts) -> float:
    """Area under the precision-recall curve as a sum of steps (scikit-learn's ``average_precision_score``)."""
    # No product of vectors here: matrix libraries wake threads for long ones, which spin when they are done.
    precision = counts.true_positives / (counts.true_positives + counts.false_positives)
    return float((counts.gained * precision).sum() / counts.positives)


def trapezoid_aupr(counts: Counts) -> float:
    """Area under the straight lines between the points of the precision-recall curve, from (recall 0, precision 1).

    Optimistic where the curve is sparse: it is what pytorch-ood and OpenOOD print.
    """
    before = np.append(0, counts.true_positives[:-1])
    flagged = before + counts.negatives_above
    # With nothing flagged yet the curve starts at precision 1 by convention.
    entering = np.divide(before, flagged, out=np.ones(before.size), where=flagged > 0)
    leaving = counts.true_positives / (counts.true_positives + counts.false_positives)
    return float((counts.gained * (entering + leaving)).sum() / (2.0 * counts.positives))


def fpr_at_recall(counts: Counts, recall: float = 0.95, rule: RecallRule = "at least") -> float:
    """Share of ordinary pixels flagged at the threshold that gives ``recall``.

    Args:
        counts: From :func:`count`.
        recall: The recall asked for.
        rule: ``"at least"``: first threshold with recall >= ``recall``; ``"above"``: first with recall > ``recall``;
            ``"nearest"``: recall nearest to ``recall`` on either side, and of the thresholds with that recall the one
            with the most false positives (unless it is 1, then the first), as the code of the CAOS paper does.
    """
    recalls = counts.true_positives / counts.positives
    if rule == "nearest":
        return _fpr_at_nearest_recall(counts, recalls, recall)
    reached = recalls >= recall if rule == "at least" else recalls > recall
    # A recall that no threshold exceeds flags everything.
    step = int(np.argmax(reached)) if reached.any() else -1
    return float(counts.false_positives[step] / counts.negatives) if reached.any() else 1.0


def threshold_at_recall(counts: Counts, recall: float = 0.95) -> float:
    """The highest score threshold that flags at least ``recall`` of the anomalous pixels."""
    return float(counts.thresholds[int(np.argmax(counts.true_positives >= recall * counts.positives))])


def _fpr_at_nearest_recall(counts: Counts, recalls: npt.NDArray[np.float64], recall: float) -> float:
    # Scanned from recall 1 downwards, so of two equally near recalls the higher one is taken, as in the original.
    distance = np.abs(recalls - recall)
    step = recalls.size - 1 - int(np.argmin(distance[::-1]))
    if step == recalls.size - 1:
        return float(counts.false_positives[step] / counts.negatives)
    return float(counts.negatives_above[step + 1] / counts.negatives)


def _as_scores(scores: npt.ArrayLike, place: str) -> FloatArray:
    values = np.asarray(scores)
    if values.dtype == np.bool_:
        return values.astype(np.float32)
    if not np.issubdtype(values.dtype, np.floating) and not np.issubdtype(values.dtype, np.integer):
        raise CaosError(f"scores must be real numbers, not {values.dtype}{place}")
    if values.dtype == np.float16 or (values.dtype.kind in "iu" and values.dtype.itemsize <= 2):
        return values.astype(np.float32)  # exact, and numpy is quick at it
    # Wide integers and long floats keep their order as they are; as doubles they would not.
    return values.astype(np.float64) if values.dtype.itemsize < 8 and values.dtype != np.float32 else values


def _as_mask(mask: npt.ArrayLike, name: str, shape: tuple[int, ...], place: str) -> npt.NDArray[np.bool_]:
    values = np.asarray(mask)
    if values.shape != shape:
        raise CaosError(f"{name!r} has shape {values.shape} but the scores have shape {shape}{place}")
    if values.dtype == np.bool_:
        return values
    if not np.issubdtype(values.dtype, np.number) or ((values != 0) & (values != 1)).any():
        raise CaosError(f"{name!r} must be booleans (or 0 and 1), not {values.dtype} with other values{place}")
    return values.astype(np.bool_)


def _finite_ends(values: FloatArray, place: str) -> Ends:
    # NaN spreads through min and max, so the two ends say it all.
    ends = values.min(), values.max()
    if np.isfinite(ends).all():
        return ends
    bad = int(np.count_nonzero(~np.isfinite(values)))
    raise CaosError(f"scores must be finite: {bad} of {values.size} are NaN or infinite{place}")


def of_part(counts: Counts, scores: FloatArray) -> Counts:
    """The table for some of the positives (one hazard, say) against all the negatives.

    Args:
        counts: Table of all positives.
        scores: Scores of the chosen ones, each of which occurs in ``counts``.
    """
    ascending, number = np.unique(scores, return_counts=True)
    index = counts.thresholds.size - 1 - np.searchsorted(counts.thresholds[::-1], ascending[::-1])
    return Counts(
        thresholds=ascending[::-1],
        true_positives=np.cumsum(number[::-1]).astype(np.int64),
        false_positives=counts.false_positives[index],
        negatives_above=counts.negatives_above[index],
        negatives=counts.negatives,
    )
