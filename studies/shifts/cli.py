"""``caos study shifts``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.scenes.render_quality import RenderQuality


def study(
    dataset: Annotated[Path, typer.Argument(help="Folder of a set that was rendered here.")],
    run: Annotated[
        list[str] | None, typer.Option(help="Trained run, perhaps NAME=FOLDER; repeat.", show_default=False)
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            help="A shift: ATTRIBUTE=VALUE, see 'caos scenes shift --list'; repeat. [default: 17 shifts]",
            show_default=False,
        ),
    ] = None,
    shifted: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A shifted set that is there already, perhaps NAME=FOLDER; repeat.", show_default=False
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("study"),
    images: Annotated[
        int | None, typer.Option(min=1, help="At most so many, evenly spread. [default: all]", show_default=False)
    ] = None,
    scorers: Annotated[str, typer.Option(help="As for 'caos score'.")] = "msp,max_logit,energy,entropy",
    split: Annotated[str, typer.Option(help="Which images: test, val or train.")] = "test",
    fit_on: Annotated[
        Path | None, typer.Option(help="Set to fit scorers on. [default: that of each run]", show_default=False)
    ] = None,
    quality: Annotated[RenderQuality, typer.Option(help="Of the embedded renderer.")] = RenderQuality.standard,
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects.")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded', or HOST:PORT of CARLA servers with commas.")] = "embedded",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: one a simulator]")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and shifts.")] = 0,
) -> None:
    """Say what one changed thing costs: weather, hour, town, camera, or the hazards, one at a time.

    \b
    caos study shifts data --run run --out study
    caos study shifts data --run run --change weather=fog --change hazard.distance_m*=2 --out study
    caos study shifts data --run run --set low=low --set far=far --out study

    Shifted sets are rendered into the study's folder, or given with --set. Interrupted, the same command goes on.
    """
    from caos.foundation.progress import Terminal
    from caos.scenes.generate import Place
    from caos.studies.shifts.study import ShiftSettings, study_shifts

    simulators = tuple(simulator.split(","))
    settings = ShiftSettings(
        changes=tuple(change or ()),
        sets=tuple(shifted or ()),
        scorers=scorers,
        split=split,
        images=images,
        fit_on=fit_on,
        device=device,
        seed=seed,
        place=Place(simulators, quality.value, library, workers or len(simulators)),
    )
    done = study_shifts(dataset, run or [], out, settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
