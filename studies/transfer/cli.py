"""``caos study transfer``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.studies.framework.options import show_study


def study(
    sets: Annotated[
        list[str] | None, typer.Argument(help="Sets, each FOLDER or NAME=FOLDER.", show_default=False)
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option(help="Trained run, FOLDER or NAME=FOLDER; repeat for more.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("study"),
    results: Annotated[
        list[str] | None,
        typer.Option(
            help="Finished results to include: FOLDER, RUN=FOLDER or RUN@SET=FOLDER; repeat for more.",
            show_default=False,
        ),
    ] = None,
    scorers: Annotated[
        str, typer.Option(help="As for 'caos score'; only scorers that two scorings share are compared.")
    ] = "all",
    protocol: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated definitions.",
            show_default="caos,smiyc; pytorch-ood,smiyc where a set leaves void out",
        ),
    ] = None,
    fit_on: Annotated[Path | None, typer.Option(help="Set to fit scorers on.", show_default="that of each run")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that score.")] = 1,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and resampling.")] = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Score again whatever no longer matches its run, set or settings.")
    ] = False,
) -> None:
    """Measure how well the order of scorers on one set predicts their order on another, or for another run.

    \b
    caos study transfer --run run data photos --out study
    caos study transfer --run ours=run streets=data photos=ra21 --out study
    caos study transfer --run run data --results theirs=results --out study

    If interrupted, run the same command again to continue; you can add sets and runs later.
    """
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.execution.threads import wait_passively

    wait_passively()
    from caos.studies.transfer.study import TransferSettings, study_transfer

    settings = TransferSettings(
        scorers=scorers,
        protocols=protocol,
        fit_on=fit_on,
        workers=workers,
        device=device,
        seed=seed,
        overwrite=overwrite,
    )
    done = study_transfer(sets or [], run or [], out, results=results or [], settings=settings, progress=Terminal())
    show_study(done)
