"""``caos assets``: list, look at, import, check and package the hazard objects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caos.foundation.errors import CaosError
from caos.foundation.progress import Terminal

if TYPE_CHECKING:
    from caos.assets.catalogue.library import Library
    from caos.assets.importing.job import Report
    from caos.assets.mesh import Mesh
    from caos.foundation.progress import Task

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

Shelf = Annotated[
    Path | None, typer.Option("--library", help="Folder of imported objects.", show_default="your own, if there is one")
]
Category = Annotated[str | None, typer.Option("--category", help="Only this category.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
MAX_LINES = 20


class ImportKind(str, Enum):
    """What is imported."""

    shapenetsem = "shapenetsem"
    folder = "folder"


class KindsHalf(str, Enum):
    """Which kinds of objects are taken."""

    all = "all"
    exposure = "exposure"
    test = "test"


@app.command("list")
def list_objects(
    category: Category = None,
    as_json: Json = False,
    library: Shelf = None,
    names: Annotated[bool, typer.Option("--names", help="Print one name per line.")] = False,
) -> None:
    """Show what can be placed on a road.

    \b
    caos assets list                          a table of categories and kinds
    caos assets list --category animals --json
    """
    shelf = _open(library)
    chosen = _chosen(shelf, [], category)
    if names:
        typer.echo("\n".join(chosen))
        return
    if as_json:
        shelf.build(Terminal(), chosen)
        typer.echo(json.dumps([asdict(o) for o in shelf.objects(chosen)], indent=2))
        return
    _print_table(shelf, chosen)


def _open(library: Path | None) -> Library:
    from caos.assets.catalogue.library import Library

    return Library.open(library)


def _chosen(shelf: Library, wanted: list[str], category: str | None) -> list[str]:
    from caos.assets.catalogue.selection import choose_hazards
    from caos.foundation.errors import unknown

    names = list(choose_hazards(shelf, ",".join(wanted))) if wanted else shelf.names()
    if category is None:
        return names
    known = sorted({shelf.category_of(name) for name in shelf.names()})
    if category not in known:
        raise unknown("category", category, known)
    return [name for name in names if shelf.category_of(name) == category]


def _print_table(shelf: Library, names: list[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    groups: dict[str, Counter[str]] = {}
    for name in names:
        groups.setdefault(shelf.category_of(name), Counter())[shelf.kind_of(name)] += 1
    table = Table("category", "kinds", "objects", "members", box=None, pad_edge=False)
    table.columns[1].justify = table.columns[2].justify = "right"
    for category, kinds in sorted(groups.items()):
        members = ", ".join(f"{kind}×{count}" if count > 1 else kind for kind, count in sorted(kinds.items()))
        table.add_row(category, str(len(kinds)), str(sum(kinds.values())), members)
    table.add_row("all", str(sum(len(k) for k in groups.values())), str(len(names)), "")
    Console(soft_wrap=False, markup=False).print(table)


class _Shown(Mapping[str, "Mesh"]):
    """Meshes by name, read when they are drawn, which is counted."""

    def __init__(self, shelf: Library, names: list[str], task: Task) -> None:
        self._shelf, self._names, self._task = shelf, names, task

    def __getitem__(self, name: str) -> Mesh:
        self._task.advance(note=name)
        object_name, _, open_share = name.partition(" open ")
        return self._shelf.mesh(object_name, 1.0, float(open_share) if open_share else None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@app.command()
def preview(
    objects: Annotated[list[str] | None, typer.Argument(help="Names, kinds or categories.", show_default="all")] = None,
    out: Annotated[Path, typer.Option("--out", help="PNG file to write.")] = Path("sheet.png"),
    category: Category = None,
    library: Shelf = None,
    columns: Annotated[int, typer.Option(min=1, max=40, help="Pictures per row.")] = 10,
    cell: Annotated[int, typer.Option(min=48, max=1024, help="Size of each picture, pixels.")] = 160,
    opening: Annotated[
        bool, typer.Option("--opening", help="Show objects that open: closed, half open, open.")
    ] = False,
) -> None:
    """Render a contact sheet of the objects.

    \b
    caos assets preview --out all.png
    caos assets preview sofa cow_01 boats_aircraft --out some.png --columns 6
    caos assets preview fridge umbrella --opening --columns 6 --out opening.png
    """
    from caos.foundation.files import check_ending
    from caos.simulator.embedded.render.preview import contact_sheet

    check_ending(out, ".png")
    shelf, terminal = _open(library), Terminal()
    names = _chosen(shelf, objects or [], category)
    shelf.build(terminal, names)
    if opening:
        names = _opening(shelf, names)
    with terminal.task("rendering", len(names)) as task:
        file = contact_sheet(_Shown(shelf, names, task), out, min(columns, len(names)), cell)
    typer.echo(f"{len(names)} {'pictures' if opening else 'objects'}: {file}")


def _opening(shelf: Library, names: list[str]) -> list[str]:
    """Three pictures of each object that opens."""
    opens = [name for name in names if shelf.opens(name)]
    if not opens:
        raise CaosError(f"none of {len(names)} objects opens: their meshes have no hinges")
    return [f"{name} open {share}" for name in opens for share in ("0", "0.5", "1")]


@app.command()
def cutouts(
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.")],
    objects: Annotated[list[str] | None, typer.Argument(help="Names, kinds or categories.", show_default="all")] = None,
    library: Shelf = None,
    kinds: Annotated[
        KindsHalf, typer.Option(help="Only the kinds for training (exposure), or those for testing (test).")
    ] = KindsHalf.all,
    share: Annotated[
        float | None,
        typer.Option(help="Share of the kinds that is for training.", show_default="that of recipes"),
    ] = None,
    split_seed: Annotated[int, typer.Option(min=0, help="Seed of the split between training and testing.")] = 0,
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="How many objects, from as many kinds as possible.")
    ] = None,
    views: Annotated[int, typer.Option(help="Pictures per object.")] = 1,
    size: Annotated[int, typer.Option(help="Longer side of a picture, pixels.")] = 256,
    seed: Annotated[int, typer.Option(help="Seed of the views and the light.")] = 0,
    pictures: Annotated[
        Path | None, typer.Option("--from", help="Cut out from this folder's pictures and masks, not from objects.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing cut-outs at --out.")] = False,
) -> None:
    """Cut out objects, with transparent background, to paste them into training pictures (caos train --paste).

    Objects are rendered alone, each from a different side and in different light. If interrupted, run it again.

    \b
    caos assets cutouts --out cuts --kinds exposure --n 200
    caos assets cutouts sofa animals --out cuts --views 4
    caos assets cutouts --from photos --out cuts

    Pictures of --from are NAME.png with alpha, or NAME.jpg with NAME_mask.png.
    """
    terminal = Terminal()
    if pictures is not None:
        from caos.assets.cutout_folders.masked_images import cut_pictures

        if objects or library or n is not None or kinds is not KindsHalf.all:
            raise CaosError("--from takes all pictures of a folder; leave out the objects")
        index = cut_pictures(pictures, out, overwrite=overwrite, progress=terminal)
    else:
        from caos.simulator.embedded.render.cutouts import CutoutOptions, render_cutouts

        shelf, options = _open(library), CutoutOptions(views, size, seed)
        names = _of_kinds(shelf, _chosen(shelf, objects or [], None), kinds, split_seed, share, n)
        index = render_cutouts(shelf, names, out, options, overwrite=overwrite, progress=terminal)
    typer.echo(f"{len(index.cutouts)} cut-outs of {len(index.kinds)} kinds: {out}")


def _of_kinds(
    shelf: Library, chosen: list[str], half: KindsHalf, seed: int, share: float | None, number: int | None
) -> list[str]:
    """Those of the chosen objects that are on one side of the library's kinds, at most ``number``, kind after kind."""
    from caos.assets.catalogue.library import EXPOSURE_SHARE, split_kinds

    if half is not KindsHalf.all:
        divided = split_kinds(shelf, seed, EXPOSURE_SHARE if share is None else share)
        sides = dict(zip((KindsHalf.exposure, KindsHalf.test), divided, strict=True))
        allowed = set(sides[half])
        chosen = [name for name in chosen if name in allowed]
    if not chosen:
        raise CaosError(f"no chosen object belongs to the {half.value} kinds; choose others, or --kinds all")
    turns: Counter[str] = Counter()
    ranked: list[tuple[int, int, str]] = []
    for name in chosen:
        ranked.append((turns[shelf.kind_of(name)], len(ranked), name))
        turns[shelf.kind_of(name)] += 1
    return [name for _, _, name in sorted(ranked)[:number]]


@app.command("import")
def import_command(
    path: Annotated[Path, typer.Argument(help="A folder or a zip archive of meshes (OBJ PLY STL OFF glTF GLB).")],
    kind: Annotated[ImportKind, typer.Option("--as", help="How the folder is organised.")] = ImportKind.folder,
    library: Shelf = None,
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
        bool, typer.Option("--allow-known", help="Also import what ordinary streets show: cars, benches, bags.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Import meshes into a library. A bad mesh is set aside with the reason and does not stop the import.

    Things that ordinary streets show are not hazards: they are left out by category or name (see --allow-known).

    \b
    caos assets import ShapeNetSem --as shapenetsem
    caos assets import my_meshes --unit cm --licence CC-BY-4.0
    caos assets import scans.zip --size 1.2 --library props
    """
    from caos.assets.catalogue.library import user_library
    from caos.assets.importing.importer import ImportOptions, import_objects
    from caos.foundation.extras import require_extra

    require_extra("meshes")  # which a child process uses

    shelf = library or user_library()
    options = ImportOptions(licence, unit, size, up, category, triangles, limit, allow_known)
    report = import_objects(path, kind.value, shelf, options, Terminal())
    if as_json:
        typer.echo(json.dumps(report.as_json(), indent=2))
        return
    _print_report(report, shelf)


def _print_report(report: Report, shelf: Path) -> None:
    typer.echo(f"{len(report.imported)} objects imported into {shelf}")
    _print_left_out(report, shelf)
    for title, rows in (("set aside", report.set_aside), ("notes", report.notes)):
        if rows:
            typer.echo(f"{len(rows)} {title}:")
            for source, text in rows[:MAX_LINES]:
                typer.echo(f"  {source}: {text}")
            if len(rows) > MAX_LINES:
                typer.echo(f"  ... {len(rows) - MAX_LINES} more in {shelf / 'import-report.json'}")


def _print_left_out(report: Report, shelf: Path) -> None:
    """Warn of what was left out: how many of which name, and what on a street they would be."""
    from caos.assets.street.contents import clash

    if not report.left_out:
        return
    typer.echo(f"{report.left_out.total()} left out: ordinary streets show them (--allow-known imports them):")
    for (training_class, name), count in report.left_out.most_common(MAX_LINES):
        thing = clash(name)
        told = "a whole scene" if thing is None else f"streets show it: {thing.name}, class {training_class}"
        typer.echo(f"  {name} {count}: {told}")
    if len(report.left_out) > MAX_LINES:
        typer.echo(f"  ... {len(report.left_out) - MAX_LINES} more in {shelf / 'import-report.json'}")


@app.command()
def check(library: Shelf = None, as_json: Json = False) -> None:
    """Check that every object matches its record, has a sane size and stands on the floor. Exit code 1 if not."""
    from caos.assets.importing.checking import check_objects

    shelf, terminal = _open(library), Terminal()
    shelf.build(terminal)
    problems = check_objects(shelf, terminal)
    count = len(shelf.names())
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
    objects: Annotated[list[str] | None, typer.Argument(help="Names, kinds or categories.", show_default="all")] = None,
    library: Shelf = None,
    name: Annotated[str, typer.Option(help="Name of the package.")] = "caos_hazards",
    tag: Annotated[str, typer.Option(help="Semantic tag in CARLA: Dynamic, Static or Other.")] = "Dynamic",
) -> None:
    """Write the objects as a package for a real CARLA (its `make import`).

    \b
    caos assets package --out Import
    caos assets package sofa cow --out Import

    Then run make import in a CARLA built from source.
    """
    from caos.assets.importing.carla_package import write_package
    from caos.assets.importing.folder import slug

    if slug(name) != name:
        raise CaosError(f"package name {name!r} is not valid; use lower-case letters, digits and _")
    shelf, terminal = _open(library), Terminal()
    names = _chosen(shelf, objects or [], None)
    written = write_package(shelf, names, out, package=name, tag=tag, progress=terminal)
    typer.echo(f"{written.props} props: {written.folder}")
    if not written.fbx:
        typer.echo("meshes are OBJ: CARLA's import takes FBX, which needs the extra: pip install 'caos-bench[fbx]'")
