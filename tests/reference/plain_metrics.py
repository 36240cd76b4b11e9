"""Pixel metrics written from their definitions, in the plainest way: one loop over the distinct scores.

Nothing here is shared with the package. Scores are compared in the dtype they come in; counts are Python integers and
areas are summed exactly, so that each number is rounded once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Point:
    """What flagging every pixel with a score of at least ``threshold`` gives: true and false positives."""

    threshold: Any
    true: int
    false: int


def distinct_points(scores: Scores, anomalous: Mask) -> list[Point]:
    """One point for each distinct score, from the highest down."""
    values, which = np.unique(scores.ravel(), return_inverse=True)
    true_at = np.bincount(which.ravel()[anomalous.ravel()], minlength=values.size).tolist()
    false_at = np.bincount(which.ravel()[~anomalous.ravel()], minlength=values.size).tolist()
    points, true, false = [], 0, 0
    for value, gained, added in zip(values[::-1], true_at[::-1], false_at[::-1], strict=True):
        true, false = true + gained, false + added
        points.append(Point(value, true, false))
    return points


@dataclass(frozen=True)
class Measured:
    """AUROC, AUPR and FPR95 by every definition in use, as fractions of one."""

    auroc: float
    average_precision: float
    trapezoid: float
    fpr_nearest: float
    fpr_at_least: float
    fpr_above: float
    fpr_densehybrid: float
    positives: int
    negatives: int

    def by(self, aupr: str, fpr95: str) -> tuple[float, float, float]:
        """AUROC, AUPR and FPR95 by the names that a protocol uses."""
        areas = {"average precision": self.average_precision, "trapezoid": self.trapezoid}
        rates = {
            "nearest": self.fpr_nearest,
            "at least": self.fpr_at_least,
            "above": self.fpr_above,
            "at a corner above": self.fpr_densehybrid,
        }
        return self.auroc, areas[aupr], rates[fpr95]


def measured(scores: Scores, anomalous: Mask) -> Measured | None:
    """Every number, or None where one kind of pixel is missing."""
    points = distinct_points(scores, anomalous)
    if not points or not points[-1].true or not points[-1].false:
        return None
    return Measured(
        auroc=_auroc(points),
        average_precision=_average_precision(points),
        trapezoid=_trapezoid(points),
        fpr_nearest=_fpr_nearest(points),
        fpr_at_least=fpr(points, first_reaching(points, strict=False)),
        fpr_above=fpr(points, first_reaching(points, strict=True)),
        fpr_densehybrid=fpr(points, densehybrid_point(points)),
        positives=points[-1].true,
        negatives=points[-1].false,
    )


def at_least(scores: Scores, threshold: float | np.integer[Any]) -> Mask:
    """Where scores reach a threshold, compared as the numbers that they are: no dtype rounds either of them."""
    if scores.dtype.kind in "iu":
        least = int(threshold) if isinstance(threshold, np.integer) else threshold
        least = math.ceil(least) if math.isfinite(least) else least
        info = np.iinfo(scores.dtype)
        if least <= info.min or least > info.max:
            return np.full(scores.shape, least <= info.min)
        return np.asarray(scores >= scores.dtype.type(least), np.bool_)
    return np.asarray(scores.astype(np.float64) >= threshold, np.bool_)


def first_reaching(points: list[Point], *, strict: bool, recall: float = 0.95) -> Point:
    """The highest threshold with a recall of at least, or above, ``recall``."""
    total = points[-1].true
    return next(p for p in points if (p.true / total > recall if strict else p.true / total >= recall))


def densehybrid_point(points: list[Point]) -> Point:
    """The first point with a recall above 0.95 on the ROC curve that scikit-learn draws by default.

    Its ``roc_curve`` leaves out each point whose two neighbours among all points differ from it by the same steps
    (second differences of true and of false positives are zero); the ends stay.
    """

    def step(one: Point, other: Point) -> tuple[int, int]:
        return other.true - one.true, other.false - one.false

    triples = zip(points, points[1:], points[2:], strict=False)
    inner = [point for before, point, after in triples if step(before, point) != step(point, after)]
    ends = [points[0], *inner, points[-1]] if len(points) > 1 else points
    return first_reaching(ends, strict=True)


def fpr(points: list[Point], point: Point) -> float:
    """Share of the ordinary pixels that a threshold flags."""
    return point.false / points[-1].false


def best_f1(points: list[Point]) -> float:
    """The highest F1 over all thresholds."""
    total = points[-1].true
    return max(2 * p.true / (p.true + p.false + total) for p in points)


def _auroc(points: list[Point]) -> float:
    """Pairs of an anomalous and an ordinary pixel that are in the right order, ties half, of all pairs."""
    twice, before = 0, Point(None, 0, 0)
    for point in points:
        gained, added = point.true - before.true, point.false - before.false
        lower = points[-1].false - point.false
        twice += gained * (2 * lower + added)
        before = point
    return twice / (2 * points[-1].true * points[-1].false)


def _average_precision(points: list[Point]) -> float:
    """The precision at each threshold, weighted with the recall that it adds."""
    parts, before = [], 0
    for point in points:
        parts.append((point.true - before) * (point.true / (point.true + point.false)))
        before = point.true
    return math.fsum(parts) / points[-1].true


def _trapezoid(points: list[Point]) -> float:
    """The area below straight lines between the points of recall and precision, from (0, 1) where that is the first."""
    parts, before, entering = [], 0, 1.0
    for point in points:
        precision = point.true / (point.true + point.false)
        parts.append((point.true - before) * (entering + precision) / 2)
        before, entering = point.true, precision
    return math.fsum(parts) / points[-1].true


def _fpr_nearest(points: list[Point]) -> float:
    """The false positives at the recall nearest to 0.95, as the released code of the CAOS paper picks them.

    Recalls are scanned from 1 downwards and the first of the nearest is taken. A recall that several thresholds share
    begins with its lowest one, which has the most false positives; recall 1 consists of its highest threshold alone.
    """
    total = points[-1].true
    highest_full = next(place for place, point in enumerate(points) if point.true == total)
    nearest = min(points[highest_full::-1], key=lambda point: abs(point.true / total - 0.95))
    return fpr(points, nearest)


def pairwise_auroc(scores: Scores, anomalous: Mask) -> float:
    """AUROC by comparing every anomalous pixel with every ordinary one; quadratic, for small maps."""
    high, low = scores[anomalous][:, None], scores[~anomalous][None, :]
    return float(((high > low).sum() + 0.5 * (high == low).sum()) / (high.size * low.size))
