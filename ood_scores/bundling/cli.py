"""``caos export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Write a trained run in another form.")


@app.callback()
def export() -> None:
    """Write a trained run in another form, to be used elsewhere."""


@app.command()
def bundle(
    run: Annotated[Path, typer.Argument(help="Finished run of 'caos train'.")],
    out: Annotated[Path, typer.Option(help="Folder for the bundle.")],
    ordinary: Annotated[Path, typer.Option(help="Set whose ordinary pixels calibrate the scores.")],
    split: Annotated[str, typer.Option(help="Which of its images: val, train or test.")] = "val",
    scorers: Annotated[
        str, typer.Option(help="Comma-separated; the first becomes the recommended one.")
    ] = "entropy,max_logit,energy",
    results: Annotated[
        list[Path] | None, typer.Option(help="Results of 'caos score' with this run, for its card; repeat.")
    ] = None,
    origin: Annotated[str, typer.Option(help="Sentence for its card about the training images.")] = "",
    failures: Annotated[Path | None, typer.Option(help="Markdown file for its card about where it fails.")] = None,
    scales: Annotated[
        str,
        typer.Option(help="Sizes over which it will average its predictions, such as 0.5,1.", show_default="its own"),
    ] = "",
    side: Annotated[
        int | None,
        typer.Option(
            help="Enlarge ordinary pictures first, to this longer side in pixels.", min=16, max=8192, show_default=False
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the run at --out.")] = False,
) -> None:
    """Pack a run to give to others: weights in 16 bits, what its scores mean, and a model card.

    \b
    caos export bundle run --out small-run --ordinary data
    caos look street.jpg --out seen --run small-run
    """
    from caos.foundation.execution.progress import Terminal
    from caos.ood_scores.bundling.bundle import BundleOptions, bundle_run
    from caos.ood_scores.command import numbers

    options = BundleOptions(
        ordinary=ordinary,
        split=split,
        scorers=scorers,
        results=tuple(results or ()),
        origin=origin,
        failures=failures,
        scales=numbers(scales, "--scales", "0.5,1,1.5"),
        side=side,
    )
    made = bundle_run(run, out, options, overwrite=overwrite, progress=Terminal())
    found = made.difference
    typer.echo(
        f"{made.folder}: {made.weight_bytes / 1e6:.1f} MB of weights; model card in {made.folder / 'MODEL_CARD.md'}"
    )
    typer.echo(
        f"{found.scorer}: 16 bits differ from 32 by {found.mean:.2g} on average, {found.largest:.2g} at most "
        f"({found.images} pictures, scores span {found.span:.3g})"
    )
