"""``caos study exposure``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def study(
    dataset: Annotated[
        Path | None,
        typer.Argument(help="Set with negatives in its training images, and a test part.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = Path("exposure"),
    on: Annotated[
        list[str] | None,
        typer.Option(help="Another set to score on, perhaps NAME=FOLDER; repeat.", show_default=False),
    ] = None,
    arms: Annotated[
        Path | None, typer.Option(help="TOML file of arms. [default: those of the package]", show_default=False)
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Name of an arm to run; repeat. [default: all]", show_default=False)
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--with", help="NAME=FOLDER that arms refer to as @NAME; repeat.", show_default=False),
    ] = None,
    protocol: Annotated[str, typer.Option(help="Comma-separated definitions.")] = "caos,smiyc",
    workers: Annotated[int, typer.Option(min=1, help="Processes that score.")] = 1,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of trainings, fits and of drawing images anew.")] = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Make again what no longer fits its set, settings or code.")
    ] = False,
    list_arms: Annotated[bool, typer.Option("--list", help="List the arms, and stop.")] = False,
) -> None:
    """Say what each step of training with negatives is worth: losses, pasting, camera faults, the encoder.

    \b
    caos study exposure exposed --out study
    caos study exposure exposed --out study --on photos=ra21 --with plain=data --with cutouts=cuts
    caos study exposure exposed --out study --arms mine.toml --only "no negatives" --only mine

    Every arm is trained and scored once; interrupted, the same command goes on where it stopped.
    """
    from caos.studies.exposure.arms import USUAL_ARMS, read_arms

    if list_arms:
        for arm in read_arms(arms or USUAL_ARMS).arm:
            typer.echo(f"{arm.name:<32}{arm.step}")
        return
    from caos.foundation.errors import CaosError
    from caos.foundation.progress import Terminal
    from caos.foundation.threads import wait_passively

    if dataset is None:
        raise CaosError("no set: caos study exposure SET --out STUDY")
    wait_passively()
    from caos.studies.exposure.study import ExposureSettings, study_exposure

    settings = ExposureSettings(
        arms=arms,
        only=tuple(only or ()),
        protocols=protocol,
        device=device,
        workers=workers,
        seed=seed,
        overwrite=overwrite,
    )
    done = study_exposure(dataset, out, on=on or (), places=given or (), settings=settings, progress=Terminal())
    typer.echo(done.markdown())
    typer.echo(f"The page: {done.page}")
