"""``caos study corruptions``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.studies.framework.options import (
    Baseline,
    Device,
    FitOn,
    Images,
    Out,
    Runs,
    Scorers,
    Severities,
    Split,
    show_study,
)


def study(
    dataset: Annotated[Path, typer.Argument(help="Folder of the set.")],
    run: Runs = None,
    baseline: Baseline = None,
    out: Out = Path("study"),
    corruptions: Annotated[
        str, typer.Option(help="Comma-separated names, 'common' for the 15 to test with, or 'all'.")
    ] = "common",
    severities: Severities = "1,2,3,4,5",
    scorers: Scorers = "msp,max_logit,energy,entropy",
    split: Split = "test",
    images: Images = None,
    fit_on: FitOn = None,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and corruptions.")] = 0,
) -> None:
    """Measure what fog, noise, blur and compression do to segmenters and detectors.

    \b
    caos study corruptions data --run run --out study
    caos study corruptions data --run run --run other --out study
    caos study corruptions data --run run --corruptions fog,jpeg --out study

    If interrupted, run the same command again to continue; you can add corruptions, severities and runs later.
    """
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.execution.threads import wait_passively

    wait_passively()
    from caos.studies.corruptions.study import CorruptionSettings, study_corruptions

    settings = CorruptionSettings(
        corruptions=corruptions,
        severities=severities,
        scorers=scorers,
        split=split,
        images=images,
        fit_on=fit_on,
        device=device,
        seed=seed,
    )
    done = study_corruptions(dataset, run or [], out, baseline=baseline, settings=settings, progress=Terminal())
    show_study(done)
