"""``caos study rendered``."""

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
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("study"),
    kinds: Annotated[str, typer.Option(help="Comma-separated: fog, rain, night, motion, defocus; or 'all'.")] = "all",
    severities: Annotated[str, typer.Option(help="Comma-separated, 1 to 5.")] = "3",
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
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and of what is painted.")] = 0,
) -> None:
    """Say whether painted fog, rain, night and blur rank runs and scorers as rendered ones of the same scenes do.

    \b
    caos study rendered data --run run --out study
    caos study rendered data --run plain=run --run other --kinds fog,defocus --severities 1,3,5 --out study

    Rendered sets are kept in the study's folder. Interrupted, the same command goes on where it stopped.
    """
    from caos.foundation.progress import Terminal
    from caos.scenes.generate import Place
    from caos.studies.rendered.study import RenderedSettings, study_rendered

    simulators = tuple(simulator.split(","))
    settings = RenderedSettings(
        kinds=kinds,
        severities=severities,
        scorers=scorers,
        split=split,
        images=images,
        fit_on=fit_on,
        device=device,
        seed=seed,
        place=Place(simulators, quality.value, library, workers or len(simulators)),
    )
    done = study_rendered(dataset, run or [], out, settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
