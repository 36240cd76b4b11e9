"""``caos train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from caos.foundation.flags import Given, with_flags
from caos.segmentation.config import AUGMENTATION_SUMMARIES, NEGATIVES, PICTURES, PRESETS_HELP, RUN, TrainConfig
from caos.segmentation.negatives import loss_names, loss_summary

if TYPE_CHECKING:
    from caos.foundation.progress import Progress
    from caos.scenes.layout import Dataset

app = typer.Typer(add_completion=False)


def _list_negatives(value: bool) -> None:
    if value:
        for name in loss_names():
            typer.echo(f"{name:<16}{loss_summary(name)}")
        raise typer.Exit


def _list_augmentations(value: bool) -> None:
    if value:
        for name, summary in AUGMENTATION_SUMMARIES.items():
            typer.echo(f"{name:<16}{summary}")
        raise typer.Exit


@app.command()
@with_flags(TrainConfig)
def train(
    dataset: Annotated[Path, typer.Argument(help="Folder that holds train/ and test/ in StreetHazards layout.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the run.", rich_help_panel=RUN)],
    given: Given,
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
    export: Annotated[str | None, typer.Option(help="onnx: also write model.onnx.", rich_help_panel=RUN)] = None,
) -> None:
    """Train a segmenter (or the autoencoder) on a set, and measure it on the town it has not seen.

    The paper's PSPNet with ResNet-101, for a GPU:

      caos train sets/streets --out runs/paper

    Minutes on two CPU cores, no network; stopped, the same command goes on:

      caos train sets/streets --out runs/quick --preset quick

    What the other scorers need:

      caos train sets/streets --out runs/quick/autoencoder --model autoencoder

      caos train sets/streets --out runs/quick/confidence --preset quick --confidence-branch --init runs/quick

      caos train sets/streets --out runs/quick/observer --preset quick --model obsnet --watches runs/quick

    Learn from anomalies that training pictures show (caos train --list-negatives):

      caos train sets/exposed --out runs/exposed --init runs/quick --negatives max_entropy --negative-weight 0.5

    Or from cut-outs that are pasted into them (caos assets cutouts):

      caos train sets/streets --out runs/pasted --init runs/quick --negatives max_entropy --paste cuts

    An ensemble in runs/many, runs/many/seed1, runs/many/seed2; other pictures; your own settings:

      caos train sets/streets --out runs/many --seeds 0,1,2

      caos train sets/streets --out runs/robust --augment flip,scale,crop,augmix

      caos train sets/streets --out runs/mine --config mine.toml --epochs 40
    """
    from caos.foundation.errors import CaosError, unknown
    from caos.foundation.progress import Terminal
    from caos.scenes.layout import open_dataset
    from caos.segmentation.config import make_config

    if export not in {None, "onnx"}:
        raise unknown("export format", str(export), ["onnx"])
    if seeds and "seed" in given:
        raise CaosError("--seed and --seeds exclude each other; give one")
    members = [given | {"seed": seed} for seed in _seeds(seeds)] if seeds else [given]
    configs = [make_config(flags, config, preset) for flags in members]
    opened = open_dataset(dataset, configs[0].labels)
    progress = Terminal()
    for number, settings in enumerate(configs):
        place = out if number == 0 else out / f"seed{number}"
        _train(opened, place, settings, overwrite=overwrite, export=export is not None, progress=progress)


def _train(
    dataset: Dataset, place: Path, config: TrainConfig, *, overwrite: bool, export: bool, progress: Progress
) -> None:
    from caos.segmentation.train import train

    results = train(dataset, place, config, overwrite=overwrite, progress=progress)
    # In the order of the request and of the table, which JSON does not keep.
    shown = {split: results["splits"][split] for split in config.evaluate if split in results["splits"]}
    _show(place, {**results, "splits": shown}, [row.name for row in dataset.labels.trained])
    if export:
        _export(place, dataset, config, progress)


def _show(place: Path, results: dict[str, Any], classes: list[str]) -> None:
    """Print what was reached, for people; ``metrics.json`` has it for programs."""
    typer.echo(f"{place}: best epoch {results['best_epoch']} of {results['epochs']}")
    for split, values in results["splits"].items():
        if "error_auroc" in values:
            found = "undefined" if values["error_auroc"] is None else f"{values['error_auroc']:.3f}"
            typer.echo(f"{split}: AUROC of the segmenter's errors {found}")
            continue
        if {"f1", "accuracy"} & values.keys():
            said = {"F1": values.get("f1"), "accuracy": values.get("accuracy")}
            told = [f"{name} {value:.3f}" for name, value in said.items() if value is not None]
            typer.echo(f"{split}: {', '.join(told) or 'no picture has an answer that training knew'}")
            continue
        if "difference" in values:
            typer.echo(f"{split}: mean absolute difference of picture and reconstruction {values['difference']:.4f}")
            continue
        typer.echo(
            f"{split}: mIoU {values['miou_present']:.3f} over the classes present, {values['miou_all']:.3f} over all; "
            f"pixel accuracy {values['pixel_accuracy']:.3f}; RMS calibration error {values['calibration_rms']:.3f}; "
            f"AURRA {values['aurra']:.3f}"
        )
        for name in classes:
            iou = values["class_iou"].get(name)
            typer.echo(f"  {name:<14} {'absent' if iou is None else f'{iou:.3f}'}")


def _export(place: Path, dataset: Dataset, config: TrainConfig, progress: Progress) -> None:
    from caos.scenes.layout import read_image
    from caos.segmentation.export import export_onnx

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
