"""``caos study rendered``."""

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
    Severities,
    Simulators,
    Split,
    Workers,
    place_from,
    show_study,
)


def study(
    dataset: Annotated[Path, typer.Argument(help="Folder of a set rendered by CAOS.")],
    run: Runs = None,
    out: Out = Path("study"),
    kinds: Annotated[str, typer.Option(help="Comma-separated: fog, rain, night, motion, defocus; or 'all'.")] = "all",
    severities: Severities = "3",
    images: Images = None,
    scorers: Scorers = "msp,max_logit,energy,entropy",
    split: Split = "test",
    fit_on: FitOn = None,
    quality: Quality = RenderQuality.standard,
    library: Objects = None,
    simulator: Simulators = "embedded",
    workers: Workers = None,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and painting.")] = 0,
) -> None:
    """Compare painted fog, rain, night and blur with rendered ones of the same scenes: do runs and scorers rank alike?

    \b
    caos study rendered data --run run --out study
    caos study rendered data --run run --run other --kinds fog --out study

    Rendered sets are kept in the study's folder. If interrupted, run the same command again to continue.
    """
    from caos.foundation.execution.progress import Terminal
    from caos.studies.rendered.study import RenderedSettings, study_rendered

    settings = RenderedSettings(
        kinds=kinds,
        severities=severities,
        scorers=scorers,
        split=split,
        images=images,
        fit_on=fit_on,
        device=device,
        seed=seed,
        place=place_from(simulator, quality, library, workers),
    )
    done = study_rendered(dataset, run or [], out, settings=settings, progress=Terminal())
    show_study(done)
