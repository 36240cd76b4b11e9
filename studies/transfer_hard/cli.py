"""``caos study transfer-hard``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def study(
    dataset: Annotated[Path, typer.Argument(help="The candidates: the set that was filtered.")],
    hard: Annotated[Path, typer.Option("--hard", help="What caos scenes filter made of it.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the study; run again with the same one to go on.")],
    run: Annotated[list[str] | None, typer.Option("--run", help="A run, perhaps NAME=RUN; more than once.")] = None,
    scorers: Annotated[str, typer.Option(help="As for caos score; the first one decides what is missed.")] = (
        "msp,max_logit"
    ),
    device: Annotated[str, typer.Option(help="auto, cpu, cuda ...")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Of fits, and of drawing frames anew.")] = 0,
) -> None:
    """Do frames that fool one run fool the others? Runs on all candidates and on the filtered ones.

    \b
    caos scenes filter data --run run --kind O --out data-o
    caos study transfer-hard data --hard data-o --run run --run other --out study

    Interrupted, the same command goes on where it stopped; runs can join later.
    """
    from caos.foundation.progress import Terminal
    from caos.foundation.threads import wait_passively

    wait_passively()
    from caos.studies.transfer_hard.study import HardSettings, study_transfer_hard

    settings = HardSettings(scorers=scorers, device=device, seed=seed)
    done = study_transfer_hard(dataset, hard, run or [], out, settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
