"""Options of the command line that several studies share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caos.scenes.generation.render_quality import RenderQuality

if TYPE_CHECKING:
    from caos.scenes.generation.generate import Place
    from caos.studies.framework.study import Study

Runs = Annotated[
    list[str] | None, typer.Option(help="Trained run, FOLDER or NAME=FOLDER; repeat for more.", show_default=False)
]
Baseline = Annotated[str | None, typer.Option(help="The run to compare with.", show_default="the first")]
Out = Annotated[Path, typer.Option(help="Folder of the study.")]
Images = Annotated[int | None, typer.Option(min=1, help="At most this many, evenly spread.", show_default="all")]
Scorers = Annotated[str, typer.Option(help="As for 'caos score'.")]
Split = Annotated[str, typer.Option(help="Which images: test, val or train.")]
FitOn = Annotated[Path | None, typer.Option(help="Set to fit scorers on.", show_default="that of each run")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")]
Severities = Annotated[str, typer.Option(help="Comma-separated, 1 to 5.")]
Quality = Annotated[RenderQuality, typer.Option(help="Quality of the embedded renderer.")]
Objects = Annotated[Path | None, typer.Option("--library", help="Folder of imported objects.")]
Simulators = Annotated[str, typer.Option(help="'embedded', or CARLA servers: HOST:PORT,HOST:PORT.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes.", show_default="one per simulator")]


def place_from(simulator: str, quality: RenderQuality, library: Path | None, workers: int | None = None) -> Place:
    """Where a study renders, from what the command line says."""
    from caos.scenes.generation.generate import Place

    simulators = tuple(simulator.split(","))
    return Place(simulators, quality.value, library, workers or len(simulators))


def show_study(study: Study) -> None:
    """Print what a study found, and where its page is."""
    from caos.studies.presentation.terminal_tables import show_study

    show_study(study)
