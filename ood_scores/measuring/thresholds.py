"""Thresholds of a score map: what flagging from one level on means for the whole set, and which ones are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caos.ood_scores.measuring.pixel_counts import BASE, PixelCounts

FOUND_SHARE: Final = 0.5
"""A hazard is found when at least this share of its pixels is flagged."""
CODES: Final = 256
_EVERYTHING, _NOTHING = float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Threshold:
    """A level of one score map: pixels with a code of at least ``code`` are flagged.

    Attributes:
        code: See :class:`caos.ood_scores.measuring.pixel_counts.Calibration`.
        score: The score where the code begins.
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
    calibration = counts.calibrations[column]
    pool = counts.pools[column, BASE.name]
    recall, false_alarms = pool.flagged()
    edges = calibration.grid.lower_edges()
    positives, negatives = int(pool.positives.sum()), int(pool.negatives.sum())
    cells = np.array(calibration.levels, np.intp)
    true, false = recall[cells] * positives, false_alarms[cells] * negatives
    f1 = 2 * true / np.maximum(true + false + positives, 1)
    parts = (part.tolist() for part in (edges[cells], recall[cells], false_alarms[cells], f1))
    return [Threshold(code, *level) for code, level in enumerate(zip(*parts, strict=True), 1)]


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
