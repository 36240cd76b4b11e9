"""``caos study membership``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def study(
    source: Annotated[Path, typer.Argument(help="Cut-outs (caos assets cutouts), or a set with hazards.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the study; run again with the same one to go on.")],
    shots: Annotated[str, typer.Option(help="Crops in a set.")] = "1,5",
    side: Annotated[int, typer.Option(help="Pixels of a crop.")] = 48,
    steps: Annotated[int, typer.Option(help="Of SGD.")] = 600,
    batch: Annotated[int, typer.Option(help="Sets and queries a step.")] = 64,
    novel_share: Annotated[float, typer.Option(help="Share of the kinds that is kept for the test.")] = 0.3,
    repeats: Annotated[int, typer.Option(help="How often sets are drawn for the test.")] = 10,
    queries: Annotated[int, typer.Option(help="Of one repeat.")] = 400,
    seed: Annotated[int, typer.Option(min=0, help="Of everything.")] = 0,
) -> None:
    """Does this hazard belong to those? Set membership as few-shot learning, against chance.

    \b
    caos assets cutouts --views 8 --size 64 --out cuts
    caos study membership cuts --out study
    """
    from caos.foundation.progress import Terminal
    from caos.foundation.threads import wait_passively

    wait_passively()
    from caos.studies.membership.study import MembershipSettings, study_membership

    settings = MembershipSettings(shots, side, steps, batch, novel_share, repeats, queries, seed)
    done = study_membership(source, out, settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
