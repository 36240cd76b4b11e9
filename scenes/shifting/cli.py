"""``caos scenes shift``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.foundation.command_line.commands import listed
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Terminal
from caos.scenes.generation.render_quality import RenderQuality


def shift(
    dataset: Annotated[
        Path | None, typer.Argument(metavar="SET", help="A set rendered by CAOS.", show_default=False)
    ] = None,
    change: Annotated[
        list[str] | None, typer.Option(help="ATTRIBUTE=VALUE, += or *=; repeat to change several.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the new set; run again to continue.", show_default=False)
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the attributes and their values.")] = False,
    split: Annotated[str, typer.Option(help="Which images: test, val or train.")] = "test",
    images: Annotated[
        int | None, typer.Option(min=1, help="At most this many, evenly spread.", show_default="all")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of anything random in a change.")] = 0,
    quality: Annotated[RenderQuality, typer.Option(help="Quality of the embedded renderer.")] = RenderQuality.standard,
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects.")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded', or CARLA servers: HOST:PORT,HOST:PORT.")] = "embedded",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="one per simulator")] = None,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing shifted set in the folder.")
    ] = False,
) -> None:
    """Render the scenes of a set again with one thing changed; everything else stays the same.

    \b
    caos scenes shift data --change weather=fog --out foggy
    caos scenes shift data --change camera.height_m=0.8 --out low
    caos scenes shift data --change hazard.distance_m*=2 --out far
    caos scenes shift data --change hazard.rendition=clay --out clay
    caos scenes shift --list

    The result is an ordinary set. Scenes that cannot be changed in this way are left out, counted and named.
    """
    from caos.scenes.dataset.layout import open_dataset
    from caos.scenes.generation.generate import Place
    from caos.scenes.shifting.attribute import attributes
    from caos.scenes.shifting.shift import drawn_unlike, shift_set

    if show_list:
        for name, attribute in attributes().items():
            typer.echo(listed(name, attribute.takes, 36))
        return
    if dataset is None or out is None:
        raise CaosError("give a set and a folder: caos scenes shift SET --change ATTRIBUTE=VALUE --out SET2")
    simulators = tuple(simulator.split(","))
    summary = shift_set(
        dataset,
        change or [],
        out,
        split=split,
        images=images,
        seed=seed,
        place=Place(simulators, quality.value, library, workers or len(simulators), ray),
        overwrite=overwrite,
        progress=Terminal(),
    )
    for reason, count in summary.left_out.most_common():
        Terminal().say(f"left out: {count} x {reason}")
    for words in drawn_unlike(open_dataset(dataset), open_dataset(out)):
        Terminal().say(f"note: the pictures differ in more than the change: {words}")
    left = f", {sum(summary.left_out.values())} left out (see {out / 'left_out.txt'})" if summary.left_out else ""
    typer.echo(f"{summary.made} images made, {summary.kept} already there{left}: {out}")
