"""Approaches of a scored set: its sequences, read from the manifest, with what each detector marks frame by frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_record
from caos.ood_scores.measuring.noticing import Approach, ApproachFrame
from caos.ood_scores.measuring.records import ImageRow
from caos.scenes.dataset.layout import Dataset
from caos.scenes.recipes.weather_mix import part_of_day

Manifest = Mapping[str, Mapping[str, Any]]
WET_PERCENT: Final = 30.0
"""From so much water on the road, or in the air, on it is wet."""


@dataclass(frozen=True)
class _SequenceFacts:
    """What a row of the manifest says of the sequence its frame belongs to."""

    key: str
    frame: int
    rate_hz: float
    speed_kmh: float


@dataclass(frozen=True)
class _FirstHazard:
    """What it says of the hazard that the car nears."""

    object: str
    category: str
    instance_id: int
    nearest_m: float
    size_m: tuple[float, float, float]
    level: str = "unknown"


@dataclass(frozen=True, eq=False)
class _Frame:
    row: ImageRow
    sequence: _SequenceFacts
    hazard: _FirstHazard
    weather: Mapping[str, Any]


def approaches(
    dataset: Dataset, manifest: Manifest, rows: Sequence[ImageRow], columns: Sequence[str]
) -> dict[str, list[Approach]]:
    """The approaches of scored images by column; of sequences without hazards, or single images, there are none.

    ``manifest`` is the set's.

    Raises:
        CaosError: If the manifest says something of a sequence that cannot be.
    """
    found = _sequences(dataset, manifest, rows)
    return {column: [_approach(frames, column) for frames in found.values()] for column in columns}


def _sequences(dataset: Dataset, manifest: Manifest, rows: Sequence[ImageRow]) -> dict[str, list[_Frame]]:
    where = dataset.root / "manifest.jsonl"
    found: dict[str, list[_Frame]] = {}
    for row in rows:
        record = manifest.get(row.key, {})
        if "sequence" not in record or not record.get("hazards"):
            continue
        sequence = _read(_SequenceFacts, record["sequence"], f"{where}, {row.key!r}: sequence")
        hazard = _read(_FirstHazard, record["hazards"][0], f"{where}, {row.key!r}: hazards[0]")
        if not sequence.rate_hz > 0:
            raise CaosError(f"{where}, {row.key!r}: rate_hz is {sequence.rate_hz!r}; it must be above 0")
        found.setdefault(sequence.key, []).append(_Frame(row, sequence, hazard, record.get("weather", {})))
    return {key: sorted(own, key=lambda frame: frame.sequence.frame) for key, own in sorted(found.items())}


def _read(kind: type[Any], value: Any, where: str) -> Any:
    """The fields of a record that are known here; the manifest says more."""
    if not isinstance(value, Mapping):
        raise CaosError(f"{where}: {value!r} is not a table")
    return read_record(kind, {key: value[key] for key in kind.__dataclass_fields__ if key in value}, where)


def _approach(frames: Sequence[_Frame], column: str) -> Approach:
    first = frames[0]
    marks = [
        ApproachFrame(f.row.key, f.hazard.nearest_m, f.row.levels[column].mark, f.row.levels[column].alarm)
        for f in frames
    ]
    weather = {name: value for name, value in first.weather.items() if isinstance(value, int | float)}
    water = max(float(weather.get(name, 0)) for name in ("precipitation", "precipitation_deposits", "wetness"))
    altitude = float(weather.get("sun_altitude_angle", np.nan))
    return Approach(
        key=first.sequence.key,
        object=first.hazard.object,
        category=first.hazard.category,
        size_m=max(first.hazard.size_m),
        weather=str(first.weather.get("name", "unknown")),
        hour=part_of_day(altitude) if np.isfinite(altitude) else "unknown",
        wet=water >= WET_PERCENT,
        speed_kmh=first.sequence.speed_kmh,
        rate_hz=first.sequence.rate_hz,
        frames=tuple(marks),
        level=first.hazard.level,
    )
