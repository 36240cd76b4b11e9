"""Pairs of pictures: the same scene under two conditions, and the mean difference with its 95 % interval."""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.ood_scores.measuring.statistics import difference_interval
from caos.studies.framework.measuring import PictureNumbers
from caos.studies.presentation.tables import Estimate

MIOU: Final = "miou"


def values_of(numbers: PictureNumbers, measure: str, scorer: str | None = None) -> dict[str, float]:
    """A measure of each picture that has it, by key: of a scorer, or ``miou`` of the segmenter."""
    if scorer is None:
        return dict(zip(numbers.keys, numbers.mious, strict=True))
    rows = zip(numbers.keys, numbers.rows[scorer], strict=True)
    return {key: value for key, row in rows if (value := getattr(row, measure)) is not None}


def difference(before: dict[str, float], after: dict[str, float]) -> Estimate | None:
    """The mean gain over the pictures that both have, with its 95 % interval; None where they share none."""
    shared = [key for key in before if key in after]
    if not shared:
        return None
    gains = np.array([after[key] - before[key] for key in shared])
    interval = difference_interval(gains)
    return Estimate(float(gains.mean()), interval.low, interval.high)
