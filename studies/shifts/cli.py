"""``caos study shifts``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.scenes.generation.render_quality import RenderQuality
from caos.studies.framework.options import (
    Device,
    FitOn,
    Images,
    Objects,
    Out,
    Quality,
    Runs,
    Scorers,
    Simulators,
    Split,
    Workers,
    place_from,
    show_study,
)


def study(
    dataset: Annotated[Path, typer.Argument(help="Folder of a set rendered by CAOS.")],
    run: Runs = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            help="A shift: ATTRIBUTE=VALUE, see 'caos scenes shift --list'; repeat.",
            show_default="19 shifts",
        ),
    ] = None,
    shifted: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="An existing shifted set, FOLDER or NAME=FOLDER; repeat for more.", show_default=False
        ),
    ] = None,
    out: Out = Path("study"),
    images: Images = None,
    scorers: Scorers = "msp,max_logit,energy,entropy",
    split: Split = "test",
    fit_on: FitOn = None,
    quality: Quality = RenderQuality.standard,
    library: Objects = None,
    simulator: Simulators = "embedded",
    workers: Workers = None,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and shifts.")] = 0,
) -> None:
    """Measure what one changed thing costs: weather, hour, town, camera, or the hazards, one at a time.

    \b
    caos study shifts data --run run --out study
    caos study shifts data --run run --change weather=fog --out study
    caos study shifts data --run run --set low=low --set far=far --out study

    Shifted sets are rendered into the study's folder, or given with --set. If interrupted, run it again to continue.
    """
    from caos.foundation.execution.progress import Terminal
    from caos.studies.shifts.study import ShiftSettings, study_shifts

    settings = ShiftSettings(
        changes=tuple(change or ()),
        sets=tuple(shifted or ()),
        scorers=scorers,
        split=split,
        images=images,
        fit_on=fit_on,
        device=device,
        seed=seed,
        place=place_from(simulator, quality, library, workers),
    )
    done = study_shifts(dataset, run or [], out, settings=settings, progress=Terminal())
    show_study(done)
