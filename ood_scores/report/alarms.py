"""False alarms of a frame: marked regions that touch no hazard, counted at a few thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

STEPS: Final = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005)
"""Shares of the set's ordinary pixels marked, at which regions are counted."""
SMALLEST: Final = 0.0002
"""Share of the picture below which a marked region is no alarm but a speck."""


@dataclass(frozen=True)
class AlarmLevels:
    """Codes of one scorer: ``found`` is where hazards count as noticed, ``ladder`` where regions are counted."""

    found: int
    ladder: tuple[int, ...]

    @staticmethod
    def of(found: int, shares: Sequence[float]) -> AlarmLevels:
        """The levels of a scorer whose codes 1, 2 ... mark these shares of the ordinary pixels."""
        reached = (next((code for code, share in enumerate(shares, 1) if share <= step), None) for step in STEPS)
        return AlarmLevels(found, tuple(sorted({code for code in reached if code is not None})))


@dataclass(frozen=True)
class FalseAlarms:
    """The share of ordinary pixels marked where hazards count as noticed, and regions at each step of the ladder."""

    share: float
    regions: tuple[int, ...]


def false_alarms(codes: NDArray[np.uint8], anomalous: NDArray[np.bool_], levels: AlarmLevels) -> FalseAlarms:
    """What a score map marks falsely."""
    ordinary = codes[~anomalous]
    share = float((ordinary >= levels.found).mean()) if ordinary.size else 0.0
    return FalseAlarms(share, tuple(_regions(codes >= code, anomalous) for code in levels.ladder))


def _regions(marked: NDArray[np.bool_], anomalous: NDArray[np.bool_]) -> int:
    import cv2

    count, labels, stats, _ = cv2.connectedComponentsWithStats(marked.astype(np.uint8), connectivity=8)
    large = np.asarray(stats[:, cv2.CC_STAT_AREA]) >= max(SMALLEST * marked.size, 2)
    hits = np.bincount(labels[anomalous & marked], minlength=count) > 0
    return int((large & ~hits)[1:].sum())
