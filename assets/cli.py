"""``caos assets``: list, import, check and package the hazard objects.

:mod:`caos.assets_cli` adds ``preview`` and ``cutouts``, which need the renderer.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caos.foundation.command_line.extras import install_command
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Terminal

if TYPE_CHECKING:
    from caos.assets.catalogue.library import Library
    from caos.assets.importing.job import Report

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

LibraryOption = Annotated[
    Path | None,
    typer.Option("--library", help="Folder of imported objects.", show_default="your own, if there is one"),
]
CategoryOption = Annotated[str | None, typer.Option("--category", help="Only this category.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
ObjectsArgument = Annotated[list[str] | None, typer.Argument(help="Names, kinds or categories.", show_default="all")]
MAX_LINES = 20


class ImportKind(str, Enum):
    """Layout of the folder to import."""

    shapenetsem = "shapenetsem"
    folder = "folder"


@app.command("list")
def list_objects(
    category: CategoryOption = None,
    as_json: JsonOption = False,
    folder: LibraryOption = None,
    names: Annotated[bool, typer.Option("--names", help="Print one name per line.")] = False,
) -> None:
    """List the hazard objects.

    \b
    caos assets list                          table of categories and kinds
    caos assets list --category animals --json
    """
    library = open_library(folder)
    chosen = chosen_names(library, [], category)
    if names:
        typer.echo("\n".join(chosen))
        return
    if as_json:
        library.build(Terminal(), chosen)
        typer.echo(json.dumps([asdict(o) for o in library.objects(chosen)], indent=2))
        return
    _print_table(library, chosen)


def open_library(folder: Path | None) -> Library:
    """Open the built-in objects with those imported into ``folder`` (None: the user's library)."""
    from caos.assets.catalogue.library import Library

    return Library.open(folder)


def chosen_names(library: Library, wanted: list[str], category: str | None) -> list[str]:
    """Return the names of the objects that match ``wanted`` (empty: all) and belong to ``category`` (None: any).

    Raises:
        CaosError: If a name, kind or category is unknown.
    """
    from caos.assets.catalogue.selection import choose_hazards
    from caos.foundation.errors import unknown

    names = list(choose_hazards(library, ",".join(wanted))) if wanted else library.names()
    if category is None:
        return names
    known = sorted({library.category_of(name) for name in library.names()})
    if category not in known:
        raise unknown("category", category, known)
    return [name for name in names if library.category_of(name) == category]


def _print_table(library: Library, names: list[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    groups: dict[str, Counter[str]] = {}
    for name in names:
        groups.setdefault(library.category_of(name), Counter())[library.kind_of(name)] += 1
    table = Table("category", "kinds", "objects", "members", box=None, pad_edge=False)
    table.columns[1].justify = table.columns[2].justify = "right"
    for category, kinds in sorted(groups.items()):
        members = ", ".join(f"{kind}×{count}" if count > 1 else kind for kind, count in sorted(kinds.items()))
        table.add_row(category, str(len(kinds)), str(sum(kinds.values())), members)
    table.add_row("all", str(sum(len(k) for k in groups.values())), str(len(names)), "")
    Console(soft_wrap=False, markup=False).print(table)


@app.command("import")
def import_command(
    path: Annotated[Path, typer.Argument(help="A folder or a zip archive of meshes (OBJ PLY STL OFF glTF GLB).")],
    kind: Annotated[ImportKind, typer.Option("--as", help="How the folder is organised.")] = ImportKind.folder,
    folder: LibraryOption = None,
    unit: Annotated[
        str | None, typer.Option(help="Unit of the files: m, cm, mm, in, ft, or its length in metres.")
    ] = None,
    size: Annotated[float | None, typer.Option(min=0.05, max=20, help="Longest side of each object, metres.")] = None,
    up: Annotated[
        str | None, typer.Option(help="Axis that points up: x, y or z.", show_default="the format's convention")
    ] = None,
    licence: Annotated[str | None, typer.Option(help="Licence, recorded with every object.")] = None,
    category: Annotated[str | None, typer.Option(help="Category of all objects.")] = None,
    triangles: Annotated[
        int, typer.Option(min=100, max=200_000, help="Largest number of triangles per object.")
    ] = 15_000,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after this many objects.")] = None,
    allow_known: Annotated[
        bool, typer.Option("--allow-known", help="Also import objects of ordinary streets: cars, benches, bags.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Import meshes into a library. An unusable mesh is skipped with the reason and does not stop the import.

    Objects that are common on ordinary streets are not hazards: they are left out by category or name (see
    --allow-known).

    \b
    caos assets import ShapeNetSem --as shapenetsem
    caos assets import my_meshes --unit cm --licence CC-BY-4.0
    caos assets import scans.zip --size 1.2 --library props
    """
    from caos.assets.catalogue.library import user_library
    from caos.assets.importing.importer import ImportOptions, import_objects
    from caos.foundation.command_line.extras import require_extra

    require_extra("meshes")  # the child process imports it; check before it starts

    folder = folder or user_library()
    options = ImportOptions(licence, unit, size, up, category, triangles, limit, allow_known)
    report = import_objects(path, kind.value, folder, options, Terminal())
    if as_json:
        typer.echo(json.dumps(report.as_json(), indent=2))
        return
    _print_report(report, folder)


def _print_report(report: Report, folder: Path) -> None:
    typer.echo(f"{len(report.imported)} objects imported into {folder}")
    _print_left_out(report, folder)
    for title, rows in (("not usable", report.set_aside), ("notes", report.notes)):
        if rows:
            typer.echo(f"{len(rows)} {title}:")
            for source, text in rows[:MAX_LINES]:
                typer.echo(f"  {source}: {text}")
            if len(rows) > MAX_LINES:
                typer.echo(f"  ... {len(rows) - MAX_LINES} more in {folder / 'import-report.json'}")


def _print_left_out(report: Report, folder: Path) -> None:
    """Print what was left out: name, count and the street object that the name stands for."""
    from caos.assets.street.contents import clash

    if not report.left_out:
        return
    typer.echo(f"{report.left_out.total()} left out as objects of ordinary streets (--allow-known imports them):")
    for (training_class, name), count in report.left_out.most_common(MAX_LINES):
        thing = clash(name)
        reason = "a whole scene" if thing is None else f"{thing.name}, class {training_class}"
        typer.echo(f"  {name} {count}: {reason}")
    if len(report.left_out) > MAX_LINES:
        typer.echo(f"  ... {len(report.left_out) - MAX_LINES} more in {folder / 'import-report.json'}")


@app.command()
def check(folder: LibraryOption = None, as_json: JsonOption = False) -> None:
    """Check that every object matches its recorded hash, has a plausible size and rests on z = 0 (else exit code 1)."""
    from caos.assets.importing.checking import check_objects

    library, terminal = open_library(folder), Terminal()
    library.build(terminal)
    problems = check_objects(library, terminal)
    count = len(library.names())
    if as_json:
        rows = [{"name": name, "problem": problem} for name, problem in problems]
        typer.echo(json.dumps({"objects": count, "problems": rows}, indent=2))
    else:
        for name, problem in problems:
            typer.echo(f"{name}: {problem}")
        typer.echo(f"{count} objects checked, {len(problems)} problems")
    if problems:
        raise typer.Exit(1)


@app.command()
def package(
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.")],
    objects: ObjectsArgument = None,
    folder: LibraryOption = None,
    name: Annotated[str, typer.Option(help="Name of the package.")] = "caos_hazards",
    tag: Annotated[str, typer.Option(help="Semantic tag in CARLA: Dynamic, Static or Other.")] = "Dynamic",
) -> None:
    """Write the objects as a package for a CARLA server built from source.

    \b
    caos assets package --out Import
    caos assets package sofa cow --out Import

    Copy the package to the Import folder of CARLA's source tree and run its make import.
    """
    from caos.assets.importing.carla_package import write_package
    from caos.assets.importing.folder import slug

    if slug(name) != name:
        raise CaosError(f"package name {name!r} is not valid; use lower-case letters, digits and _")
    library, terminal = open_library(folder), Terminal()
    names = chosen_names(library, objects or [], None)
    written = write_package(library, names, out, package=name, tag=tag, progress=terminal)
    typer.echo(f"{written.props} props: {written.folder}")
    if not written.fbx:
        typer.echo(f"the meshes are OBJ, but CARLA's import reads FBX; to write FBX: {install_command('fbx')}")
