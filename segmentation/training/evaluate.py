"""How good a segmenter is: IoU, accuracy and calibration, gathered picture by picture in constant memory.

Two means of the class IoUs are always given, because one number hides a choice: ``miou_present`` averages the classes
that have pixels in the truth, ``miou_all`` all classes, an absent one counting 0 (StreetHazards' test split has no
pedestrian: there the second is 12/13 of the first). Calibration error and AURRA: see
:mod:`caos.segmentation.training.calibration`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caos.foundation.execution.progress import SILENT, Progress
from caos.scenes.dataset.layout import Sample
from caos.scenes.labels import VOID, LabelTable
from caos.segmentation.data.loading import prefetch, read_pair
from caos.segmentation.prediction.checkpoint import SegmenterMeasures
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.calibration import Confidences


class SegmentationTally:
    """Counts that all measures are made from; two tallies can be added.

    Attributes:
        confusion: ``(C, C)`` pixels by true class and predicted class.
        confidences: The largest class probability of each pixel, and whether that class is right.
    """

    def __init__(self, num_classes: int, device: torch.device | str = "cpu") -> None:
        self.confusion = torch.zeros((num_classes, num_classes), dtype=torch.int64, device=device)
        self.confidences = Confidences()

    def add(self, logits: Tensor, labels: Tensor, *, calibration: bool = True) -> None:
        """Count pictures: logits ``(n, C, h, w)``, labels ``(n, h, w)`` with ``VOID`` where nothing is known."""
        counted = labels != VOID
        truth = labels[counted].long()
        classes = len(self.confusion)
        predicted = logits.argmax(1)[counted]
        self.confusion += torch.bincount(truth * classes + predicted, minlength=classes**2).reshape(classes, classes)
        if not calibration:
            return
        for own, truth, kept in zip(logits, labels, counted, strict=True):
            doubt, winner = doubts(own, kept)
            self.confidences.add(doubt, (winner == truth[kept].long()).cpu().numpy())

    def quality(self, table: LabelTable) -> SegmentationQuality:
        """The measures of everything counted so far."""
        confusion = self.confusion.cpu().numpy()
        calibration = self.confidences.calibration()
        return SegmentationQuality(
            names=tuple(row.name for row in table.trained),
            confusion=confusion,
            calibration_rms=calibration.rms,
            aurra=calibration.aurra,
            response=calibration.response,
        )


@dataclass(frozen=True, eq=False)
class SegmentationQuality:
    """The measures of a segmenter on a split."""

    names: tuple[str, ...]
    confusion: NDArray[np.int64]
    calibration_rms: float | None
    aurra: float | None
    response: tuple[float, ...] = ()

    @property
    def class_iou(self) -> dict[str, float | None]:
        """IoU by class; None for a class without a pixel in the truth."""
        right = np.diag(self.confusion)
        truth, found = self.confusion.sum(1), self.confusion.sum(0)
        return {
            name: float(r / (t + f - r)) if t else None
            for name, r, t, f in zip(self.names, right, truth, found, strict=True)
        }

    @property
    def miou_present(self) -> float:
        """Mean over the classes that the truth has."""
        present = [iou for iou in self.class_iou.values() if iou is not None]
        return float(np.mean(present)) if present else 0.0

    @property
    def miou_all(self) -> float:
        """Mean over all classes, an absent one counting 0."""
        return float(sum(iou or 0.0 for iou in self.class_iou.values()) / len(self.names))

    @property
    def pixel_accuracy(self) -> float:
        """Share of the counted pixels that are right."""
        return float(np.trace(self.confusion) / max(self.confusion.sum(), 1))

    def measures(self) -> SegmenterMeasures:
        """The measures as a run records them."""
        return SegmenterMeasures(
            miou_present=self.miou_present,
            miou_all=self.miou_all,
            pixel_accuracy=self.pixel_accuracy,
            calibration_rms=self.calibration_rms,
            aurra=self.aurra,
            class_iou=self.class_iou,
            pixels=int(self.confusion.sum()),
            confusion=tuple(tuple(row) for row in self.confusion.tolist()),
        )


def doubts(logits: Tensor, kept: Tensor) -> tuple[NDArray[np.float64], Tensor]:
    """The probability of all classes but the likeliest one at some pixels of ``(C, h, w)``, and the likeliest one.

    As the share of the other classes: one minus the largest probability would be 0 for all pixels that are very sure.
    """
    chosen = logits[:, kept].double() if logits.device.type != "mps" else logits[:, kept].cpu().double()
    winners = chosen.argmax(0)
    total = chosen.logsumexp(0)
    chosen.scatter_(0, winners[None], float("-inf"))
    return (chosen.logsumexp(0) - total).exp().cpu().numpy(), winners


def evaluate(
    predictor: Predictor,
    samples: Sequence[Sample],
    *,
    calibration: bool = True,
    workers: int = 2,
    progress: Progress = SILENT,
    name: str = "evaluating",
) -> SegmentationTally:
    """Count every picture of a split.

    Raises:
        CaosError: If a picture cannot be read.
    """
    tally = SegmentationTally(predictor.num_classes, predictor.device)

    def load(sample: Sample) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        return read_pair(sample, predictor.labels, None)

    with progress.task(name, len(samples)) as task:
        for picture, labels in prefetch(load, samples, workers, 4):
            logits = predictor.predict(picture[None]).logits
            tally.add(logits, torch.from_numpy(labels[None].copy()).to(predictor.device), calibration=calibration)
            task.advance()
    return tally
