"""``caos train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from caos.foundation.command_line.commands import listed
from caos.foundation.command_line.flags import Given, with_flags
from caos.segmentation.training.config import (
    AUGMENTATION_SUMMARIES,
    NEGATIVES,
    PICTURES,
    PRESETS_HELP,
    RUN,
    TrainConfig,
)
from caos.segmentation.training.negatives import loss_names, loss_summary

if TYPE_CHECKING:
    from caos.foundation.execution.progress import Progress
    from caos.scenes.dataset.layout import Dataset

app = typer.Typer(add_completion=False)


def _list_negatives(value: bool) -> None:
    if value:
        for name in loss_names():
            typer.echo(listed(name, loss_summary(name), 18))
        raise typer.Exit


def _list_augmentations(value: bool) -> None:
    if value:
        for name, summary in AUGMENTATION_SUMMARIES.items():
            typer.echo(listed(name, summary, 18))
        raise typer.Exit


@app.command()
@with_flags(TrainConfig)
def train(
    dataset: Annotated[Path, typer.Argument(help="Folder that holds train/ and test/ in StreetHazards layout.")],
    given: Given,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the run.", show_default=False, rich_help_panel=RUN)
    ] = None,
    preset: Annotated[str, typer.Option(help=PRESETS_HELP, rich_help_panel=RUN)] = "paper",
    config: Annotated[
        Path | None, typer.Option(help="TOML file of settings; flags win over it.", rich_help_panel=RUN)
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the run at --out.", rich_help_panel=RUN)
    ] = False,
    seeds: Annotated[str | None, typer.Option(help="Train an ensemble, such as 0,1,2.", rich_help_panel=RUN)] = None,
    _list: Annotated[
        bool,
        typer.Option(
            "--list-negatives",
            callback=_list_negatives,
            is_eager=True,
            help="List the losses with negatives, and stop.",
            rich_help_panel=NEGATIVES,
        ),
    ] = False,
    _list_looks: Annotated[
        bool,
        typer.Option(
            "--list-augmentations",
            callback=_list_augmentations,
            is_eager=True,
            help="List what --augment can do to pictures, and stop.",
            rich_help_panel=PICTURES,
        ),
    ] = False,
    show_augmentations: Annotated[
        Path | None,
        typer.Option(
            help="Write a PNG of training pictures as each of --augment changes them, and stop.",
            show_default=False,
            rich_help_panel=PICTURES,
        ),
    ] = None,
    export: Annotated[str | None, typer.Option(help="onnx: also write model.onnx.", rich_help_panel=RUN)] = None,
) -> None:
    """Train a segmenter on a set, and measure it in a town it has not seen.

    The paper's PSPNet with ResNet-101 for a GPU, or a small one for two CPU cores and a few minutes:

    \b
    caos train data --out paper
    caos train data --out run --preset quick

    Networks that some scorers need:

    \b
    caos train data --out run/autoencoder --model autoencoder
    caos train data --out run/confidence --confidence-branch --init run
    caos train data --out run/observer --model obsnet --watches run

    Learning from anomalies: those in the training pictures, or pasted cut-outs (caos assets cutouts):

    \b
    caos train exposed --out with --init run --negatives max_entropy
    caos train data --out pasted --negatives max_entropy --paste cuts

    An ensemble in many, many/seed1, many/seed2; your own settings; what augmentations look like:

    \b
    caos train data --out many --seeds 0,1,2
    caos train data --out mine --config mine.toml --epochs 40
    caos train data --augment cutmix,style --show-augmentations looks.png

    If interrupted, run the same command again to continue.
    """
    from caos.foundation.errors import CaosError, unknown
    from caos.foundation.execution.progress import Terminal
    from caos.foundation.storage.files import check_ending
    from caos.scenes.dataset.layout import open_dataset
    from caos.segmentation.training.config import make_config
    from caos.segmentation.training.terminal_tables import show_runs

    if export not in {None, "onnx"}:
        raise unknown("export format", str(export), ["onnx"])
    if export is not None:
        from caos.segmentation.prediction.export import check_onnx

        check_onnx()
    if seeds and "seed" in given:
        raise CaosError("--seed and --seeds exclude each other; give one")
    members = [given | {"seed": seed} for seed in _seeds(seeds)] if seeds else [given]
    configs = [make_config(flags, config, preset) for flags in members]
    if out is None and show_augmentations is None:
        raise CaosError("no folder for the run; give --out RUN")
    if show_augmentations is not None:
        check_ending(show_augmentations, ".png")
    opened = open_dataset(dataset, configs[0].labels)
    if show_augmentations is not None:
        from caos.segmentation.augmentation.sheet import augmentation_sheet

        shown = augmentation_sheet(opened, configs[0], show_augmentations)
        typer.echo(f"{show_augmentations}: {', '.join(shown)}")
    if out is None or show_augmentations is not None:
        return
    terminal = Terminal()
    runs: dict[Path, dict[str, Any]] = {}
    for number, settings in enumerate(configs):
        place = out if number == 0 else out / f"seed{number}"
        runs[place] = _train(opened, place, settings, overwrite=overwrite, progress=terminal)
        if export is not None:
            _export(place, opened, settings, terminal)
    show_runs(runs, dataset, [row.name for row in opened.labels.trained])


def _train(
    dataset: Dataset, place: Path, config: TrainConfig, *, overwrite: bool, progress: Progress
) -> dict[str, Any]:
    from caos.segmentation.training.train import train

    results = train(dataset, place, config, overwrite=overwrite, progress=progress)
    # In the order of the request and of the table, which JSON does not keep.
    shown = {split: results["splits"][split] for split in config.evaluate if split in results["splits"]}
    return {**results, "splits": shown}


def _export(place: Path, dataset: Dataset, config: TrainConfig, progress: Progress) -> None:
    from caos.scenes.dataset.layout import read_image
    from caos.segmentation.prediction.export import export_onnx

    picture = read_image(dataset.samples("train")[0].image)
    width, height = config.size or (picture.shape[1], picture.shape[0])
    path = export_onnx(place, (-(-width // 32) * 32, -(-height // 32) * 32))
    progress.say(f"wrote {path}")


def _seeds(text: str) -> list[int]:
    from caos.foundation.errors import CaosError

    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts) or len({int(part) for part in parts}) != len(parts):
        raise CaosError(f"seeds is {text!r}; it must be different whole numbers, such as 0,1,2")
    return [int(part) for part in parts]
