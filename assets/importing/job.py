"""Import jobs and their outcomes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caos.assets.catalogue.object_file import HazardObject
from caos.foundation.storage.files import real_path

Vector = tuple[float, float, float]
FORMATS = (".obj", ".ply", ".stl", ".off", ".gltf", ".glb")


class UnusableMeshError(Exception):
    """Raised for a mesh that cannot be imported; the message is the reason."""


@dataclass(frozen=True)
class ImportJob:
    """One mesh file with its metadata and the settings of its import.

    Attributes:
        file: Path of the mesh.
        root: The import folder; nothing outside it is read.
        out: Path of the object file to write.
        name: Name of the object.
        kind: Kind of the object, such as ``sofa``.
        category: Group of kinds.
        source: Kind of import and path or id within it.
        licence: Licence of the mesh.
        up: Up direction in the file's axes; None for the format's convention.
        front: Front direction in the file's axes; None for the format's convention.
        unit_m: Metres in one unit of the file; None if unknown.
        size_m: Wanted length of the longest side, metres; overrides the unit.
        budget: Largest number of triangles to keep.
        origin: Hash of the path of the import folder or archive.
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
    """Result of one job: the record of the object, or the reason why it is unusable; and notes for the user."""

    source: str
    info: HazardObject | None = None
    reason: str | None = None
    notes: list[str] = field(default_factory=list)


@dataclass
class Report:
    """Report of an import.

    Attributes:
        imported: Names of the objects now in the library.
        set_aside: Source and reason of every mesh that could not be used.
        left_out: Number of models left out on purpose, by the training class they show and their category or name.
        notes: Source and note, such as a guessed size, a missing texture, decimation.
    """

    imported: list[str] = field(default_factory=list)
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Add one outcome."""
        if outcome.info is not None:
            self.imported.append(outcome.info.name)
        if outcome.reason is not None:
            self.set_aside.append((outcome.source, outcome.reason))
        self.notes += [(outcome.source, note) for note in outcome.notes]

    def as_json(self) -> dict[str, Any]:
        """Return the report as a JSON-serialisable dict."""
        return {
            "imported": sorted(self.imported),
            "set_aside": [{"source": s, "reason": r} for s, r in sorted(self.set_aside)],
            "left_out": [
                {"training_class": c, "category": k, "count": n} for (c, k), n in sorted(self.left_out.items())
            ],
            "notes": [{"source": s, "note": n} for s, n in sorted(self.notes)],
        }


def inside(path: Path, root: Path) -> bool:
    """Whether the path, with symbolic links resolved, lies in the folder ``root``."""
    return real_path(path).is_relative_to(real_path(root))
