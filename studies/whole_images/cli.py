"""``caos study whole-images``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.studies.framework.options import show_study


def study(
    dataset: Annotated[Path, typer.Argument(help="A set with hazards in its test part; twins make exact pairs.")],
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the study; run again with the same folder to continue.")
    ],
    run: Annotated[
        list[str] | None,
        typer.Option("--run", help="Multi-label or multi-class run, FOLDER or NAME=FOLDER; repeat for more."),
    ] = None,
    outliers: Annotated[int, typer.Option(help="Pictures per kind of classic outlier.")] = 100,
    photographs: Annotated[Path | None, typer.Option(help="Folder of photographs to use as outliers.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda ...")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of outliers and fits.")] = 0,
) -> None:
    """Test whether a classifier of whole pictures notices a hazard, noise, blobs, textures or photographs.

    \b
    caos train data --out which-classes --preset quick --model multi-label
    caos train data --out which-weather --model multi-class --target weather
    caos study whole-images data --run which-classes --out study
    """
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.execution.threads import wait_passively

    wait_passively()
    from caos.studies.whole_images.study import WholeImageSettings, study_whole_images

    settings = WholeImageSettings(outliers, photographs, device, seed)
    done = study_whole_images(dataset, run or [], out, settings=settings, progress=Terminal())
    show_study(done)
