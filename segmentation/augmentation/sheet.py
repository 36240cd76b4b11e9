"""Augmentation sheet: training pictures and their labels as each augmentation alone leaves them, to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.storage.png import write_png
from caos.scenes.dataset.layout import Dataset
from caos.scenes.labels import VOID, LabelTable
from caos.segmentation.augmentation.deep_augment import DeepAugment
from caos.segmentation.augmentation.geometry import augment
from caos.segmentation.augmentation.mixing import cut_mix, draw_blend
from caos.segmentation.augmentation.painters import load_painters
from caos.segmentation.data.loading import Batch, read_pair
from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.plots import labelled

PICTURES: Final = 3
TRIES: Final = 6
"""Draws of an augmentation: flip, Mixup and others leave some pictures, or whole batches, nearly as they are."""
WITHOUT_PICTURE: Final = ("adversarial",)
"""What depends on the network that learns, and cannot be shown without one."""
WIDTH: Final = 300


def augmentation_sheet(dataset: Dataset, config: TrainConfig, path: Path) -> tuple[str, ...]:
    """Write a PNG: a row for the pictures as they are, and one for each augmentation of a training, alone.

    Each row has three training pictures, each with its labels beside it; void is white.

    Args:
        dataset: Whose training pictures are shown.
        config: Settings of the training; ``augment`` says what is shown.
        path: The PNG.

    Returns:
        What is shown, row by row.

    Raises:
        CaosError: If nothing of it can be shown, a picture cannot be read, or DeepAugment's networks cannot be.
    """
    names = [name for name in config.augment if name not in WITHOUT_PICTURE]
    if not names:
        raise CaosError(f"--augment {','.join(config.augment)} has nothing to show; name some: --augment cutout,cutmix")
    samples = dataset.samples("train")
    steps = np.linspace(0, len(samples) - 1, min(PICTURES, len(samples))).astype(int)
    pairs = [read_pair(samples[i], dataset.labels, config.size) for i in dict.fromkeys(steps.tolist())]
    rows = [_row("as it is", _stacked(pairs), dataset.labels)]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        for name in names:
            rows.append(_row(name, _changed(pairs, replace(config, augment=(name,))), dataset.labels))
    wide = max(row.shape[1] for row in rows)
    sheet = [np.pad(row, ((0, 4), (0, wide - row.shape[1]), (0, 0)), constant_values=255) for row in rows]
    write_png(path, np.concatenate(sheet))
    return ("as it is", *names)


def _changed(pairs: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8]]], config: TrainConfig) -> Batch:
    """The pictures under one augmentation: of a few draws the one that changes them most."""
    plain, name = _stacked(pairs), config.augment[0]
    painter = _painter(config) if name == "deepaugment" else None
    found = []
    for number in range(TRIES):
        rngs = [np.random.default_rng((config.seed, number, i)) for i in range(len(pairs))]
        views = [augment(*pair, config, rng) for pair, rng in zip(pairs, rngs, strict=True)]
        batch = _mixed(_stacked([(shown[-1], labels) for shown, labels in views]), name)
        found.append(batch if painter is None else Batch(painter(batch.pictures, number), batch.labels))
    return max(found, key=lambda batch: _distance(batch.pictures, plain.pictures))


def _distance(pictures: Tensor, plain: Tensor) -> float:
    """How far pictures are from the nearest of those as they are; nought where their sizes differ."""
    if pictures.shape != plain.shape:
        return 0.0
    apart = (pictures[:, None].float() - plain[None].float()).abs().flatten(2).mean(2)
    return float(apart.amin(1).mean())


def _painter(config: TrainConfig) -> DeepAugment:
    painters = load_painters(config.autoencoder, config.super_resolution, torch.device("cpu"))
    return DeepAugment(painters, config.seed)


def _mixed(batch: Batch, name: str) -> Batch:
    """What happens to a batch as a whole; the labels of a blend are those of the picture that it has more of."""
    if name == "cutmix":
        return Batch(*cut_mix(*batch))
    if name == "mixup":
        blend = draw_blend(len(batch.labels))
        labels = batch.labels if blend.share >= 0.5 else batch.labels[blend.order]
        return Batch(blend.of(batch.pictures.float()).round().to(torch.uint8), labels)
    return batch


def _stacked(pairs: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8]]]) -> Batch:
    if len({labels.shape for _, labels in pairs}) > 1:
        raise CaosError("training pictures have different sizes; give --size WIDTHxHEIGHT")
    pictures, labels = (torch.from_numpy(np.stack(one)) for one in zip(*pairs, strict=True))
    return Batch(pictures, labels)


def _row(name: str, batch: Batch, table: LabelTable) -> NDArray[np.uint8]:
    tiles: list[NDArray[np.uint8]] = []
    for number, (picture, labels) in enumerate(zip(batch.pictures, batch.labels, strict=True)):
        tiles.append(labelled(_array(picture), "" if number else name, WIDTH))
        tiles.append(labelled(table.colorize(np.where(_array(labels) < table.num_classes, labels, VOID)), "", WIDTH))
    return np.hstack(tiles)


def _array(tensor: Tensor) -> NDArray[np.uint8]:
    return np.asarray(tensor.numpy(), np.uint8)
