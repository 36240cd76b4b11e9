"""``caos study perturbations``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.scenes.generation.render_quality import RenderQuality
from caos.studies.framework.options import (
    Baseline,
    Device,
    FitOn,
    Objects,
    Out,
    Quality,
    Runs,
    Scorers,
    Split,
    place_from,
    show_study,
)


def study(
    dataset: Annotated[Path, typer.Argument(help="Folder of the set.")],
    run: Runs = None,
    baseline: Baseline = None,
    out: Out = Path("study"),
    perturbations: Annotated[str, typer.Option(help="Comma-separated names, or 'all'.")] = "all",
    frames: Annotated[int, typer.Option(min=2, max=10_000, help="Frames per sequence; the paper has 31.")] = 31,
    images: Annotated[int, typer.Option(min=1, help="Number of pictures, evenly spread over the split.")] = 8,
    scorers: Scorers = "msp,max_logit,energy,entropy",
    split: Split = "test",
    fit_on: FitOn = None,
    rendered: Annotated[
        bool, typer.Option("--rendered", help="Render translate, rotate, tilt, scale and snow with a simulator.")
    ] = False,
    quality: Quality = RenderQuality.standard,
    library: Objects = None,
    simulator: Annotated[str, typer.Option(help="'embedded' or HOST:PORT.")] = "embedded",
    device: Device = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and perturbations.")] = 0,
) -> None:
    """Measure how often classes and alarms flip along sequences of frames that hardly differ.

    \b
    caos study perturbations data --run run --out study
    caos study perturbations data --run run --run other --out study
    caos study perturbations data --run run --perturbations rotate --out study
    caos study perturbations data --run run --rendered --images 2 --out study

    If interrupted, run the same command again to continue; you can add perturbations and runs later.
    """
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.execution.threads import wait_passively

    wait_passively()
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
        place=place_from(simulator, quality, library),
    )
    done = study_perturbations(dataset, run or [], out, baseline=baseline, settings=settings, progress=Terminal())
    show_study(done)
