"""``caos study membership``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.studies.framework.options import show_study


def study(
    source: Annotated[Path, typer.Argument(help="Folder of cut-outs (caos assets cutouts), or a set with hazards.")],
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the study; run again with the same folder to continue.")
    ],
    shots: Annotated[str, typer.Option(help="Crops per set, comma-separated.")] = "1,5",
    side: Annotated[int, typer.Option(max=1024, help="Size of a crop, pixels.")] = 48,
    steps: Annotated[int, typer.Option(max=10_000_000, help="Steps of SGD.")] = 600,
    batch: Annotated[int, typer.Option(max=65_536, help="Sets with a query, per step.")] = 64,
    novel_share: Annotated[float, typer.Option(help="Share of the kinds kept for testing.")] = 0.3,
    repeats: Annotated[int, typer.Option(max=10_000, help="How often test sets are drawn.")] = 10,
    queries: Annotated[int, typer.Option(max=1_000_000, help="Queries per repeat.")] = 400,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
) -> None:
    """Test whether a network can tell that a hazard belongs to a set of others: few-shot learning, against chance.

    \b
    caos assets cutouts --views 8 --size 64 --out cuts
    caos study membership cuts --out study
    """
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.execution.threads import wait_passively

    wait_passively()
    from caos.studies.membership.study import MembershipSettings, study_membership

    settings = MembershipSettings(shots, side, steps, batch, novel_share, repeats, queries, seed)
    done = study_membership(source, out, settings=settings, progress=Terminal())
    show_study(done)
