"""``caos study exposure``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caos.studies.framework.options import show_study


def study(
    dataset: Annotated[
        Path | None,
        typer.Argument(help="Set with negatives in its training images, and a test part.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("exposure"),
    on: Annotated[
        list[str] | None,
        typer.Option(help="Another set to score on, FOLDER or NAME=FOLDER; repeat for more.", show_default=False),
    ] = None,
    arms: Annotated[Path | None, typer.Option(help="TOML file of arms.", show_default="those of the package")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Name of an arm to run; repeat.", show_default="all")] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--with", help="NAME=FOLDER, which arms refer to as @NAME; repeat for more.", show_default=False),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Epochs of every arm.", show_default="those of its settings"),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated definitions.",
            show_default="caos,smiyc; pytorch-ood,smiyc where a set leaves void out",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that score.")] = 1,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of training, fitting and resampling.")] = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Make again whatever no longer matches its set, settings or code.")
    ] = False,
    list_arms: Annotated[bool, typer.Option("--list", help="List the arms, and stop.")] = False,
) -> None:
    """Measure what each step of training with negatives is worth: losses, pasting, camera faults, the encoder.

    \b
    caos study exposure exposed --out study
    caos study exposure exposed --out study --on ra21 --with cutouts=cuts
    caos study exposure exposed --out study --arms mine.toml --only mine

    Every arm is trained and scored once. If interrupted, run the same command again to continue.
    """
    from caos.studies.exposure.arms import USUAL_ARMS, read_arms

    if list_arms:
        for arm in read_arms(arms or USUAL_ARMS).arm:
            typer.echo(f"{arm.name:<32}{arm.step}")
        return
    from caos.foundation.errors import CaosError
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.execution.threads import wait_passively

    if dataset is None:
        raise CaosError("no set: caos study exposure SET --out STUDY")
    wait_passively()
    from caos.studies.exposure.study import ExposureSettings, study_exposure

    settings = ExposureSettings(
        arms=arms,
        only=tuple(only or ()),
        epochs=epochs,
        protocols=protocol,
        device=device,
        workers=workers,
        seed=seed,
        overwrite=overwrite,
    )
    done = study_exposure(dataset, out, on=on or (), places=given or (), settings=settings, progress=Terminal())
    show_study(done)
