"""Import of a folder or archive of meshes into a library, with a report."""

from __future__ import annotations

import contextlib
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.object_file import HazardObject, read_index, write_index
from caos.assets.catalogue.stock_props import STOCK_HAZARDS
from caos.assets.importing import shapenetsem
from caos.assets.importing.archive import unpack
from caos.assets.importing.folder import FoundMesh, find_in_folder, slug
from caos.assets.importing.job import ImportJob, Outcome, Report, Vector
from caos.assets.importing.ordinary_objects import OrdinaryObjectFilter
from caos.assets.importing.worker import Worker
from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.claims import locked
from caos.foundation.storage.files import real_path, write_json
from caos.foundation.storage.identity import digest_of

KINDS = ("folder", "shapenetsem")
UNITS_M = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
SMALLEST_UNIT_M, LARGEST_UNIT_M = 1e-6, 1e4
AXES: dict[str, Vector] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class ImportOptions:
    """Settings of an import; they override the metadata of the collection.

    Attributes:
        licence: Licence of the meshes; None for that of the collection, or ``unknown``.
        unit: A name in ``UNITS_M``, or the number of metres in one unit.
        size_m: Length of the longest side of every object, metres.
        up: Up axis, a name in ``AXES``.
        category: Category of all objects.
        budget: Largest number of triangles per object.
        limit: Largest number of objects to import.
        allow_known: Whether to import objects of ordinary streets, too.
    """

    licence: str | None = None
    unit: str | None = None
    size_m: float | None = None
    up: str | None = None
    category: str | None = None
    budget: int = 15_000
    limit: int | None = None
    allow_known: bool = False

    def unit_m(self) -> float | None:
        """Metres in one unit of the files, or None if not given.

        Raises:
            CaosError: If the unit is neither a known name nor a positive number.
        """
        if self.unit is None:
            return None
        if self.unit in UNITS_M:
            return UNITS_M[self.unit]
        try:
            value = float(self.unit)
        except ValueError:
            raise unknown("unit", self.unit, UNITS_M) from None
        if not SMALLEST_UNIT_M <= value <= LARGEST_UNIT_M:
            raise CaosError(
                f"unit is {self.unit}; it must be from {SMALLEST_UNIT_M:g} to {LARGEST_UNIT_M:g}: metres in one unit "
                "of the file"
            )
        return value


def import_objects(
    path: Path,
    kind: str,
    library: Path,
    options: ImportOptions,
    progress: Progress = SILENT,
    *,
    worker: Worker | None = None,
) -> Report:
    """Import meshes into a library folder and write ``import-report.json`` there.

    Args:
        path: Folder or zip archive of meshes.
        kind: Layout of the folder, one of ``KINDS``.
        library: Folder of the library; created if missing.
        options: Settings of the import.
        progress: Where progress is reported.
        worker: Running child process to use; None starts one for this import.

    Raises:
        CaosError: If ``path`` or ``kind`` is not usable. An unusable mesh is reported instead.
    """
    if kind not in KINDS:
        raise unknown("kind of import", kind, KINDS)
    if options.up is not None and options.up not in AXES:
        raise unknown("up axis", options.up, AXES)
    options.unit_m()
    report = Report()
    with _opened(path, report) as root:
        find = find_in_folder if kind == "folder" else shapenetsem.find_in_shapenetsem
        found = find(root, OrdinaryObjectFilter(report, options.allow_known))
        licence = options.licence or (shapenetsem.LICENCE if kind == "shapenetsem" else "unknown")
        origin = digest_of(str(real_path(path)))
        with locked(library, "library"), contextlib.nullcontext(worker) if worker else Worker() as child:
            chosen = replace(options, licence=licence)
            _import_all(list(found), root, library, chosen, report, child, progress, origin=origin)
            write_json(library / "import-report.json", {"path": str(path), "as": kind, **report.as_json()})
    return report


@contextlib.contextmanager
def _opened(path: Path, report: Report) -> Iterator[Path]:
    """Folder to import from; a zip archive is extracted to a temporary folder."""
    if path.is_dir():
        yield real_path(path)
    elif path.is_file() and zipfile.is_zipfile(path):
        with tempfile.TemporaryDirectory(prefix="caos-import-") as folder:
            report.set_aside += unpack(path, Path(folder))
            yield real_path(folder)
    else:
        raise CaosError(f"{path} is neither a folder nor a zip archive; give one that holds meshes")


def _import_all(
    items: list[FoundMesh | Outcome],
    root: Path,
    library: Path,
    options: ImportOptions,
    report: Report,
    worker: Worker,
    progress: Progress,
    *,
    origin: str,
) -> None:
    known = {_identity(o): o for o in (read_index(library) if (library / "index.json").exists() else [])}
    taken = {o.name for o in known.values()} | set(Library({}, library).names()) | set(STOCK_HAZARDS)
    with progress.task("importing", len(items)) as task:
        for item in items:
            if options.limit is not None and len(report.imported) >= options.limit:
                break
            outcome = item if isinstance(item, Outcome) else None
            if isinstance(item, FoundMesh):
                name = _name(item, known, taken, origin)
                outcome = worker.run(replace(_job(item, root, library, name, options), origin=origin))
            assert outcome is not None
            report.add(outcome)
            if outcome.info is not None:
                taken.add(outcome.info.name)
                known.pop(("", outcome.source), None)
                known[_identity(outcome.info)] = outcome.info
            task.advance(note=outcome.source)
    write_index(library, known.values())


def _identity(info: HazardObject) -> tuple[str, str]:
    """Key by which a repeated import recognises an object; equal paths in two import folders are two objects."""
    return info.origin, info.source


def _name(item: FoundMesh, known: dict[tuple[str, str], HazardObject], taken: set[str], origin: str) -> str:
    """Name that the same source had in an earlier import, or a new unique one."""
    before = known.get((origin, item.source)) or known.get(("", item.source))
    if before is not None:
        return before.name
    base = slug(item.stem) or item.kind
    if base not in taken:
        return base
    return next(f"{base}_{k}" for k in range(2, 10**9) if f"{base}_{k}" not in taken)


def _job(item: FoundMesh, root: Path, library: Path, name: str, options: ImportOptions) -> ImportJob:
    unit = options.unit_m()
    return ImportJob(
        file=str(item.file),
        root=str(root),
        out=str(real_path(library / "meshes" / f"{name}.npz")),
        name=name,
        kind=item.kind,
        category=slug(options.category) if options.category else item.category,
        source=item.source,
        licence=options.licence or "unknown",
        up=AXES[options.up] if options.up else item.up,
        front=item.front,
        unit_m=item.unit_m if unit is None else unit,
        size_m=options.size_m if options.size_m is not None else (item.size_m if unit is None else None),
        budget=options.budget,
    )
