"""``caos scenes`` with the commands that judge and show frames: ``filter``, ``video``, ``sensors``."""

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
        FilterKindOption,
        typer.Option(help="O: hazards that the run takes for ordinary; A: ordinary frames that it segments worst."),
    ] = FilterKindOption.O,
    split: Annotated[
        str | None, typer.Option(help="Split of the candidates.", show_default="test for O, val for A")
    ] = None,
    scorer: Annotated[str, typer.Option(help="Scorer that decides which hazards are missed.")] = "msp",
    most_found: Annotated[
        float, typer.Option(help="O: largest share of hazard pixels that the scorer may find.")
    ] = 0.15,
    worst_share: Annotated[float, typer.Option(help="A: share of the candidates to keep, worst first.")] = 0.25,
    per_kind: Annotated[int, typer.Option(help="Largest number of frames with one kind of hazard.")] = 15,
    per_confusion: Annotated[
        int, typer.Option(help="Largest number of frames with one kind taken for one class.")
    ] = 15,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda ...")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of fits.")] = 0,
) -> None:
    """Keep the frames that a reference run gets wrong as a new set: hard sets after ImageNet-O and ImageNet-A.

    \b
    caos scenes filter data --run run --kind O --out data-o
    caos scenes filter data --run run --kind A --split train --out data-a
    caos study transfer-hard data --hard data-o --run run --run other --out study

    Every kept frame has its scene beside it (data-o/scenes), for caos scenes render.
    If interrupted, run the same command again to continue.
    """
    from caos.foundation.execution.progress import Terminal
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


@app.command()
def sensors(
    dataset: Annotated[Path, typer.Argument(help="A generated dataset folder.")],
    out: Annotated[Path, typer.Option("--out", help="The picture, a PNG.")],
    key: Annotated[str | None, typer.Option(help="Key of the frame, such as test/lidar/001-0004.")] = None,
    boxes: Annotated[bool, typer.Option("--boxes", help="Draw boxes of hazards, vehicles and people.")] = False,
    columns: Annotated[int, typer.Option(min=1, max=12, help="Pictures per row of the sheet.")] = 3,
) -> None:
    """Draw the pictures of all cameras of a frame on one sheet, with lidar points (hazards in magenta).

    \b
    caos scenes generate lidar --out scans --test 1 --set sequence.frames=4
    caos scenes sensors scans --boxes --out scan.png
    """
    from caos.foundation.storage.files import check_ending
    from caos.scenes.dataset.layout import open_dataset
    from caos.scenes.viewing.sensor_sheet import write_sensor_picture

    check_ending(out, ".png")
    shown = write_sensor_picture(open_dataset(dataset), key, out, boxes=boxes, columns=columns)
    typer.echo(f"{out}: {shown}")


@app.command()
def video(
    dataset: Annotated[Path, typer.Argument(help="A dataset folder with sequences.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the videos.")],
    sequence: Annotated[str | None, typer.Option(help="Only this sequence, such as test/approach/003.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Leave out the line with frame, distance and speed.")] = False,
    results: Annotated[
        Path | None,
        typer.Option(help="Results of caos score on this set: show what was marked, and at which distance."),
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(help="With --results: the scorer to show.", show_default="the one that notices most in time"),
    ] = None,
    width: Annotated[int, typer.Option(min=160, max=8192, help="With --results: width in pixels.")] = 640,
) -> None:
    """Write the sequences of a set as animated WebP, which every browser plays.

    \b
    caos scenes generate approach --out near --test 3
    caos scenes video near --out videos
    caos score near --run bundled --out near-results
    caos scenes video near --results near-results --out noticed
    """
    from caos.foundation.errors import CaosError
    from caos.foundation.execution.progress import Terminal

    if results is not None and plain:
        raise CaosError("--plain shows no marks; leave it out, or leave out --results")
    if results is None and scorer is not None:
        raise CaosError(f"--scorer {scorer}: give the results too, with --results DIR")
    if results is not None:
        from caos.ood_scores.report.noticed_video import write_noticed_videos

        files = write_noticed_videos(
            results, out, scorer=scorer, only=sequence, dataset_root=dataset, width=width, progress=Terminal()
        )
    else:
        from caos.scenes.dataset.layout import open_dataset
        from caos.scenes.viewing.video import write_videos

        files = write_videos(open_dataset(dataset), out, sequence, plain=plain, progress=Terminal())
    typer.echo("\n".join(str(file) for file in files))
