"""Measures of a segmenter from their definitions: IoU, calibration, AURRA, and open-set IoU as DenseHybrid has it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.integer[Any]]


def class_iou(truth: Ids, predicted: Ids, number: int) -> list[float | None]:
    """IoU of each class over flat arrays; None for a class that the truth does not have."""
    found: list[float | None] = []
    for one in range(number):
        union = ((truth == one) | (predicted == one)).sum()
        found.append(float(((truth == one) & (predicted == one)).sum() / union) if (truth == one).any() else None)
    return found


def aurra(doubt: npt.NDArray[np.floating[Any]], right: Mask) -> float:
    """Mean accuracy of the k most confident answers over all k; equally confident answers come in random order.

    Of a group of equally confident answers each next one is right with the group's share, so that the expected accuracy
    is a fraction with an expected numerator.

    Args:
        doubt: One minus the confidence of each answer: 0 and 1e-30 differ, which 1 and 1 - 1e-30 do not.
        right: Whether the answer is right.
    """
    accuracies, answered, expected = [], 0, 0.0
    for share, size in _groups(doubt, right):
        for _ in range(size):
            answered += 1
            expected += share
            accuracies.append(expected / answered)
    return math.fsum(accuracies) / answered


def _groups(doubt: npt.NDArray[np.floating[Any]], right: Mask) -> list[tuple[float, int]]:
    """Share of right answers and size of each group of equally confident ones, the most confident first."""
    values, which = np.unique(doubt, return_inverse=True)
    sizes, hits = np.bincount(which), np.bincount(which, right, minlength=values.size)
    return [(float(hit / size), int(size)) for hit, size in zip(hits, sizes, strict=True)]


def calibration_rms(doubt: npt.NDArray[np.floating[Any]], right: Mask, bins: int) -> float:
    """Root mean square gap between confidence and accuracy over bins of equal mass, most confident first.

    An answer at the end of a bin belongs to two bins, by the share of it that lies in each. Of equally confident
    answers each is right with the share of its group.

    Args:
        doubt: One minus the confidence of each answer.
        right: Whether the answer is right.
        bins: How many.
    """
    sure = 1.0 - np.sort(doubt).astype(np.float64)
    hits = np.concatenate([np.full(size, share) for share, size in _groups(doubt, right)])
    places, size, gaps = np.arange(sure.size), sure.size / bins, []
    for number in range(bins):
        starts, ends = (np.clip(end * size - places, 0, 1) for end in (number, number + 1))
        inside = ends - starts
        gaps.append((math.fsum(inside * sure) - math.fsum(inside * hits)) / size)
    return math.sqrt(math.fsum(gap**2 for gap in gaps) / bins)


@dataclass(frozen=True, eq=False)
class SegmentedTown:
    """All pixels of a town, flattened.

    Attributes:
        scores: Anomaly scores.
        predicted: Class ids.
        truth: Class ids; the number of classes is the anomaly, ``-1`` is left out.
        images: How many images it has.
    """

    scores: npt.NDArray[np.float64]
    predicted: Ids
    truth: Ids
    images: int


def open_iou(town: SegmentedTown, flagged: Mask, classes: int) -> list[float]:
    """IoU of each class and, last, of the anomaly, when flagged pixels are called anomalies; NaN without any pixel."""
    kept = town.truth >= 0
    truth, called = town.truth[kept], np.where(flagged, classes, town.predicted)[kept]
    found = []
    for one in range(classes + 1):
        union = ((truth == one) | (called == one)).sum()
        found.append(float(((truth == one) & (called == one)).sum() / union) if union else math.nan)
    return found


def weighted_by_images(numbers: Sequence[float], towns: Sequence[SegmentedTown]) -> float:
    """The mean over towns, each counted as often as it has images; undefined ones left out."""
    pairs = [(value, town.images) for value, town in zip(numbers, towns, strict=True) if not math.isnan(value)]
    return math.fsum(value * images for value, images in pairs) / sum(images for _, images in pairs)
