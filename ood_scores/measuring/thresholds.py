"""Thresholds of a score map: what flagging from one level on means for the whole set, and which ones are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caos.ood_scores.measuring.pixel_counts import CODES, PixelCounts

FOUND_SHARE: Final = 0.5
"""A hazard is found when at least this share of its pixels is flagged."""
_EVERYTHING, _NOTHING = float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Threshold:
    """A level of one score map: pixels with a code of at least ``code`` are flagged.

    Attributes:
        code: See :class:`caos.ood_scores.measuring.pixel_counts.Calibration`.
        score: The lowest score that is flagged: flagging all scores >= it gives exactly the shares below.
        recall: Share of all anomalous pixels that is flagged.
        false_alarms: Share of all ordinary pixels that is flagged.
        pixel_f1: Harmonic mean of recall and precision over all pixels.
    """

    code: int
    score: float
    recall: float
    false_alarms: float
    pixel_f1: float


def thresholds_of(counts: PixelCounts, column: str) -> list[Threshold]:
    """Every level of a column, from code 1 up."""
    true, false = counts.flagged(column)
    codes = np.arange(1, len(counts.calibrations[column].levels) + 1)
    f1 = 2 * true / np.maximum(true + false + true[0], 1)
    recall, false_alarms = true / max(true[0], 1), false / max(false[0], 1)
    scores = np.clip(counts.lowest_scores(column).astype(np.float64), -_LARGEST, _LARGEST)
    parts = (part.tolist() for part in (codes, scores, recall[codes], false_alarms[codes], f1[codes]))
    return [Threshold(*level) for level in zip(*parts, strict=True)]


_LARGEST: Final = float(np.finfo(np.float64).max)
"""Instead of infinity, where no score reaches a level: JSON has no infinity."""


def chosen_thresholds(levels: Sequence[Threshold], false_alarm_rates: Sequence[float]) -> dict[str, Threshold]:
    """The named thresholds: ``best_f1``, ``recall_95``, and ``false_alarms_1`` for a share of 0.01 and so on.

    ``best_f1`` has the best pixel F1 over all images, ``recall_95`` is the highest that flags 95 % of all anomalous
    pixels, ``false_alarms_1`` the lowest that flags at most 1 % of the ordinary ones. Code 256, which no pixel
    reaches, stands where no level keeps the false alarms low enough.
    """
    none = Threshold(CODES, _NOTHING, 0.0, 0.0, 0.0)
    enough = [level for level in levels if level.recall >= 0.95]
    named = {
        "best_f1": max(levels, key=lambda level: level.pixel_f1, default=none),
        # Below the lowest level lies every pixel.
        "recall_95": enough[-1] if enough else Threshold(0, _EVERYTHING, 1.0, 1.0, 0.0),
    }
    for rate in false_alarm_rates:
        low = [level for level in levels if level.false_alarms <= rate]
        named[f"false_alarms_{100 * rate:g}"] = low[0] if low else none
    return named
