"""``caos study hypotheses``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def study(
    dataset: Annotated[Path, typer.Argument(help="Set to train on; its test part is corrupted and measured.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the study; run again with the same one to go on.")],
    grid: Annotated[Path | None, typer.Option(help="TOML file of pairs. [default: the package's small one]")] = None,
    on: Annotated[list[str] | None, typer.Option("--on", help="Another set to measure on, perhaps NAME=SET.")] = None,
    images: Annotated[int, typer.Option(min=0, help="Most images of each set; 0 for all.")] = 0,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda ...")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Of corruptions, and of drawing images and seeds anew.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Train again what no longer fits.")] = False,
) -> None:
    """What makes robust? Larger models, self-attention, augmentation, pretraining: pairs of trainings under shifts.

    \b
    caos study hypotheses data --out study
    caos study hypotheses data --grid mine.toml --on hard=data-a --on photos=ra21 --out study

    Interrupted, the same command goes on where it stopped.
    """
    from caos.foundation.progress import Terminal
    from caos.foundation.threads import wait_passively

    wait_passively()
    from caos.studies.hypotheses.study import HypothesisSettings, study_hypotheses

    settings = HypothesisSettings(grid, images, device, seed, overwrite=overwrite)
    done = study_hypotheses(dataset, out, on=on or [], settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
