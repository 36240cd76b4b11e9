"""``caos study transfer-hard``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.studies.framework.options import show_study


def study(
    dataset: Annotated[Path, typer.Argument(help="Candidates: the set that was filtered.")],
    hard: Annotated[Path, typer.Option("--hard", help="Set that caos scenes filter made of it.")],
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the study; run again with the same folder to continue.")
    ],
    run: Annotated[
        list[str] | None, typer.Option("--run", help="Trained run, FOLDER or NAME=FOLDER; repeat for more.")
    ] = None,
    scorers: Annotated[str, typer.Option(help="As for 'caos score'; the first one decides what is missed.")] = (
        "msp,max_logit"
    ),
    device: Annotated[str, typer.Option(help="auto, cpu, cuda ...")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and resampling.")] = 0,
) -> None:
    """Test whether frames that fool one run fool the others: runs on all candidates and on the filtered ones.

    \b
    caos scenes filter data --run run --kind O --out data-o
    caos study transfer-hard data --hard data-o --run run --run other --out study

    If interrupted, run the same command again to continue; you can add runs later.
    """
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.execution.threads import wait_passively

    wait_passively()
    from caos.studies.transfer_hard.study import HardSettings, study_transfer_hard

    settings = HardSettings(scorers=scorers, device=device, seed=seed)
    done = study_transfer_hard(dataset, hard, run or [], out, settings=settings, progress=Terminal())
    show_study(done)
