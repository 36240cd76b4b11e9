"""Import jobs: what is to be imported, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caos.assets.catalogue.object_file import HazardObject
from caos.foundation.files import real_path

Vector = tuple[float, float, float]
FORMATS = (".obj", ".ply", ".stl", ".off", ".gltf", ".glb")


class SetAsideError(Exception):
    """The mesh cannot be used; the text says why."""


@dataclass(frozen=True)
class ImportJob:
    """One mesh file and what is known about it.

    Attributes:
        file: The mesh.
        root: The import folder; nothing outside it is read.
        out: The object file to write.
        name: Name of the object, and
        kind: what it is, and
        category: its group, and
        source: where it came from, and
        licence: under which terms.
        up: Direction that points up in the file's axes; None takes the format's custom.
        front: Direction its front faces; None takes the format's custom.
        unit_m: Metres in one unit of the file; None when unknown.
        size_m: Length its longest side shall have; overrides the unit.
        budget: Most triangles it may keep.
        origin: A hash of what it is imported from.
    """

    file: str
    root: str
    out: str
    name: str
    kind: str
    category: str
    source: str
    licence: str
    up: Vector | None = None
    front: Vector | None = None
    unit_m: float | None = None
    size_m: float | None = None
    budget: int = 15_000
    origin: str = ""


@dataclass
class Outcome:
    """What became of one job: a record, or the reason it was set aside; and what the user should know."""

    source: str
    info: HazardObject | None = None
    reason: str | None = None
    notes: list[str] = field(default_factory=list)


@dataclass
class Report:
    """What an import did.

    Attributes:
        imported: Names of the objects now in the library.
        set_aside: Source and reason of every mesh that could not be used.
        left_out: Number of models left out on purpose, by the training class they show and their category or name.
        notes: Source and remark: guessed sizes, textures left out, decimation.
    """

    imported: list[str] = field(default_factory=list)
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        if outcome.info is not None:
            self.imported.append(outcome.info.name)
        if outcome.reason is not None:
            self.set_aside.append((outcome.source, outcome.reason))
        self.notes += [(outcome.source, note) for note in outcome.notes]

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "imported": sorted(self.imported),
            "set_aside": [{"source": s, "reason": r} for s, r in sorted(self.set_aside)],
            "left_out": [
                {"training_class": c, "category": k, "count": n} for (c, k), n in sorted(self.left_out.items())
            ],
            "notes": [{"source": s, "note": n} for s, n in sorted(self.notes)],
        }


def inside(path: Path, root: Path) -> bool:
    """Whether the path, all links followed, lies in the folder ``root``."""
    return real_path(path).is_relative_to(real_path(root))
