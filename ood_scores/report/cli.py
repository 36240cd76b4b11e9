"""``caos report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foundation.progress import Terminal


def report(
    results: Annotated[Path, typer.Argument(help="Folder that caos score wrote.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the site.")],
    dataset: Annotated[Path | None, typer.Option(help="The set, if it has moved since it was scored.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. [default: all cores]")] = None,
) -> None:
    r"""Build the pages of a scoring run: a site that opens from the file system, with no network and no server.

    \b
    caos report results --out site
    xdg-open site/index.html
    """
    from ood_scores.report.build import build_site

    site = build_site(results, out, dataset_root=dataset, workers=workers, progress=Terminal())
    typer.echo(f"{site.frames} frames: {site.index}")
