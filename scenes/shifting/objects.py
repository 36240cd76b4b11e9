"""Objects made for a shift: those that a set shows as hazards, resized or in another rendition, as a library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from caos.assets.catalogue.library import Library
from caos.assets.catalogue.object_file import HazardObject, describe, read_index, read_mesh, write_index, write_object
from caos.assets.mesh import Mesh
from caos.scenes.shifting.attribute import attribute_of
from caos.scenes.shifting.change import Change
from caos.scenes.shifting.renditions import RENDITIONS, resized

FOLDER: Final = "library"
SIZE: Final = "hazard.size"


def changes_objects(changes: Sequence[Change]) -> bool:
    """Whether a shift needs objects of its own."""
    return any(attribute_of(change).object_suffix is not None for change in changes)


def shifted_library(root: Path, names: Iterable[str], changes: Sequence[Change], given: Path | None) -> Path:
    """The folder of the objects of a shift, below the set's: each in the forms that the changes give it.

    Args:
        root: Folder of the shifted set.
        names: Objects of the set.
        changes: Of the shift; those of objects build on each other.
        given: Library of imported objects, whose objects the folder holds too.
    """
    library, folder = Library.open(given), root / FOLDER
    imported = set(library.names("imported"))
    records: list[HazardObject] = []

    def keep(info: HazardObject, mesh: Mesh) -> None:
        write_object(folder / "meshes" / f"{info.name}.npz", info, mesh)
        records.append(info)

    for name in sorted(imported):
        keep(library.info(name), library.mesh(name))
    for name in sorted(set(names)):
        info, mesh, form = library.info(name), library.mesh(name), name
        for change in changes:
            suffix = attribute_of(change).object_suffix
            if suffix is None:
                continue
            mesh = resized(mesh, change.value()) if change.attribute == SIZE else RENDITIONS[change.text](mesh)
            form += suffix(change)
            keep(
                *describe(
                    mesh,
                    name=form,
                    kind=info.kind,
                    category=info.category,
                    source=f"{info.source}: {name}, {change}",
                    licence=info.licence,
                    poses=info.poses,
                )
            )
    write_index(folder, records)
    return folder


def joined_library(folders: Sequence[Path]) -> Path:
    """One library of several shifts' objects, beside their sets."""
    joined = folders[0].parent.parent / FOLDER
    records: dict[str, HazardObject] = {}
    for folder in folders:
        for info in read_index(folder):
            if info.name not in records:
                file = f"meshes/{info.name}.npz"
                write_object(joined / file, info, read_mesh(folder / file))
                records[info.name] = info
    write_index(joined, records.values())
    return joined
