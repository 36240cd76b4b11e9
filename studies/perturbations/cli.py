"""``caos study perturbations``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.scenes.render_quality import RenderQuality


def study(
    dataset: Annotated[Path, typer.Argument(help="Folder of the set.")],
    run: Annotated[
        list[str] | None, typer.Option(help="Trained run, perhaps NAME=FOLDER; repeat.", show_default=False)
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The run to compare with. [default: the first]", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("study"),
    perturbations: Annotated[str, typer.Option(help="Comma-separated names, or 'all'.")] = "all",
    frames: Annotated[int, typer.Option(min=2, help="Frames of a sequence; the paper has 31.")] = 31,
    images: Annotated[int, typer.Option(min=1, help="Pictures, evenly spread over the split.")] = 8,
    scorers: Annotated[str, typer.Option(help="As for 'caos score'.")] = "msp,max_logit,energy,entropy",
    split: Annotated[str, typer.Option(help="Which images: test, val or train.")] = "test",
    fit_on: Annotated[
        Path | None, typer.Option(help="Set to fit scorers on. [default: that of each run]", show_default=False)
    ] = None,
    rendered: Annotated[
        bool, typer.Option("--rendered", help="Render translate, rotate, tilt, scale and snow by a simulator.")
    ] = False,
    quality: Annotated[RenderQuality, typer.Option(help="Of the embedded renderer.")] = RenderQuality.standard,
    library: Annotated[Path | None, typer.Option(help="Folder of imported objects.")] = None,
    simulator: Annotated[str, typer.Option(help="'embedded' or HOST:PORT.")] = "embedded",
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and perturbations.")] = 0,
) -> None:
    """Say how often classes and alarms flip along sequences of frames that hardly differ.

    \b
    caos study perturbations data --run run --out study
    caos study perturbations data --run plain=run --run other --baseline plain --out study
    caos study perturbations data --run run --perturbations rotate,brightness --images 2 --out study
    caos study perturbations data --run run --rendered --images 2 --out study

    Interrupted, the same command goes on where it stopped; perturbations and runs can join later.
    """
    from caos.foundation.progress import Terminal
    from caos.foundation.threads import wait_passively

    wait_passively()
    from caos.scenes.generate import Place
    from caos.studies.perturbations.study import PerturbationSettings, study_perturbations

    settings = PerturbationSettings(
        perturbations=perturbations,
        frames=frames,
        images=images,
        scorers=scorers,
        split=split,
        fit_on=fit_on,
        device=device,
        seed=seed,
        rendered=rendered,
        place=Place((simulator,), quality.value, library),
    )
    done = study_perturbations(dataset, run or [], out, baseline=baseline, settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
