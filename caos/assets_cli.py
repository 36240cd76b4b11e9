"""``caos assets`` with the commands that render objects: ``preview`` and ``cutouts``.

The other commands are in :mod:`caos.assets.cli`. These two need the renderer of :mod:`caos.simulator`, which the room
``assets`` must not import.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caos.assets.cli import CategoryOption, LibraryOption, ObjectsArgument, app, chosen_names, open_library
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Terminal

if TYPE_CHECKING:
    from caos.assets.catalogue.library import Library
    from caos.assets.mesh import Mesh
    from caos.foundation.execution.progress import Task

__all__ = ["app"]


class KindsHalf(str, Enum):
    """Side of the split of kinds into training (outlier exposure) and testing."""

    all = "all"
    exposure = "exposure"
    test = "test"


class _RenderedMeshes(Mapping[str, "Mesh"]):
    """Meshes by name, read when they are rendered; each read advances the progress."""

    def __init__(self, library: Library, names: list[str], task: Task) -> None:
        self._library, self._names, self._task = library, names, task

    def __getitem__(self, name: str) -> Mesh:
        self._task.advance(note=name)
        object_name, _, open_share = name.partition(" open ")
        return self._library.mesh(object_name, 1.0, float(open_share) if open_share else None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@app.command()
def preview(
    objects: ObjectsArgument = None,
    out: Annotated[Path, typer.Option("--out", help="PNG file to write.")] = Path("sheet.png"),
    category: CategoryOption = None,
    folder: LibraryOption = None,
    columns: Annotated[int, typer.Option(min=1, max=40, help="Images per row.")] = 10,
    cell: Annotated[int, typer.Option(min=48, max=1024, help="Width and height of each image, pixels.")] = 160,
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
    from caos.foundation.storage.files import check_ending
    from caos.simulator.embedded.render.preview import contact_sheet

    check_ending(out, ".png")
    library, terminal = open_library(folder), Terminal()
    names = chosen_names(library, objects or [], category)
    library.build(terminal, names)
    if opening:
        names = _opening(library, names)
    with terminal.task("rendering", len(names)) as task:
        file = contact_sheet(_RenderedMeshes(library, names, task), out, min(columns, len(names)), cell)
    typer.echo(f"{len(names)} {'images' if opening else 'objects'}: {file}")


def _opening(library: Library, names: list[str]) -> list[str]:
    """Name three images of each object that opens: closed, half open, open."""
    opens = [name for name in names if library.opens(name)]
    if not opens:
        raise CaosError(f"none of the {len(names)} chosen objects has doors or lids that open; leave out --opening")
    return [f"{name} open {share}" for name in opens for share in ("0", "0.5", "1")]


@app.command()
def cutouts(
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.")],
    objects: ObjectsArgument = None,
    folder: LibraryOption = None,
    kinds: Annotated[
        KindsHalf, typer.Option(help="Only the kinds for training (exposure), or only those for testing (test).")
    ] = KindsHalf.all,
    share: Annotated[
        float | None,
        typer.Option(help="Share of the kinds that is used for training.", show_default="that of recipes"),
    ] = None,
    split_seed: Annotated[int, typer.Option(min=0, help="Seed of the split between training and testing.")] = 0,
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="Number of objects, from as many kinds as possible.")
    ] = None,
    views: Annotated[int, typer.Option(help="Images per object.")] = 1,
    size: Annotated[int, typer.Option(help="Longer side of an image, pixels.")] = 256,
    seed: Annotated[int, typer.Option(help="Seed of the viewing angles and the light.")] = 0,
    pictures: Annotated[
        Path | None,
        typer.Option("--from", help="Cut out from this folder's images and masks instead of rendering."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing cut-outs at --out.")] = False,
) -> None:
    """Write images of objects on a transparent background, to paste into training images (caos train --paste).

    Each object is rendered alone, from a random side and in random light. If interrupted, run the same command again.

    \b
    caos assets cutouts --out cuts --kinds exposure --n 200
    caos assets cutouts sofa animals --out cuts --views 4
    caos assets cutouts --from photos --out cuts

    Images of --from are NAME.png with alpha, or NAME.jpg with NAME_mask.png.
    """
    terminal = Terminal()
    if pictures is not None:
        from caos.assets.cutout_folders.masked_images import write_masked_cutouts

        if objects or folder or n is not None or kinds is not KindsHalf.all:
            raise CaosError("--from uses every image of its folder; leave out objects, --library, --kinds and --n")
        index = write_masked_cutouts(pictures, out, overwrite=overwrite, progress=terminal)
    else:
        from caos.simulator.embedded.render.cutouts import CutoutOptions, render_cutouts

        library, options = open_library(folder), CutoutOptions(views, size, seed)
        names = _of_kinds(library, chosen_names(library, objects or [], None), kinds, split_seed, share, n)
        index = render_cutouts(library, names, out, options, overwrite=overwrite, progress=terminal)
    typer.echo(f"{len(index.cutouts)} cut-outs of {len(index.kinds)} kinds: {out}")


def _of_kinds(
    library: Library, chosen: list[str], half: KindsHalf, seed: int, share: float | None, number: int | None
) -> list[str]:
    """Filter the chosen objects by side of the kind split; return at most ``number``, taking the kinds in turn."""
    from caos.assets.catalogue.library import EXPOSURE_SHARE, split_kinds

    if half is not KindsHalf.all:
        divided = split_kinds(library, seed, EXPOSURE_SHARE if share is None else share)
        sides = dict(zip((KindsHalf.exposure, KindsHalf.test), divided, strict=True))
        allowed = set(sides[half])
        chosen = [name for name in chosen if name in allowed]
    if not chosen:
        raise CaosError(f"no chosen object belongs to the {half.value} kinds; choose others, or --kinds all")
    turns: Counter[str] = Counter()
    ranked: list[tuple[int, int, str]] = []
    for name in chosen:
        ranked.append((turns[library.kind_of(name)], len(ranked), name))
        turns[library.kind_of(name)] += 1
    return [name for _, _, name in sorted(ranked)[:number]]
