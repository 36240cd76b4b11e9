"""``caos scenes`` with the command that needs runs: ``filter`` judges frames, which the room of scenes cannot."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from caos.scenes.cli import app

__all__ = ["app"]


class FilterKindOption(str, Enum):
    """What is kept."""

    O = "O"  # noqa: E741 - ImageNet-O's letter
    A = "A"


@app.command("filter")
def filter_command(
    dataset: Annotated[Path, typer.Argument(help="Candidates: a dataset folder, the larger the better.")],
    run: Annotated[Path, typer.Option("--run", help="The reference run, or 'bundled'.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the new set.")],
    kind: Annotated[
        FilterKindOption, typer.Option(help="O: hazards it takes for ordinary; A: ordinary frames it segments worst.")
    ] = FilterKindOption.O,
    split: Annotated[str | None, typer.Option(help="Of the candidates. [default: test for O, val for A]")] = None,
    scorer: Annotated[str, typer.Option(help="Whose score makes a hazard ordinary.")] = "msp",
    most_found: Annotated[float, typer.Option(help="O: largest share of the hazard pixels that it may find.")] = 0.15,
    worst_share: Annotated[float, typer.Option(help="A: share of the candidates, worst first.")] = 0.25,
    per_kind: Annotated[int, typer.Option(help="Most frames of one kind.")] = 15,
    per_confusion: Annotated[int, typer.Option(help="Most frames of one kind taken for one class.")] = 15,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda ...")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Of fits.")] = 0,
) -> None:
    """Keep the frames that a reference run gets wrong, as a set of its own: hard sets after ImageNet-O and -A.

    \b
    caos scenes filter data --run run --kind O --out data-o
    caos scenes filter data --run run --kind A --split train --out data-a
    caos study transfer-hard data --hard data-o --run run --run other --out study

    Every kept frame has its scene beside it (data-o/scenes), which caos scenes render shows again.
    Interrupted, the same command goes on where it stopped.
    """
    from caos.foundation.progress import Terminal
    from caos.studies.filtration import FilterSettings, filter_scenes

    settings = FilterSettings(
        kind=kind.value,
        split=split,
        scorer=scorer,
        most_found=most_found,
        worst_share=worst_share,
        per_kind=per_kind,
        per_confusion=per_confusion,
        device=device,
        seed=seed,
    )
    done = filter_scenes(dataset, run, out, settings=settings, progress=Terminal())
    typer.echo(", ".join(f"{step}: {count}" for step, count in done.steps.items()))
    for one in done.failures:
        typer.echo(f"  {one.key:<18} {100 * one.value:5.1f} %  {one.kind} taken for {one.taken_for}")
    typer.echo(f"{out}: {len(done.failures)} frames of kind {kind.value}")
