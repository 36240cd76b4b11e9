"""Pairs of pictures: the same scene under two conditions, and the mean difference with its 95 % interval."""

from __future__ import annotations

from typing import Final

import numpy as np

from caos.studies.measuring import PictureNumbers
from caos.studies.tables import Estimate

DRAWS: Final = 1000
MIOU: Final = "miou"


def values_of(numbers: PictureNumbers, measure: str, scorer: str | None = None) -> dict[str, float]:
    """A measure of each picture that has it, by key: of a scorer, or ``miou`` of the segmenter."""
    if scorer is None:
        return dict(zip(numbers.keys, numbers.mious, strict=True))
    rows = zip(numbers.keys, numbers.rows[scorer], strict=True)
    return {key: value for key, row in rows if (value := getattr(row, measure)) is not None}


def difference(before: dict[str, float], after: dict[str, float], seed: int = 0) -> Estimate | None:
    """The mean over the pictures that both have of what they gain, its interval from drawing them anew.

    None where they share none.
    """
    shared = [key for key in before if key in after]
    if not shared:
        return None
    gains = np.array([after[key] - before[key] for key in shared])
    drawn = np.random.default_rng(seed).integers(0, gains.size, (DRAWS, gains.size))
    low, high = np.quantile(gains[drawn].mean(1), (0.025, 0.975))
    return Estimate(float(gains.mean()), float(low), float(high))
