"""What a run leaves for people to look at: curves, measures and pictures."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import torch

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.csv_text import csv_text
from caos.foundation.storage.files import write_json, write_text
from caos.scenes.dataset.layout import Dataset, Sample, Split, read_image
from caos.segmentation.data.loading import read_pair
from caos.segmentation.models.whole_images import WholeImageTask
from caos.segmentation.prediction.checkpoint import (
    AutoencoderMeasures,
    ObserverMeasures,
    SegmenterMeasures,
    WholeImageMeasures,
    fill_with_weights,
    read_run,
)
from caos.segmentation.prediction.predict import Autoencoder
from caos.segmentation.training.evaluate import evaluate
from caos.segmentation.training.observer_task import ObserverTask
from caos.segmentation.training.plots import draw_confusion, draw_curves, draw_predictions, draw_reconstructions
from caos.segmentation.training.tasks import AnyTask, AutoencoderTask, SegmentationTask

SHOWN: Final = 4


class Curves:
    """Writes every epoch to ``curves.csv`` and to TensorBoard."""

    def __init__(self, out: Path, history: Sequence[Mapping[str, Any]]) -> None:
        self._out = out
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from torch.utils.tensorboard.writer import SummaryWriter

        step = int(history[-1]["step"]) + 1 if history else None
        self._board = SummaryWriter(str(out / "tensorboard"), purge_step=step)

    def add(self, row: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> None:
        """Write one epoch's values."""
        write_text(self._out / "curves.csv", curves_text(history))
        for name, value in row.items():
            if name not in {"epoch", "step"}:
                self._board.add_scalar(name, value, row["step"])
        self._board.flush()

    def close(self) -> None:
        """Finish the TensorBoard file."""
        self._board.close()


def curves_text(history: Sequence[Mapping[str, Any]]) -> str:
    """The learning curve as CSV; a measure that was not taken in an epoch is empty."""
    columns = list(dict.fromkeys(key for row in history for key in row))
    return csv_text([columns, *([row.get(column) for column in columns] for row in history)])


def write_quality(
    out: Path,
    dataset: Dataset,
    task: AnyTask,
    device: torch.device,
    history: Sequence[Mapping[str, Any]],
    progress: Progress = SILENT,
) -> dict[str, SegmenterMeasures | AutoencoderMeasures | ObserverMeasures | WholeImageMeasures]:
    """Measure the best weights on the splits that the configuration names, and draw what there is to see.

    Returns:
        The measures by split, as ``metrics.json`` holds them.

    Raises:
        CaosError: If the network's outputs are no numbers.
    """
    fill_with_weights(task.model, read_run(out))
    draw_curves(out / "curves.png", history, task.watched)
    measured: dict[str, SegmenterMeasures | AutoencoderMeasures | ObserverMeasures | WholeImageMeasures] = {}
    for split in task.config.evaluate:
        samples = dataset.splits.get(cast("Split", split), ())
        if not samples:
            progress.say(f"{dataset.root} has no {split!r} pictures; {split} is not measured")
        elif isinstance(task, AutoencoderTask):
            measured[split] = AutoencoderMeasures(**task.measures(task.counts(samples, device)))
            _draw_reconstructions(out / f"reconstructions-{split}.png", task, samples, device)
        elif isinstance(task, ObserverTask):
            measured[split] = ObserverMeasures(**task.measures(task.counts(samples, device)))
        elif isinstance(task, WholeImageTask):
            measured[split] = WholeImageMeasures(**task.measures(task.counts(samples, device)))
        else:
            measured[split] = _segmentation_quality(out, split, task, samples, device, progress)
    every = {split: asdict(values) for split, values in measured.items()}
    if any(math.isnan(number) for number in _numbers(every)):
        raise CaosError("the network's outputs are no numbers; lower --lr, or use --precision 32")
    write_json(out / "metrics.json", every)
    return measured


def _numbers(values: Any) -> Iterator[float]:
    """All numbers of a tree of measures."""
    if isinstance(values, float):
        yield values
    elif isinstance(values, (dict, list, tuple)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from _numbers(value)


def _segmentation_quality(
    out: Path,
    split: str,
    task: SegmentationTask,
    samples: Sequence[Sample],
    device: torch.device,
    progress: Progress,
) -> SegmenterMeasures:
    predictor = task.predictor(device)
    tally = evaluate(predictor, samples, workers=task.config.workers, progress=progress, name=f"measuring {split}")
    quality = tally.quality(task.table)
    draw_confusion(out / f"confusion-{split}.png", quality, f"{split}: share of each class, in per cent")
    rows = []
    for sample in spread(samples, SHOWN):
        picture, truth = read_pair(sample, task.table, None)
        found = predictor.predict(picture[None]).logits[0].argmax(0)
        rows.append((picture, truth, found.byte().cpu().numpy()))
    draw_predictions(out / f"predictions-{split}.png", rows, task.table)
    return quality.measures()


def _draw_reconstructions(path: Path, task: AutoencoderTask, samples: Sequence[Sample], device: torch.device) -> None:
    painter = Autoencoder(task.model.eval(), device)
    rows = []
    for sample in spread(samples, SHOWN):
        picture = read_image(sample.image)
        painted = painter.reconstruct(picture[None])[0]
        rows.append((picture, (painted * 255).round().byte().cpu().numpy()))
    draw_reconstructions(path, rows)


def spread(samples: Sequence[Sample], count: int) -> list[Sample]:
    """Up to ``count`` samples, evenly spaced."""
    return [samples[i] for i in np.unique(np.linspace(0, len(samples) - 1, count).astype(int))]
