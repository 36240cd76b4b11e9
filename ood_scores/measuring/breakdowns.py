"""Breakdowns: measures by part and weather, hazards by what the manifest says of them, false alarms by class."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import fmean
from typing import Final, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from caos.foundation.score_store import ANOMALOUS
from caos.ood_scores.measuring.pixel_counts import PixelCounts
from caos.ood_scores.measuring.pooled import threshold_at_recall
from caos.ood_scores.measuring.records import HazardMeasures, HazardRow, ImageMeasures, ImageRow
from caos.ood_scores.measuring.thresholds import FOUND_SHARE

UNKNOWN: Final = "unknown"
DISTANCES_M: Final = (0, 10, 20, 40, 80)
SIZES_PX: Final = (1, 100, 1_000, 10_000)
OCCLUDED_PERCENT: Final = (0, 1, 25, 50)
Unit = Literal["images", "hazards", "pixels"]
Row = TypeVar("Row")


@dataclass(frozen=True)
class BreakdownGroup:
    """One group of a breakdown.

    Attributes:
        unit: What was counted.
        count: How many of them.
        scorers: By scorer, mean numbers by name.
    """

    unit: Unit
    count: int
    scorers: Mapping[str, Mapping[str, float]]


Breakdown = Mapping[str, BreakdownGroup]


def _band(value: float | None, limits: Sequence[float], unit: str) -> str:
    """The name of the band a number falls into, such as ``10-20 m``."""
    if value is None:
        return UNKNOWN
    names = [f"{low:g}-{high:g}{unit}" for low, high in itertools.pairwise(limits)]
    index = int(np.searchsorted(limits, value, "right")) - 1
    return names[max(index, 0)] if index < len(names) else f"over {limits[-1]:g}{unit}"


def _occlusion(hazard: HazardRow) -> str:
    share = hazard.facts.occluded_share
    return _band(None if share is None else 100 * share, OCCLUDED_PERCENT, " %")


DEFAULT_PART: Final = "default"
"""The part that others are held against, where a set has one: it comes first."""
IMAGE_GROUPS: Final[Mapping[str, Callable[[ImageRow], str]]] = {
    "part": lambda row: row.town or UNKNOWN,
    "weather": lambda row: row.weather or UNKNOWN,
}
HAZARD_GROUPS: Final[Mapping[str, Callable[[HazardRow], str]]] = {
    "category": lambda hazard: hazard.facts.category or UNKNOWN,
    "level": lambda hazard: hazard.facts.level or UNKNOWN,
    "distance": lambda hazard: _band(hazard.facts.distance_m, DISTANCES_M, " m"),
    "size": lambda hazard: _band(hazard.pixels, SIZES_PX, " px"),
    "occlusion": _occlusion,
    "placement": lambda hazard: hazard.facts.placement or UNKNOWN,
}


def breakdowns(rows: Sequence[ImageRow], columns: Sequence[str], protocol: str = "caos") -> dict[str, Breakdown]:
    """Every breakdown by name, and in it the groups by name.

    By image: means of the measures by that protocol over the images that have them. By hazard: mean AUROC and FPR95 of
    a hazard's pixels against the ordinary pixels of its image, and the share of hazards found at each threshold.
    """
    measured = [row for row in rows if row.excluded is None]
    hazards = [hazard for row in measured for hazard in row.hazards]
    of_images = functools.partial(_image_numbers, protocol=protocol)
    found = {name: _by(measured, group, columns, "images", of_images) for name, group in IMAGE_GROUPS.items()}
    found["part"] = dict(sorted(found["part"].items(), key=lambda part: part[0] != DEFAULT_PART))
    found |= {name: _by(hazards, group, columns, "hazards", _hazard_numbers) for name, group in HAZARD_GROUPS.items()}
    # A breakdown in which nothing is known says nothing.
    return {name: groups for name, groups in found.items() if set(groups) - {UNKNOWN}}


@dataclass(frozen=True, eq=False)
class ClassPixels:
    """Pixels of one score map by class.

    Attributes:
        codes: By score code, of each class and, in the last row, of hazards ``(classes + 1, 256)``.
        flagged: Of each class, those that score at least as high as 95 % of all hazards' pixels ``(classes,)``.
    """

    codes: npt.NDArray[np.int64]
    flagged: npt.NDArray[np.int64]


def class_pixels(counts: PixelCounts, column: str) -> ClassPixels:
    """The pixels of a score map by class, those flagged at exactly the highest threshold with a recall >= 0.95."""
    threshold = threshold_at_recall(counts.stores[column])
    classes = range(1, counts.categories.void)
    flagged = np.zeros(len(classes), np.int64)
    for _, scores in counts.stores[column].images():
        for place, category in enumerate(classes):
            flagged[place] += int(np.count_nonzero(scores[category] >= threshold))
    codes = counts.codes[column]
    return ClassPixels(codes[[*classes, ANOMALOUS]], flagged)


def by_class(columns: Mapping[str, ClassPixels], names: Sequence[str]) -> dict[str, BreakdownGroup]:
    """Which ordinary classes are taken for hazards, by name of the class.

    Args:
        columns: Pixels of each score map.
        names: Of the classes.

    Returns:
        AUROC of all hazards' pixels against those of one class (ties of 255 levels count half), and FPR95 of that
        class alone, at exactly the threshold of all hazards' pixels. Classes that do not occur are left out.
    """
    first = next(iter(columns.values())).codes
    return {
        name: BreakdownGroup(
            "pixels",
            int(first[k].sum()),
            {column: _class_numbers(pixels, k) for column, pixels in columns.items()},
        )
        for k, name in enumerate(names)
        if first[k].any()
    }


def _class_numbers(pixels: ClassPixels, place: int) -> dict[str, float]:
    ordinary, anomalous = pixels.codes[place], pixels.codes[-1]
    below = np.cumsum(ordinary) - ordinary / 2
    pairs = float(anomalous.sum()) * float(ordinary.sum())
    return {
        "auroc": float((anomalous * below).sum()) / pairs,
        "fpr95": float(pixels.flagged[place] / ordinary.sum()),
    }


def _by(
    items: Sequence[Row],
    group: Callable[[Row], str],
    columns: Sequence[str],
    unit: Unit,
    numbers: Callable[[Sequence[Row], str], dict[str, float]],
) -> Breakdown:
    members: dict[str, list[Row]] = {}
    for item in items:
        members.setdefault(group(item), []).append(item)
    return {
        name: BreakdownGroup(unit, len(part), {column: numbers(part, column) for column in columns})
        for name, part in members.items()
    }


def _image_numbers(rows: Sequence[ImageRow], column: str, protocol: str) -> dict[str, float]:
    return _means([row.measures[column][protocol] for row in rows])


def _hazard_numbers(hazards: Sequence[HazardRow], column: str) -> dict[str, float]:
    numbers = _means([hazard.measures[column] for hazard in hazards if column in hazard.measures])
    shares = [hazard.flagged[column] for hazard in hazards if column in hazard.flagged]
    for name in shares[0] if shares else ():
        numbers[f"found_{name}"] = fmean(share[name] >= FOUND_SHARE for share in shares)
    return numbers


def _means(measures: Sequence[ImageMeasures] | Sequence[HazardMeasures]) -> dict[str, float]:
    """The mean of each number; empty where there is none."""
    names = [field.name for field in fields(measures[0])] if measures else []
    return {name: fmean(getattr(one, name) for one in measures) for name in names}
