"""Corruption errors: CE, relative CE and their means, from errors per corruption and severity, against a baseline.

Hendrycks and Dietterich 2019, section 4.2, with the error of a segmenter, E = 1 - mIoU, in place of the top-1 error:

    CE_c          = sum_s E_s,c             / sum_s B_s,c
    relative CE_c = sum_s (E_s,c - E_clean) / sum_s (B_s,c - B_clean)

B are the baseline's. mCE and relative mCE are means over corruptions. Fractions of one: 1.0 is as bad as the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from caos.foundation.errors import CaosError


@dataclass(frozen=True)
class SegmentationErrors:
    """A run's errors, each 1 - mIoU, from 0 to 1.

    Attributes:
        clean: On the pictures as they are.
        corrupted: Corruption to its errors, one a severity.
    """

    clean: float
    corrupted: Mapping[str, Sequence[float]]

    def __post_init__(self) -> None:
        for name, errors in (("clean", (self.clean,)), *self.corrupted.items()):
            if not errors:
                raise CaosError(f"no error is given for {name!r}")
            for error in errors:
                if not 0 <= error <= 1:
                    raise CaosError(f"an error must be 1 - mIoU, from 0 to 1, not {error!r} for {name!r}")


@dataclass(frozen=True)
class CorruptionErrors:
    """CE and relative CE of each corruption, and their means."""

    ce: dict[str, float]
    relative_ce: dict[str, float]
    mce: float
    relative_mce: float


def corruption_error(errors: Sequence[float], baseline: Sequence[float]) -> float:
    """CE of one corruption, from errors at the same severities.

    >>> round(corruption_error([0.2, 0.4], [0.4, 0.8]), 3)
    0.5

    Raises:
        CaosError: If the severities differ in number, or the baseline makes no error.
    """
    _check_severities(errors, baseline)
    whole = math.fsum(baseline)
    if whole <= 0:
        raise CaosError("CE is undefined: the baseline makes no error at any severity")
    return math.fsum(errors) / whole


def relative_corruption_error(
    errors: Sequence[float], clean: float, baseline: Sequence[float], baseline_clean: float
) -> float:
    """Relative CE of one corruption: how much more the run loses by it than the baseline does.

    It is negative for a run that gains by the corruption.

    >>> round(relative_corruption_error([0.3, 0.5], 0.2, [0.5, 0.9], 0.3), 3)
    0.5

    Raises:
        CaosError: If the severities differ in number, or the baseline loses nothing by the corruption.
    """
    _check_severities(errors, baseline)
    whole = math.fsum(error - baseline_clean for error in baseline)
    if whole <= 0:
        raise CaosError(
            f"relative CE is undefined: the baseline loses nothing by the corruption (clean {baseline_clean}, "
            f"corrupted {list(baseline)})"
        )
    return math.fsum(error - clean for error in errors) / whole


def corruption_errors(run: SegmentationErrors, baseline: SegmentationErrors) -> CorruptionErrors:
    """Every CE and relative CE of a run, with mCE and relative mCE.

    Raises:
        CaosError: If the two do not have the same corruptions and severities, or a value is undefined.
    """
    if not run.corrupted or set(run.corrupted) != set(baseline.corrupted):
        raise CaosError(
            f"mCE needs the same corruptions of run and baseline, not {sorted(run.corrupted)} "
            f"and {sorted(baseline.corrupted)}"
        )
    ce, relative = {}, {}
    for name, errors in run.corrupted.items():
        theirs = baseline.corrupted[name]
        ce[name] = corruption_error(errors, theirs)
        relative[name] = relative_corruption_error(errors, run.clean, theirs, baseline.clean)
    return CorruptionErrors(ce, relative, math.fsum(ce.values()) / len(ce), math.fsum(relative.values()) / len(ce))


def _check_severities(errors: Sequence[float], baseline: Sequence[float]) -> None:
    if len(errors) != len(baseline) or not errors:
        raise CaosError(f"run and baseline need errors at the same severities, not {len(errors)} and {len(baseline)}")
