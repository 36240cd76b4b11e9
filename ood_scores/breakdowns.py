"""Where scorers do well and where not: measures by town and weather, and hazards by what the manifest says of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Row = Mapping[str, Any]
UNKNOWN: Final = "unknown"


def _band(value: float | None, limits: Sequence[float], unit: str) -> str:
    """The name of the band a number falls into, such as ``10-20 m``."""
    if value is None:
        return UNKNOWN
    names = [f"{low:g}-{high:g}{unit}" for low, high in itertools.pairwise(limits)]
    index = int(np.searchsorted(limits, value, "right")) - 1
    return names[max(index, 0)] if index < len(names) else f"over {limits[-1]:g}{unit}"


DISTANCES_M: Final = (0, 10, 20, 40, 80)
SIZES_PX: Final = (1, 100, 1_000, 10_000)
OCCLUDED_PERCENT: Final = (0, 1, 25, 50)


def _occlusion(hazard: Row) -> str:
    share = hazard.get("occluded_share")
    return _band(None if share is None else 100 * share, OCCLUDED_PERCENT, " %")


IMAGE_GROUPS: Final[Mapping[str, Callable[[Row], str]]] = {
    "town": lambda row: str(row.get("town") or UNKNOWN),
    "weather": lambda row: str(row.get("weather") or UNKNOWN),
}
HAZARD_GROUPS: Final[Mapping[str, Callable[[Row], str]]] = {
    "category": lambda hazard: str(hazard.get("category") or UNKNOWN),
    "distance": lambda hazard: _band(hazard.get("distance_m"), DISTANCES_M, " m"),
    "size": lambda hazard: _band(hazard.get("pixels"), SIZES_PX, " px"),
    "occlusion": _occlusion,
    "placement": lambda hazard: str(hazard.get("placement") or UNKNOWN),
}


def breakdowns(rows: Sequence[Row], columns: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Every breakdown: ``{by: {group: {"images" | "hazards": n, "scorers": {column: numbers}}}}``.

    By image: means of the CAOS measures over the images that have them. By hazard: mean AUROC and FPR95 of a hazard's
    pixels against the ordinary pixels of its image, and the share of hazards found at each threshold.
    """
    measured = [row for row in rows if row["excluded"] is None]
    hazards = [hazard for row in measured for hazard in row["hazards"]]
    found = {name: _by(measured, group, columns, "images", _image_numbers) for name, group in IMAGE_GROUPS.items()}
    found |= {name: _by(hazards, group, columns, "hazards", _hazard_numbers) for name, group in HAZARD_GROUPS.items()}
    # A breakdown in which nothing is known says nothing.
    return {name: groups for name, groups in found.items() if set(groups) - {UNKNOWN}}


def by_class(
    counts: Mapping[str, npt.NDArray[np.int64]], names: Sequence[str], codes: Mapping[str, int]
) -> dict[str, Any]:
    """Which ordinary classes are taken for hazards: ``{class: {"pixels": n, "scorers": {column: numbers}}}``.

    Args:
        counts: For each column, pixels of each class and, in the last row, of hazards, by score code.
        names: Of the classes, in the order of the rows.
        codes: For each column, the code from which on pixels are flagged at 95 % recall.

    Returns:
        AUROC of all hazards' pixels against those of one class (ties of 255 levels count half), and FPR95 of that
        class alone. Classes that do not occur are left out.
    """
    present = [k for k, _ in enumerate(names) if next(iter(counts.values()))[k].any()]
    return {
        names[k]: {
            "pixels": int(next(iter(counts.values()))[k].sum()),
            "scorers": {c: _class_numbers(table[k], table[-1], codes[c]) for c, table in counts.items()},
        }
        for k in present
    }


def _class_numbers(ordinary: npt.NDArray[np.int64], anomalous: npt.NDArray[np.int64], code: int) -> dict[str, float]:
    below = np.cumsum(ordinary) - ordinary / 2
    pairs = float(anomalous.sum()) * float(ordinary.sum())
    return {
        "auroc": float((anomalous * below).sum()) / pairs,
        "fpr95": float(ordinary[code:].sum() / ordinary.sum()),
    }


def _by(
    items: Sequence[Row],
    group: Callable[[Row], str],
    columns: Sequence[str],
    unit: str,
    numbers: Callable[[Sequence[Row], str], dict[str, float]],
) -> dict[str, Any]:
    members: dict[str, list[Row]] = {}
    for item in items:
        members.setdefault(group(item), []).append(item)
    return {
        name: {unit: len(part), "scorers": {column: numbers(part, column) for column in columns}}
        for name, part in members.items()
    }


def _image_numbers(rows: Sequence[Row], column: str) -> dict[str, float]:
    values = np.array([row["measures"][column]["caos"] for row in rows])
    return {name: float(values[:, i].mean()) for i, name in enumerate(("auroc", "aupr", "fpr95"))}


def _hazard_numbers(hazards: Sequence[Row], column: str) -> dict[str, float]:
    values = np.array([hazard["measures"][column] for hazard in hazards if column in hazard["measures"]])
    numbers = {"auroc": float(values[:, 0].mean()), "fpr95": float(values[:, 1].mean())} if values.size else {}
    shares = [hazard["flagged"][column] for hazard in hazards if column in hazard.get("flagged", {})]
    for name in shares[0] if shares else ():
        numbers[f"found_{name}"] = float(np.mean([share[name] >= 0.5 for share in shares]))
    return numbers
