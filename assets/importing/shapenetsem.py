r"""Reader of ShapeNetSem: ``metadata.csv`` beside the models (Savva et al., Semantically-Enriched 3D Models, 2015).

Columns used: ``fullId`` (``wss.<model>``), ``category`` (one or more, comma-separated), ``up`` and ``front`` (three
numbers, the commas escaped as ``\,``), ``unit`` (metres in one model unit), ``aligned.dims`` (centimetres), ``name``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from caos.assets.importing.folder import FoundMesh, slug
from caos.assets.importing.job import Outcome, Vector
from caos.assets.importing.ordinary_objects import OrdinaryObjectFilter
from caos.foundation.errors import CaosError
from caos.foundation.storage.files import paths_below

LICENCE = "ShapeNet terms of use (research only)"
UP: Vector = (0.0, 0.0, 1.0)
FRONT: Vector = (0.0, -1.0, 0.0)

WHOLE_SCENES = ("room", "office", "kitchen", "bathroom", "bedroom", "livingroom", "scene")
"""Categories of whole scenes rather than single objects (letters and digits, lower case)."""


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def find_in_shapenetsem(root: Path, known: OrdinaryObjectFilter) -> Iterator[FoundMesh | Outcome]:
    """Yield the models of ``metadata.csv``; skip whole scenes and objects of ordinary streets, which ``known`` counts.

    Raises:
        CaosError: If there is no ``metadata.csv``, it is not a CSV table, or it lacks columns.
    """
    table = _metadata(root)
    files: dict[str, list[Path]] = {}
    for file in sorted(paths_below(root, "*.obj")):
        files.setdefault(file.stem, []).append(file)
    for row in _rows(table):
        full_id = (row.get("fullId") or "").strip()
        model = full_id.removeprefix("wss.")
        source = f"shapenetsem:{full_id}"
        categories = [c.strip() for c in (row.get("category") or "").split(",") if c.strip(" _*")]
        scene = _scene(model, categories)
        if scene is not None:
            known.report.left_out["whole scene", scene] += 1
        elif known.excludes(source, categories):
            continue
        elif model not in files:
            yield Outcome(source, reason=f"{model}.obj is missing below {root}")
        elif len(files[model]) > 1:
            yield Outcome(source, reason=f"is in two files, {files[model][0]} and {files[model][1]}")
        else:
            yield _found(files[model][0], source, model, categories, row)


def _scene(model: str, categories: list[str]) -> str | None:
    named = next((category for category in categories if _plain(category) in WHOLE_SCENES), None)
    return named or ("Room" if model.startswith("room") else None)


def _metadata(root: Path) -> Path:
    candidates = [root / "metadata.csv", *sorted(root.glob("*/metadata.csv"))]
    for file in candidates:
        if file.is_file():
            return file
    raise CaosError(f"{root} has no metadata.csv; give the folder of ShapeNetSem, or import with --as folder")


def _rows(table: Path) -> Iterator[dict[str, str]]:
    with table.open(newline="", encoding="utf-8-sig", errors="replace") as stream:
        reader = csv.DictReader(stream, escapechar="\\")
        try:
            missing = {"fullId", "category", "up", "front", "unit"} - set(reader.fieldnames or ())
            if missing:
                raise CaosError(f"{table} lacks the columns {', '.join(sorted(missing))}; import with --as folder")
            yield from reader
        except csv.Error as error:
            raise CaosError(f"{table}, line {reader.line_num}, is not a CSV row: {error}") from error


def _found(file: Path, source: str, model: str, categories: list[str], row: dict[str, str]) -> FoundMesh | Outcome:
    try:
        up, front = _vector(row.get("up")) or UP, _vector(row.get("front")) or FRONT
        dims, unit = _vector(row.get("aligned.dims")), _number(row.get("unit"))
    except ValueError as error:
        return Outcome(source, reason=f"its metadata is broken: {error}")
    kind = slug(_words(categories[-1])) if categories else "uncategorised"
    group = slug(_words(categories[0])) if categories else "uncategorised"
    size = max(dims) / 100 if dims and unit is None else None
    return FoundMesh(file, source, f"{kind}_{model[:8]}", kind or "object", group or "object", up, front, unit, size)


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
    r"""Parse three numbers such as ``0\,0\,1`` (with or without backslashes), or None for an empty field."""
    if not text or not text.strip():
        return None
    numbers = [float(part) for part in text.replace("\\", "").split(",")]
    if len(numbers) != 3:
        raise ValueError(f"{text!r} is not three numbers")
    return numbers[0], numbers[1], numbers[2]
