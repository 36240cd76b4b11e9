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


def aurra(confidence: npt.NDArray[np.float64], right: Mask) -> float:
    """Mean accuracy of the k most confident answers over all k; equally confident answers come in random order.

    Of a group of equally confident answers each next one is right with the group's share, so that the expected accuracy
    is a fraction with an expected numerator.
    """
    accuracies, answered, expected = [], 0, 0.0
    for value in np.unique(confidence)[::-1]:
        group = right[confidence == value]
        for _ in range(group.size):
            answered += 1
            expected += float(group.mean())
            accuracies.append(expected / answered)
    return math.fsum(accuracies) / answered


def calibration_rms(confidence: npt.NDArray[np.float64], right: Mask, bins: int) -> float:
    """Root mean square gap between confidence and accuracy over bins of equally many answers, least confident first.

    Where equally confident answers fall into two bins, each bin gets its share of the group's right ones.
    """
    order = np.argsort(confidence, kind="stable")
    sure, hits = confidence[order], right[order].astype(np.float64)
    for value in np.unique(sure):
        hits[sure == value] = hits[sure == value].mean()
    gaps = []
    for part in np.array_split(np.arange(sure.size), min(bins, sure.size)):
        gaps.append(part.size / sure.size * (sure[part].mean() - hits[part].mean()) ** 2)
    return math.sqrt(math.fsum(gaps))


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
