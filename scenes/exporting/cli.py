"""``caos scenes export`` and ``caos scenes card``."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from caos.foundation.execution.progress import Terminal


class FormatOption(str, Enum):
    """Names of the formats; a test holds them to :data:`caos.scenes.exporting.formats.FORMATS`."""

    smiyc = "smiyc"
    cityscapes = "cityscapes"
    coco_panoptic = "coco-panoptic"
    coco_instances = "coco-instances"
    webdataset = "webdataset"
    kitti_object = "kitti-object"
    kitti_odometry = "kitti-odometry"
    nuscenes = "nuscenes"
    hugging_face = "hugging-face"


def export(
    dataset: Annotated[Path, typer.Argument(help="A dataset folder: it holds train/ and test/.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write to; run again with the same folder to continue.")],
    form: Annotated[FormatOption, typer.Option("--format", help="Format to write.")],
    shard_images: Annotated[int, typer.Option(min=1, help="Images per tar file (webdataset).")] = 500,
) -> None:
    """Write a set in another tool's format.

    \b
    caos scenes export data --format smiyc --out smiyc
    caos scenes export data --format coco-instances --out coco
    caos scenes export data --format webdataset --shard-images 200 --out shards
    caos scenes export data --format kitti-object --out kitti
    caos scenes export near --format kitti-odometry --out drives
    caos scenes export near --format nuscenes --out nuscenes
    caos scenes export data --format hugging-face --out folder
    """
    from caos.scenes.dataset.layout import open_dataset
    from caos.scenes.exporting.formats import export_set

    result = export_set(open_dataset(dataset), form.value, out, shard_images=shard_images, progress=Terminal())
    typer.echo(f"{result.images} images: {result.out}")


def card(
    dataset: Annotated[Path, typer.Argument(help="A dataset folder: it holds train/ and test/.")],
    out: Annotated[Path, typer.Option("--out", help="The card, a Markdown file.")],
) -> None:
    """Write the dataset card of a set: splits, classes, hazards, licences, origin, limits.

    \b
    caos scenes card data --out data/README.md
    """
    from caos.foundation.storage.files import check_ending, write_text
    from caos.scenes.dataset.card import dataset_card
    from caos.scenes.dataset.layout import open_dataset

    check_ending(out, ".md")
    write_text(out, dataset_card(open_dataset(dataset)))
    typer.echo(str(out))
