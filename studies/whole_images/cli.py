"""``caos study whole-images``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def study(
    dataset: Annotated[Path, typer.Argument(help="A set with hazards in its test part; twins make exact pairs.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the study; run again with the same one to go on.")],
    run: Annotated[
        list[str] | None, typer.Option("--run", help="A multi-label or multi-class run, perhaps NAME=RUN; several.")
    ] = None,
    outliers: Annotated[int, typer.Option(help="Pictures of each kind of classic outlier.")] = 100,
    photographs: Annotated[Path | None, typer.Option(help="Folder of photographs to take as outliers.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda ...")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Of outliers and fits.")] = 0,
) -> None:
    """Does a classifier of whole pictures notice a hazard, noise, blobs, textures, photographs?

    \b
    caos train data --out which-classes --preset quick --model multi-label
    caos train data --out which-weather --preset quick --model multi-class --target weather
    caos study whole-images data --run which-classes --run which-weather --out study
    """
    from caos.foundation.progress import Terminal
    from caos.foundation.threads import wait_passively

    wait_passively()
    from caos.studies.whole_images.study import WholeImageSettings, study_whole_images

    settings = WholeImageSettings(outliers, photographs, device, seed)
    done = study_whole_images(dataset, run or [], out, settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
