"""``caos study corruptions``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def study(
    dataset: Annotated[Path, typer.Argument(help="Folder of the set.")],
    run: Annotated[
        list[str] | None, typer.Option(help="Trained run, perhaps NAME=FOLDER; repeat.", show_default=False)
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The run to compare with. [default: the first]", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("study"),
    corruptions: Annotated[
        str, typer.Option(help="Comma-separated names, 'common' for the 15 to test with, or 'all'.")
    ] = "common",
    severities: Annotated[str, typer.Option(help="Comma-separated, 1 to 5.")] = "1,2,3,4,5",
    scorers: Annotated[str, typer.Option(help="As for 'caos score'.")] = "msp,max_logit,energy,entropy",
    split: Annotated[str, typer.Option(help="Which images: test, val or train.")] = "test",
    images: Annotated[
        int | None, typer.Option(min=1, help="At most so many, evenly spread. [default: all]", show_default=False)
    ] = None,
    fit_on: Annotated[
        Path | None, typer.Option(help="Set to fit scorers on. [default: that of each run]", show_default=False)
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits and corruptions.")] = 0,
) -> None:
    """Say what fog, noise, blur and compression do to runs: segmentation errors, and every detector.

    \b
    caos study corruptions data --run run --out study
    caos study corruptions data --run plain=run --run other --baseline plain --out study
    caos study corruptions data --run run --corruptions fog,jpeg --severities 1,3 --out study

    Interrupted, the same command goes on where it stopped; corruptions, severities and runs can join later.
    """
    from caos.foundation.progress import Terminal
    from caos.foundation.threads import wait_passively

    wait_passively()
    from caos.studies.corruptions.study import CorruptionSettings, study_corruptions

    settings = CorruptionSettings(
        corruptions=corruptions,
        severities=severities,
        scorers=scorers,
        split=split,
        images=images,
        fit_on=fit_on,
        device=device,
        seed=seed,
    )
    done = study_corruptions(dataset, run or [], out, baseline=baseline, settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
