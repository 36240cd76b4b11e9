r"""Reading ShapeNetSem: ``metadata.csv`` beside the models (Savva et al., Semantically-Enriched 3D Models, 2015).

Columns used: ``fullId`` (``wss.<model>``), ``category`` (one or more, comma-separated), ``up`` and ``front`` (three
numbers, the commas escaped as ``\,``), ``unit`` (metres in one model unit), ``aligned.dims`` (centimetres), ``name``.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from foundation.errors import CaosError
from scenes.importers.folder import Found, slug
from scenes.importers.job import Outcome, Vector

LICENCE = "ShapeNet terms of use (research only)"
UP: Vector = (0.0, 0.0, 1.0)
FRONT: Vector = (0.0, -1.0, 0.0)

# Training class -> categories of ShapeNetSem that show it (or a whole scene). Compared without case, spaces and marks.
OVERLAP: dict[str, tuple[str, ...]] = {
    "car": (
        "Car", "Vehicle", "Truck", "Bus", "Van", "Ambulance", "Taxi", "PoliceCar", "FireTruck", "SUV", "Sedan",
        "SportsCar", "RaceCar", "Pickup", "Motorcycle", "Bicycle", "Scooter", "Train", "Tram", "Trailer",
    ),
    "pedestrian": ("Person", "Human", "Man", "Woman", "Child", "People", "Mannequin"),
    "vegetation": ("Tree", "Plant", "PottedPlant", "Bush", "Shrub", "Flower", "Hedge", "Grass", "Palm"),
    "building": ("Building", "House", "Skyscraper", "Church", "Tower", "Garage", "Shed", "Barn", "Bridge", "Courtyard"),
    "wall": ("Wall", "WallUnit", "RetainingWall"),
    "fence": ("Fence", "Gate", "Railing", "GuardRail", "Barrier"),
    "pole": ("Pole", "StreetLight", "StreetLamp", "LampPost", "Flagpole", "Column", "Pillar"),
    "traffic sign": ("TrafficSign", "TrafficLight", "StopSign", "RoadSign", "Sign", "Billboard"),
    "road": ("Road", "Street"),
    "sidewalk": ("Sidewalk",),
    "other": ("Bench", "TrashBin", "TrashCan", "GarbageCan", "Mailbox", "FireHydrant", "BusStop", "ParkingMeter"),
    "whole scene": ("Room", "Office", "Kitchen", "Bathroom", "Bedroom", "LivingRoom", "Scene"),
}  # fmt: skip


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


_CLASS_OF = {_plain(category): name for name, categories in OVERLAP.items() for category in categories}


def find_in_shapenetsem(root: Path, left_out: Counter[tuple[str, str]]) -> Iterator[Found | Outcome]:
    """Every model of ``metadata.csv`` that overlaps no training class; the others are counted in ``left_out``.

    Raises:
        CaosError: If there is no ``metadata.csv``, or it lacks the columns.
    """
    table = _metadata(root)
    files = {file.stem: file for file in sorted(root.rglob("*.obj"))}
    for row in _rows(table):
        full_id = (row.get("fullId") or "").strip()
        model = full_id.removeprefix("wss.")
        source = f"shapenetsem:{full_id}"
        categories = [c.strip() for c in (row.get("category") or "").split(",") if c.strip(" _*")]
        overlap = next(((_CLASS_OF[_plain(c)], c) for c in categories if _plain(c) in _CLASS_OF), None)
        if overlap is None and model.startswith("room"):
            overlap = ("whole scene", "Room")
        if overlap is not None:
            left_out[overlap] += 1
        elif model not in files:
            yield Outcome(source, reason=f"{model}.obj is missing below {root}")
        else:
            yield _found(files[model], source, model, categories, row)


def _metadata(root: Path) -> Path:
    candidates = [root / "metadata.csv", *sorted(root.glob("*/metadata.csv"))]
    for file in candidates:
        if file.is_file():
            return file
    raise CaosError(f"{root} has no metadata.csv; give the folder of ShapeNetSem, or import with --as folder")


def _rows(table: Path) -> Iterator[dict[str, str]]:
    with table.open(newline="", encoding="utf-8", errors="replace") as stream:
        reader = csv.DictReader(stream, escapechar="\\")
        missing = {"fullId", "category", "up", "front", "unit"} - set(reader.fieldnames or ())
        if missing:
            raise CaosError(f"{table} lacks the columns {', '.join(sorted(missing))}; is it ShapeNetSem's?")
        yield from reader


def _found(file: Path, source: str, model: str, categories: list[str], row: dict[str, str]) -> Found | Outcome:
    try:
        up, front = _vector(row.get("up")) or UP, _vector(row.get("front")) or FRONT
        dims, unit = _vector(row.get("aligned.dims")), _number(row.get("unit"))
    except ValueError as error:
        return Outcome(source, reason=f"its metadata is broken: {error}")
    kind = slug(_words(categories[-1])) if categories else "uncategorised"
    group = slug(_words(categories[0])) if categories else "uncategorised"
    size = max(dims) / 100 if dims and unit is None else None
    return Found(file, source, f"{kind}_{model[:8]}", kind or "object", group or "object", up, front, unit, size)


def _words(category: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", category)


def _number(text: str | None) -> float | None:
    if not text or not text.strip():
        return None
    value = float(text)
    if not 0 < value < 1e6:
        raise ValueError(f"unit {text!r} is not a positive number")
    return value


def _vector(text: str | None) -> Vector | None:
    r"""Three numbers from ``0\,0\,1`` (or with the escapes already gone), or None when the field is empty."""
    if not text or not text.strip():
        return None
    numbers = [float(part) for part in text.replace("\\", "").split(",")]
    if len(numbers) != 3:
        raise ValueError(f"{text!r} is not three numbers")
    return numbers[0], numbers[1], numbers[2]
