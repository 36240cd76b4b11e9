"""Checks of the numbers in a results file: shares lie in 0..1, counts and times are not negative, intervals ascend.

The rules stand by the names of the fields, which mean the same in every record of :mod:`caos.ood_scores.results` and
:mod:`caos.ood_scores.measuring.records`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

from caos.foundation.errors import CaosError

SHARES: Final = frozenset(
    {
        *("auroc", "aupr", "fpr95", "value", "error", "base_rate", "random_aupr", "void_share"),
        *("recall", "false_alarms", "precision", "pixel_f1", "flagged"),
        *("mean_siou", "mean_ppv", "mean_f1", "ap", "ap50"),
        *("open_miou", "anomaly_iou", "closed_miou", "open_miou_error", "anomaly_iou_error"),
        *("p_value", "p_adjusted"),
    }
)
"""Fields that hold a share, or shares by name."""
NOT_NEGATIVE: Final = frozenset({"cost", "seconds", "clock_s", "hours"})
"""Fields that hold a time, which cannot be below zero; whole numbers are counts and cannot either, in any field."""
SIGNED: Final = frozenset({"Significance"})
"""Records of differences of shares, which lie in -1..1."""
FREE: Final = frozenset({"source", "settings", "provenance", "labels"})
"""Fields that others fill as they like."""
IN_GROUPS: Final = ("BreakdownGroup", "scorers")
"""The record and field of mean shares by scorer and name."""
SLACK: Final = 1e-9
"""What rounding may add to a mean of ones."""


def check_numbers(record: Any, where: object) -> None:
    """Refuse a record with a number that no measurement gives.

    Args:
        record: A dataclass of results, nested.
        where: The file, for messages.

    Raises:
        CaosError: If a share lies outside 0..1, a count or time is negative, or an interval is reversed; the message
            names file, key and value.
    """
    _check_record(record, f"{where}: ")


def _check_record(record: Any, place: str) -> None:
    kind = type(record).__name__
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if field.name not in FREE:
            rule = _rule(kind, field.name)
            _check(value, rule, _below(place, field.name))
    low, high = getattr(record, "low", None), getattr(record, "high", None)
    if isinstance(low, float) and isinstance(high, float) and low > high:
        raise CaosError(f"{_named(place)}the interval's low end {low:g} is above its high end {high:g}")


def _rule(kind: str, name: str) -> tuple[float, float]:
    """The least and the most that numbers in a field may be."""
    if kind in SIGNED and name in {"difference", "low", "high"}:
        return -1.0, 1.0
    if name in SHARES or (kind, name) == IN_GROUPS or (kind == "Metric" and name in {"low", "high"}):
        return 0.0, 1.0
    return (0.0 if name in NOT_NEGATIVE else float("-inf")), float("inf")


def _check(value: Any, rule: tuple[float, float], place: str) -> None:
    if dataclasses.is_dataclass(value):
        _check_record(value, place)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            _check(part, rule, _below(place, str(key)))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, part in enumerate(value):
            _check(part, rule, f"{place}[{number}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least, most = rule
        if isinstance(value, int):
            least = max(least, 0.0)
        if not least - SLACK <= value <= most + SLACK:
            allowed = f"not a number from {least:g} to {most:g}" if most < float("inf") else "negative"
            raise CaosError(f"{_named(place)}{value!r} is {allowed}")


def _below(place: str, name: str) -> str:
    return f"{place}{name}" if place.endswith(": ") else f"{place}.{name}"


def _named(place: str) -> str:
    """The place as messages name it: the file, then the key."""
    file, _, key = place.rpartition(": ")
    return f"{file}: key {key!r}: " if key else f"{file}: "
