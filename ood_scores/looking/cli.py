"""``caos look``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def look(
    photographs: Annotated[list[Path], typer.Argument(help="JPEG, PNG or WebP files, or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder for the overlays and the page.")],
    run: Annotated[Path, typer.Option(help="Trained run, or 'bundled', which comes with the package.")] = Path(
        "bundled"
    ),
    scorer: Annotated[
        str | None,
        typer.Option(help="Scorer, as for 'caos score'.", show_default="the one the run recommends"),
    ] = None,
    false_alarms: Annotated[float, typer.Option(help="Share of ordinary pixels that may be outlined.")] = 0.05,
    side: Annotated[
        int | None,
        typer.Option(
            help="Longer side of the picture that the network sees, pixels.",
            show_default="as its threshold was measured",
            min=16,
            max=8192,
        ),
    ] = None,
    fit_on: Annotated[
        Path | None,
        typer.Option(help="Set with ordinary pictures, to fit the scorer and the threshold on.", show_default=False),
    ] = None,
    maps: Annotated[bool, typer.Option("--maps", help="Also write the score maps (npz).")] = False,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    seed: Annotated[int, typer.Option(help="Seed of fits.", min=0)] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing overlays at --out.")] = False,
) -> None:
    """Show what looks foreign in photographs: an overlay for each, and a page to compare them.

    \b
    caos look street.jpg --out seen
    caos look holiday/ --out seen --false-alarms 0.01 --maps
    caos look street.jpg --out seen --run run --fit-on data --scorer knn

    Nothing is trained or downloaded: the run comes with the package.
    """
    from caos.foundation.execution.progress import Terminal
    from caos.ood_scores.looking.looking import LookOptions
    from caos.ood_scores.looking.looking import look as look_at

    options = LookOptions(
        run=run,
        scorer=scorer,
        false_alarms=false_alarms,
        side=side,
        fit_on=fit_on,
        maps=maps,
        device=device,
        seed=seed,
    )
    seen = look_at(photographs, out, options, overwrite=overwrite, progress=Terminal())
    for found in seen.photographs:
        typer.echo(found.line())
    typer.echo(seen.meaning)
    typer.echo(f"The page: {seen.page}")
