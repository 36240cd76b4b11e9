"""AUROC, AUPR and FPR95 of a score map: exact, ties right.

An anomalous pixel is a positive; a higher score is more anomalous. Everything follows from one table: for each distinct
score of a positive, how many positives and negatives score at least that much, and how many negatives score more.
Thresholds between positives change no recall, so the table has no other rows.

>>> result = measure([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
>>> result.auroc, round(result.aupr, 4), result.fpr95
(0.75, 0.8333, 0.5)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.score_store import IntArray, ScoreArray, distinct
from caos.ood_scores.measuring.inputs import valid_pixels

RecallRule = Literal["nearest", "at least", "above", "at a corner above"]


@dataclass(frozen=True, eq=False)
class Counts:
    """Pixels at or above each distinct score of an anomalous pixel, from the highest score to the lowest.

    Attributes:
        thresholds: Distinct scores of the positives, descending.
        gained: Positives whose score equals the threshold.
        true_positives: Positives with a score >= the threshold.
        false_positives: Negatives with a score >= the threshold.
        negatives_above: Negatives with a score > the threshold.
        positives: Number of positives.
        negatives: Number of negatives.
    """

    thresholds: ScoreArray
    gained: IntArray
    true_positives: IntArray
    false_positives: IntArray
    negatives_above: IntArray
    positives: int
    negatives: int

    @staticmethod
    def of_sorted(positives: ScoreArray, negatives: Iterable[ScoreArray]) -> Counts:
        """The table of scores that are sorted: those of the positives, and those of the negatives in any parts."""
        thresholds, gained = distinct(positives)
        below, up_to, number = np.zeros(thresholds.size, np.int64), np.zeros(thresholds.size, np.int64), 0
        for part in negatives:
            below += np.searchsorted(part, thresholds, "left")
            up_to += np.searchsorted(part, thresholds, "right")
            number += part.size
        return Counts(
            thresholds=thresholds[::-1],
            gained=gained[::-1],
            true_positives=np.cumsum(gained[::-1]),
            false_positives=number - below[::-1],
            negatives_above=number - up_to[::-1],
            positives=positives.size,
            negatives=number,
        )

    def followed_by(self, lower: Counts) -> Counts:
        """The table of these rows and of those of lower thresholds, whose numbers include these."""
        columns = ("thresholds", "gained", "true_positives", "false_positives", "negatives_above")
        joined = {name: np.concatenate([getattr(self, name), getattr(lower, name)]) for name in columns}
        return Counts(**joined, positives=self.positives, negatives=self.negatives)

    def last(self) -> Counts:
        """The table of the lowest threshold alone."""
        columns = ("thresholds", "gained", "true_positives", "false_positives", "negatives_above")
        rows = {name: getattr(self, name)[-1:] for name in columns}
        return Counts(**rows, positives=self.positives, negatives=self.negatives)


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
        scores: Any shape, finite; floats, integers or booleans, as an array or a torch tensor; higher is more
            anomalous.
        anomalous: Same shape; true where the pixel is anomalous.
        ignore: Same shape; true where the pixel counts neither way. Masked pixels of masked arrays count neither way
            either.

    Raises:
        CaosError: If shapes or types do not fit, a score is NaN or infinite, or one kind of pixel is missing.
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
    values, positive = valid_pixels(scores, anomalous, ignore, place)
    positives, negatives = (np.sort(values[which]) for which in (positive, ~positive))
    if not positives.size or not negatives.size:
        raise CaosError(f"AUROC is undefined: {positives.size} anomalous of {values.size} valid pixels{place}")
    return Counts.of_sorted(positives, [negatives])


def auroc(counts: Counts) -> float:
    """Probability that an anomalous pixel scores higher than an ordinary one; a tie counts one half."""
    return half_pairs_won(counts) / (2 * counts.positives * counts.negatives)


def half_pairs_won(counts: Counts) -> int:
    """Twice the pairs in which the anomalous pixel scores higher than the ordinary one, plus the ties."""
    return int(counts.gained @ (2 * counts.negatives - counts.false_positives - counts.negatives_above))


def average_precision(counts: Counts) -> float:
    """Area under the precision-recall curve as a sum of steps (scikit-learn's ``average_precision_score``)."""
    return precision_sum(counts) / counts.positives


def precision_sum(counts: Counts) -> float:
    """Precision at the score of each positive, added up."""
    # No product of vectors here: matrix libraries wake threads for long ones, which spin when they are done.
    return float((counts.gained * (counts.true_positives / (counts.true_positives + counts.false_positives))).sum())


def trapezoid_aupr(counts: Counts) -> float:
    """Area under the straight lines between the points of the precision-recall curve, from (recall 0, precision 1).

    Optimistic where the curve is sparse: it is what pytorch-ood and OpenOOD print.
    """
    return trapezoid_sum(counts) / counts.positives


def trapezoid_sum(counts: Counts) -> float:
    """Mean precision at both ends of each line of the curve, weighted by the positives gained between them."""
    before = counts.true_positives - counts.gained
    flagged = before + counts.negatives_above
    # With nothing flagged yet the curve starts at precision 1 by convention.
    entering = np.divide(before, flagged, out=np.ones(before.size), where=flagged > 0)
    leaving = counts.true_positives / (counts.true_positives + counts.false_positives)
    return float((counts.gained * ((entering + leaving) / 2)).sum())


def fpr_at_recall(counts: Counts, recall: float = 0.95, rule: RecallRule = "at least") -> float:
    """Share of ordinary pixels flagged at the threshold that gives ``recall``.

    Args:
        counts: From :func:`count`.
        recall: The recall asked for.
        rule: ``"at least"``: first threshold with recall >= ``recall``; ``"above"``: first with recall > ``recall``;
            ``"nearest"``: recall nearest to ``recall`` on either side, and of the thresholds with that recall the one
            with the most false positives (unless it is 1, then the first), as the code of the CAOS paper does;
            ``"at a corner above"``: first with recall > ``recall`` of the thresholds that scikit-learn's ``roc_curve``
            keeps with ``drop_intermediate=True``, its default, as DenseHybrid's code does. It drops those at which as
            many anomalous and as many ordinary pixels are gained as at the next lower distinct score.
    """
    if rule == "nearest":
        return _fpr_at_nearest_recall(counts, counts.true_positives / counts.positives, recall)
    step = first_step(counts, recall, rule)
    # A recall that no threshold exceeds flags everything.
    return 1.0 if step is None else float(counts.false_positives[step] / counts.negatives)


def first_step(counts: Counts, recall: float, rule: RecallRule) -> int | None:
    """The index of the highest threshold whose recall is at least (or above) ``recall``; None where there is none."""
    recalls = counts.true_positives / counts.positives
    reached = recalls >= recall if rule == "at least" else recalls > recall
    if rule == "at a corner above":
        reached &= ~_dropped(counts)
    return int(np.argmax(reached)) if reached.any() else None


def _dropped(counts: Counts) -> npt.NDArray[np.bool_]:
    """Which thresholds scikit-learn's ``roc_curve`` drops by default; the last one of the table is never among them."""
    ties = counts.false_positives - counts.negatives_above
    dropped = np.zeros(counts.thresholds.size, np.bool_)
    # Where ordinary pixels score between two anomalous ones the curve turns, and the threshold is kept.
    dropped[:-1] = (
        (counts.false_positives[:-1] == counts.negatives_above[1:])
        & (counts.gained[:-1] == counts.gained[1:])
        & (ties[:-1] == ties[1:])
    )
    # The highest of all scores is kept.
    if dropped.size and counts.negatives_above[0] == 0 and counts.true_positives[0] == counts.gained[0]:
        dropped[0] = False
    return dropped


def threshold_at_recall(counts: Counts, recall: float = 0.95) -> float:
    """The highest score threshold that flags at least ``recall`` of the anomalous pixels."""
    return float(counts.thresholds[int(np.argmax(counts.true_positives / counts.positives >= recall))])


def _fpr_at_nearest_recall(counts: Counts, recalls: npt.NDArray[np.float64], recall: float) -> float:
    # Scanned from recall 1 downwards, so of two equally near recalls the higher one is taken, as in the original.
    distance = np.abs(recalls - recall)
    step = recalls.size - 1 - int(np.argmin(distance[::-1]))
    if step == recalls.size - 1:
        return float(counts.false_positives[step] / counts.negatives)
    return float(counts.negatives_above[step + 1] / counts.negatives)


def of_part(counts: Counts, scores: ScoreArray) -> Counts:
    """The table for some of the positives (one hazard, say) against all the negatives.

    Args:
        counts: Table of all positives.
        scores: Scores of the chosen ones, each of which occurs in ``counts``.
    """
    ascending, number = distinct(np.sort(scores))
    index = counts.thresholds.size - 1 - np.searchsorted(counts.thresholds[::-1], ascending[::-1])
    return Counts(
        thresholds=ascending[::-1],
        gained=number[::-1],
        true_positives=np.cumsum(number[::-1]),
        false_positives=counts.false_positives[index],
        negatives_above=counts.negatives_above[index],
        positives=scores.size,
        negatives=counts.negatives,
    )
