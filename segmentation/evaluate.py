"""How good a segmenter is: IoU, accuracy and calibration, gathered picture by picture in constant memory.

Two means of the class IoUs are always given, because one number hides a choice: ``miou_present`` averages the classes
that have pixels in the truth, ``miou_all`` all classes, an absent one counting 0 (StreetHazards' test split has no
pedestrian: there the second is 12/13 of the first). Calibration error and AURRA are those of the dissertation's
appendix A.3.2: the RMS gap between confidence and accuracy over bins of equal mass, and the area under accuracy as a
function of the share of pixels answered, most confident first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import digamma
from torch import Tensor

from caos.foundation.progress import SILENT, Progress
from caos.scenes.labels import VOID, LabelTable
from caos.scenes.layout import Sample
from caos.segmentation.checkpoint import SegmenterMeasures
from caos.segmentation.data import prefetch, read_pair
from caos.segmentation.predict import Predictor

CELLS: Final = 4096
DEEPEST: Final = 16.0
CALIBRATION_BINS: Final = 100


class SegmentationTally:
    """Counts that all measures are made from; two tallies can be added.

    Confidences are counted in cells that are even in ``-log(1 - confidence)``, since most pixels lie close to 1.

    Attributes:
        confusion: ``(C, C)`` pixels by true class and predicted class.
        cells: ``(CELLS, 3)`` number of pixels, number right, and sum of confidences.
    """

    def __init__(self, num_classes: int, device: torch.device | str = "cpu") -> None:
        self.confusion = torch.zeros((num_classes, num_classes), dtype=torch.int64, device=device)
        self.cells = torch.zeros((CELLS, 3), dtype=torch.float64, device=device)

    def add(self, logits: Tensor, labels: Tensor, *, calibration: bool = True) -> None:
        """Count pictures: logits ``(n, C, h, w)``, labels ``(n, h, w)`` with ``VOID`` where nothing is known."""
        counted = labels != VOID
        truth = labels[counted].long()
        classes = len(self.confusion)
        best, winners = logits.max(1)
        predicted = winners[counted]
        self.confusion += torch.bincount(truth * classes + predicted, minlength=classes**2).reshape(classes, classes)
        if not calibration:
            return
        sure = (best - logits.logsumexp(1)).exp()[counted].double()
        depth = -torch.log((1 - sure).clamp(min=np.exp(-DEEPEST)))
        cell = (depth * (CELLS / DEEPEST)).long().clamp(0, CELLS - 1)
        right = (predicted == truth).double()
        for column, weights in enumerate((torch.ones_like(sure), right, sure)):
            self.cells[:, column] += torch.bincount(cell, weights, minlength=CELLS)

    def quality(self, table: LabelTable) -> SegmentationQuality:
        """The measures of everything counted so far."""
        confusion = self.confusion.cpu().numpy()
        cells = self.cells.cpu().numpy()
        return SegmentationQuality(
            names=tuple(row.name for row in table.trained),
            confusion=confusion,
            calibration_rms=calibration_rms(cells),
            aurra=aurra(cells),
        )


@dataclass(frozen=True, eq=False)
class SegmentationQuality:
    """The measures of a segmenter on a split."""

    names: tuple[str, ...]
    confusion: NDArray[np.int64]
    calibration_rms: float | None
    aurra: float | None

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


def calibration_rms(cells: NDArray[np.float64], bins: int = CALIBRATION_BINS) -> float | None:
    """Root mean square gap between confidence and accuracy over ``bins`` bins of (nearly) equal mass."""
    total = cells[:, 0].sum()
    if not total:
        return None
    middle = np.cumsum(cells[:, 0]) - cells[:, 0] / 2
    which = np.minimum((middle / total * bins).astype(int), bins - 1)
    merged = np.stack([np.bincount(which, cells[:, column], minlength=bins) for column in range(3)], 1)
    count, right, sure = merged[merged[:, 0] > 0].T
    return float(np.sqrt(np.sum(count / total * ((sure - right) / count) ** 2)))


def aurra(cells: NDArray[np.float64]) -> float | None:
    """Area under the response rate accuracy curve; pixels within a cell count as equally confident.

    With ``n0`` pixels answered before a cell of ``n`` pixels with share ``a`` right, the accuracies after each of them
    add up to ``a n + (right0 - a n0) (H(n0 + n) - H(n0))``, where H are the harmonic numbers.
    """
    count, right = cells[cells[:, 0] > 0, :2][::-1].T
    total = count.sum()
    if not total:
        return None
    before = np.concatenate([[0.0], np.cumsum(count)[:-1]])
    right_before = np.concatenate([[0.0], np.cumsum(right)[:-1]])
    share = right / count
    harmonic = digamma(before + count + 1) - digamma(before + 1)
    return float(np.sum(right + (right_before - share * before) * harmonic) / total)


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
