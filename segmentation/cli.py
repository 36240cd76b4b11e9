"""``caos train``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(add_completion=False)

_PLACE, _MODEL, _LEARNING, _PICTURES, _MACHINE = "Run", "Model", "Learning", "Pictures", "Machine"


@app.command()
def train(
    dataset: Annotated[Path, typer.Argument(help="Folder that holds train/ and test/ in StreetHazards layout.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the run.", rich_help_panel=_PLACE)],
    preset: Annotated[
        str, typer.Option(help="Starting point: paper, or quick (small, CPU).", rich_help_panel=_PLACE)
    ] = "paper",
    config: Annotated[
        Path | None, typer.Option(help="TOML file of settings; flags win over it.", rich_help_panel=_PLACE)
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a stopped run.", rich_help_panel=_PLACE)] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the run at --out.", rich_help_panel=_PLACE)
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Seed of weights, order and changes.", rich_help_panel=_PLACE)
    ] = None,
    seeds: Annotated[str | None, typer.Option(help="Train an ensemble, such as 0,1,2.", rich_help_panel=_PLACE)] = None,
    evaluate: Annotated[
        str | None, typer.Option(help="Splits measured at the end: val, test, or val,test.", rich_help_panel=_PLACE)
    ] = None,
    export: Annotated[str | None, typer.Option(help="onnx: also write model.onnx.", rich_help_panel=_PLACE)] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="pspnet, pspnet-light, autoencoder, or one of segmentation-models-pytorch: unet, fpn, segformer ...",
            rich_help_panel=_MODEL,
        ),
    ] = None,
    encoder: Annotated[
        str | None, typer.Option(help="resnet101, resnet18 ..., or tu-<timm model>.", rich_help_panel=_MODEL)
    ] = None,
    encoder_weights: Annotated[
        str | None,
        typer.Option(help="imagenet (model hub), bundled (no network), none, or a file.", rich_help_panel=_MODEL),
    ] = None,
    encoder_depth: Annotated[
        int | None, typer.Option(help="Stages of PSPNet's encoder: 5, or 4 to save time.", rich_help_panel=_MODEL)
    ] = None,
    output_stride: Annotated[int | None, typer.Option(help="8 as in the paper, or 16.", rich_help_panel=_MODEL)] = None,
    head_channels: Annotated[
        int | None, typer.Option(help="Channels before the classifier.", rich_help_panel=_MODEL)
    ] = None,
    dropout: Annotated[float | None, typer.Option(help="Share of dropped channels.", rich_help_panel=_MODEL)] = None,
    confidence_branch: Annotated[
        bool | None,
        typer.Option("--confidence-branch/--no-confidence-branch", help="Learn a confidence.", rich_help_panel=_MODEL),
    ] = None,
    init: Annotated[
        Path | None, typer.Option(help="Start from the weights of this run.", rich_help_panel=_MODEL)
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(help="Label table, such as streethazards-12 (ignores `other`).", rich_help_panel=_MODEL),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the set.", rich_help_panel=_LEARNING)] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Pictures a device and step.", rich_help_panel=_LEARNING)
    ] = None,
    accumulate: Annotated[
        int | None, typer.Option(help="Batches gathered for one update.", rich_help_panel=_LEARNING)
    ] = None,
    optimizer: Annotated[str | None, typer.Option(help="sgd or adamw.", rich_help_panel=_LEARNING)] = None,
    lr: Annotated[float | None, typer.Option(help="Highest learning rate.", rich_help_panel=_LEARNING)] = None,
    weight_decay: Annotated[float | None, typer.Option(help="Weight decay.", rich_help_panel=_LEARNING)] = None,
    schedule: Annotated[
        str | None, typer.Option(help="poly, one-cycle or constant.", rich_help_panel=_LEARNING)
    ] = None,
    freeze: Annotated[
        str | None, typer.Option(help="none, norm (statistics) or encoder.", rich_help_panel=_LEARNING)
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="Bring pictures to this size first, such as 640x360.", rich_help_panel=_PICTURES)
    ] = None,
    crop: Annotated[
        str | None, typer.Option(help="Window that is learnt from, such as 512x512.", rich_help_panel=_PICTURES)
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="Smallest and largest random scale, such as 0.5,2.", rich_help_panel=_PICTURES)
    ] = None,
    augment: Annotated[
        str | None,
        typer.Option(help="Any of flip,scale,crop,color,augmix,deepaugment; or none.", rich_help_panel=_PICTURES),
    ] = None,
    consistency: Annotated[
        float | None,
        typer.Option(help="Weight of AugMix's consistency loss (its paper: 12).", rich_help_panel=_PICTURES),
    ] = None,
    autoencoder: Annotated[
        Path | None, typer.Option(help="Autoencoder run for deepaugment.", rich_help_panel=_PICTURES)
    ] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu, cuda, cuda:1, mps.", rich_help_panel=_MACHINE)] = None,
    devices: Annotated[int | None, typer.Option(help="GPUs (or processes) a node.", rich_help_panel=_MACHINE)] = None,
    nodes: Annotated[int | None, typer.Option(help="Machines.", rich_help_panel=_MACHINE)] = None,
    precision: Annotated[str | None, typer.Option(help="32, bf16 or 16.", rich_help_panel=_MACHINE)] = None,
    workers: Annotated[int | None, typer.Option(help="Threads that read pictures.", rich_help_panel=_MACHINE)] = None,
    compile_: Annotated[
        bool | None, typer.Option("--compile/--no-compile", help="Use torch.compile.", rich_help_panel=_MACHINE)
    ] = None,
    checkpoint_steps: Annotated[
        int | None, typer.Option(help="Also save every so many steps; 0: after epochs.", rich_help_panel=_MACHINE)
    ] = None,
) -> None:
    """Train a segmenter (or the autoencoder) on a set, and measure it on the town it has not seen.

    The paper's PSPNet with ResNet-101, for a GPU:

      caos train sets/streets --out runs/paper

    Minutes on two CPU cores, no network; then go on where it was stopped:

      caos train sets/streets --out runs/quick --preset quick

      caos train sets/streets --out runs/quick --resume

    What the other scorers need:

      caos train sets/streets --out runs/quick/autoencoder --model autoencoder

      caos train sets/streets --out runs/quick/confidence --preset quick --confidence-branch --init runs/quick

    An ensemble in runs/many, runs/many/seed1, runs/many/seed2; other pictures; your own settings:

      caos train sets/streets --out runs/many --seeds 0,1,2

      caos train sets/streets --out runs/robust --augment flip,scale,crop,augmix

      caos train sets/streets --out runs/mine --config mine.toml --epochs 40
    """
    # While a loader thread has a core, threads that spin for their turn would take it away again.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    names = ("seed", "model", "encoder", "encoder_weights", "encoder_depth", "output_stride", "head_channels",
             "dropout", "confidence_branch", "init", "labels", "epochs", "batch_size", "accumulate", "optimizer", "lr",
             "weight_decay", "schedule", "freeze", "consistency", "autoencoder", "device", "devices", "nodes",
             "precision", "workers", "checkpoint_steps")  # fmt: skip
    given = locals()
    flags = {name: given[name] for name in names} | {"compile": compile_}
    flags |= _parsed(size=size, crop=crop, scale=scale, augment=augment, evaluate=evaluate)
    _run(dataset, out, flags, config, preset, resume, overwrite, _seeds(seeds), export)


def _run(
    dataset: Path,
    out: Path,
    flags: dict[str, Any],
    file: Path | None,
    preset: str,
    resume: bool,
    overwrite: bool,
    seeds: list[int] | None,
    export: str | None,
) -> None:
    from foundation.errors import CaosError, unknown
    from foundation.progress import Terminal
    from scenes.layout import open_dataset
    from segmentation.config import make_config

    if export not in {None, "onnx"}:
        raise unknown("export format", str(export), ["onnx"])
    if resume and overwrite:
        raise CaosError("--resume and --overwrite exclude each other; give one")
    if seeds and flags["seed"] is not None:
        raise CaosError("--seed and --seeds exclude each other; give one")
    first = make_config(flags, file, preset)
    opened = open_dataset(dataset, first.labels)
    progress = Terminal()

    from segmentation.places import resumed_config
    from segmentation.train import train

    for number, seed in enumerate(seeds or [first.seed]):
        place = out if number == 0 else out / f"seed{number}"
        wanted = flags | {"seed": seed} if seeds else flags
        started = resume and (place / "run.json").exists()
        if started:
            settings = resumed_config(place, wanted)
            opened = open_dataset(dataset, settings.labels)
        else:
            settings = make_config(wanted, file, preset)
        results = train(
            opened, place, settings, resume=started or (resume and not seeds), overwrite=overwrite, progress=progress
        )
        _show(place, results)
        if export:
            _export(place, opened, settings, progress)


def _show(place: Path, results: dict[str, Any]) -> None:
    """Print what was reached, for people; ``metrics.json`` has it for programs."""
    typer.echo(f"{place}: best epoch {results.get('best_epoch')} of {results.get('epochs')}")
    for split, values in results.get("splits", {}).items():
        if "difference" in values:
            typer.echo(f"{split}: mean absolute difference of picture and reconstruction {values['difference']:.4f}")
            continue
        typer.echo(
            f"{split}: mIoU {values['miou_present']:.3f} over the classes present, {values['miou_all']:.3f} over all; "
            f"pixel accuracy {values['pixel_accuracy']:.3f}; RMS calibration error {values['calibration_rms']:.3f}; "
            f"AURRA {values['aurra']:.3f}"
        )
        for name, iou in values["class_iou"].items():
            typer.echo(f"  {name:<14} {'absent' if iou is None else f'{iou:.3f}'}")


def _export(place: Path, dataset: Any, config: Any, progress: Any) -> None:
    from scenes.layout import read_image
    from segmentation.export import export_onnx

    picture = read_image(dataset.samples("train")[0].image)
    width, height = config.size or (picture.shape[1], picture.shape[0])
    path = export_onnx(place, (-(-width // 32) * 32, -(-height // 32) * 32))
    progress.say(f"wrote {path}")


def _parsed(**texts: str | None) -> dict[str, Any]:
    """Flags that stand for several values."""
    from foundation.errors import CaosError
    from segmentation.config import parse_size

    found: dict[str, Any] = {}
    for name, text in texts.items():
        if text is None:
            continue
        if name in {"size", "crop"}:
            found[name] = parse_size(text, name)
        elif name == "scale":
            try:
                found[name] = tuple(float(part) for part in text.split(","))
            except ValueError as error:
                raise CaosError(f"scale is {text!r}; it must be two numbers, such as 0.5,2") from error
        else:
            found[name] = () if text == "none" else tuple(part.strip() for part in text.split(",") if part.strip())
    return found


def _seeds(text: str | None) -> list[int] | None:
    from foundation.errors import CaosError

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts) or len(set(parts)) != len(parts):
        raise CaosError(f"seeds is {text!r}; it must be different whole numbers, such as 0,1,2")
    return [int(part) for part in parts]
