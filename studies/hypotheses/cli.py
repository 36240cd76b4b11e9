"""``caos study hypotheses``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.studies.framework.options import show_study


def study(
    dataset: Annotated[Path, typer.Argument(help="Set to train on; its test part is corrupted and measured.")],
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the study; run again with the same folder to continue.")
    ],
    grid: Annotated[
        Path | None, typer.Option(help="TOML file of pairs.", show_default="the package's small one")
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option("--on", help="Another set to measure on, FOLDER or NAME=FOLDER; repeat for more."),
    ] = None,
    images: Annotated[int, typer.Option(min=0, help="Largest number of images per set; 0 for all.")] = 0,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda ...")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of corruptions and of resampling.")] = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Train again whatever no longer matches its set, settings or code.")
    ] = False,
) -> None:
    """Test what makes a network robust: larger models, self-attention, augmentation, pretraining.

    \b
    caos study hypotheses data --out study
    caos study hypotheses data --grid mine.toml --on photos=ra21 --out study

    If interrupted, run the same command again to continue.
    """
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.execution.threads import wait_passively

    wait_passively()
    from caos.studies.hypotheses.study import HypothesisSettings, study_hypotheses

    settings = HypothesisSettings(grid, images, device, seed, overwrite=overwrite)
    done = study_hypotheses(dataset, out, on=on or [], settings=settings, progress=Terminal())
    show_study(done)
