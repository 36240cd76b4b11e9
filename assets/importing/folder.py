"""Search of a folder for mesh files: the parent folder's name is the kind, the file name the object's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from caos.assets.importing.job import FORMATS, Outcome, Vector
from caos.assets.importing.ordinary_objects import OrdinaryObjectFilter
from caos.foundation.storage.files import paths_below


@dataclass(frozen=True)
class FoundMesh:
    """Mesh file with the metadata of its collection (see :class:`caos.assets.importing.job.ImportJob`)."""

    file: Path
    source: str
    stem: str
    kind: str
    category: str
    up: Vector | None = None
    front: Vector | None = None
    unit_m: float | None = None
    size_m: float | None = None


def find_in_folder(root: Path, known: OrdinaryObjectFilter) -> Iterator[FoundMesh | Outcome]:
    """Yield the mesh files below ``root`` in sorted order, without objects of ordinary streets."""
    for file in sorted(paths_below(root)):
        if file.suffix.lower() not in FORMATS or file.is_dir():
            continue
        where = file.relative_to(root)
        source = f"folder:{where.as_posix()}"
        if not file.is_file():
            yield Outcome(source, reason="is not a file" if file.exists() else "is a broken link")
            continue
        group = where.parts[-2] if len(where.parts) > 1 else file.stem
        if known.excludes(source, list(dict.fromkeys((group, file.stem)))):
            continue
        yield FoundMesh(file, source, file.stem, slug(group) or "object", "imported")


def slug(text: str) -> str:
    """Convert to lower-case letters, digits and underscores, starting with a letter: valid in a CARLA name.

    >>> slug("Old Chair (2)")
    'old_chair_2'
    >>> slug("3D-Print")
    'x3d_print'
    """
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:48].strip("_")
    return f"x{name}" if name[:1].isdigit() else name
