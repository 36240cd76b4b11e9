"""Comparisons of a segmenter's measures: IoU, calibration, AURRA, open-set IoU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from hypothesis import strategies as st
from PIL import Image
from scipy.special import softmax
from sklearn import metrics as sk

from caos import Results, ScoringOptions, score_model
from caos.ood_scores.results import OpenSet
from caos.scenes.labels import STREETHAZARDS, VOID
from caos.segmentation.training.evaluate import SegmentationTally
from tests.ood_scores import little
from tests.reference import plain_segmentation
from tests.reference.comparison import Comparison
from tests.reference.plain_segmentation import SegmentedTown

CLASSES = STREETHAZARDS.num_classes
KINDS = ("raw", "sure", "saturated", "rounded", "constant")
"""Of logits: by how far the largest exceeds the others."""
LEFT_OUT = STREETHAZARDS.trained_id("other")
BINS = 100


def generated_logits(kind: str, rng: np.random.Generator, pixels: int) -> tuple[torch.Tensor, npt.NDArray[np.uint8]]:
    """Logits ``(1, C, 1, n)`` in float32 and labels ``(1, 1, n)``, a tenth of them void."""
    logits = rng.normal(size=(CLASSES, pixels)) * {"raw": 1.0, "sure": 6.0, "saturated": 60.0}.get(kind, 1.0)
    if kind == "rounded":
        logits = np.round(logits)
    elif kind == "constant":
        logits = np.repeat(np.arange(CLASSES)[:, None] == 3, pixels, axis=1).astype(float)
    best = logits.argmax(0)
    labels = np.where(rng.random(pixels) < 0.7, best, rng.integers(0, CLASSES - 2, pixels)).astype(np.uint8)
    labels[rng.random(pixels) < 0.1] = VOID
    return torch.from_numpy(logits.astype(np.float32))[None, :, None], labels[None, None]


@dataclass(frozen=True)
class SegmentedPictures:
    """Pictures of one kind of logits, by seed and numbers of pixels."""

    kind: str
    seed: int
    sizes: tuple[int, ...]

    def made(self) -> list[tuple[torch.Tensor, npt.NDArray[np.uint8]]]:
        """Logits and labels of each."""
        rng = np.random.default_rng(self.seed)
        return [generated_logits(self.kind, rng, size) for size in self.sizes]


def segmented_pictures() -> st.SearchStrategy[SegmentedPictures]:
    """Up to three pictures of any kind."""
    sizes = st.lists(st.sampled_from([1, 40, 700, 3000]), min_size=1, max_size=3).map(tuple)
    return st.builds(SegmentedPictures, st.sampled_from(KINDS), st.integers(0, 2**32), sizes)


def tally_checks(case: SegmentedPictures) -> Iterator[Comparison]:
    """IoU by class beside scikit-learn and plain code, AURRA and RMS calibration error beside plain code."""
    tally, pictures = SegmentationTally(CLASSES), case.made()
    for logits, labels in pictures:
        tally.add(logits, torch.from_numpy(labels))
    quality = tally.quality(STREETHAZARDS)
    truth = np.concatenate([labels.ravel() for _, labels in pictures])
    flat = torch.cat([logits[0, :, 0] for logits, _ in pictures], dim=1)
    kept = truth != VOID
    truth, flat = truth[kept], flat[:, torch.from_numpy(kept)]
    if not truth.size:
        yield Comparison("AURRA", quality.aurra, None)
        yield Comparison("RMS calibration error", quality.calibration_rms, None)
        return
    predicted = flat.argmax(0).numpy()
    plain = plain_segmentation.class_iou(truth, predicted, CLASSES)
    theirs = sk.jaccard_score(truth, predicted, labels=np.arange(CLASSES), average=None, zero_division=0.0)
    for one, expected, other in zip(quality.class_iou.values(), plain, theirs, strict=True):
        yield Comparison("class IoU", one, expected)
        yield Comparison("class IoU beside scikit-learn", one, None if expected is None else float(other))
    present = [value for value in plain if value is not None]
    yield Comparison("mean IoU", quality.miou_present, float(np.mean(present)))
    yield Comparison("mean IoU, absent classes zero", quality.miou_all, sum(present) / CLASSES)
    yield Comparison("pixel accuracy", quality.pixel_accuracy, sk.accuracy_score(truth, predicted))
    doubt = _doubts(flat.double().numpy(), predicted)
    yield Comparison("AURRA", quality.aurra, plain_segmentation.aurra(doubt, predicted == truth), 1e-9)
    expected = plain_segmentation.calibration_rms(doubt, predicted == truth, BINS)
    yield Comparison("RMS calibration error", quality.calibration_rms, expected, 1e-9)


def _doubts(logits: npt.NDArray[np.float64], predicted: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """One minus the confidence of each pixel, as the share of the other classes, in the precision that it is kept."""
    shares = softmax(logits, axis=0)
    shares[predicted, np.arange(predicted.size)] = 0.0
    return np.asarray(shares.sum(axis=0), np.float32)


class NearestColor(torch.nn.Module):
    """A segmenter of the little set: the nearer a pixel's colour is to that of a class, the higher its logit."""

    def __init__(self, sharpness: float) -> None:
        super().__init__()
        colors = torch.tensor([row.color for row in STREETHAZARDS.trained], dtype=torch.float32) / 255
        self.colors, self.sharpness = torch.nn.Parameter(colors), sharpness

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Logits ``(1, C, h, w)``."""
        away = (pictures[:, None] - self.colors[None, :, :, None, None]).square().sum(2)
        return -self.sharpness * away


def score_little_set(root: Path, seed: int, scorers: Sequence[str] = ("max_logit", "msp")) -> Results:
    """Score a little set of two towns with that segmenter, and keep its maps."""
    little.write_set(root / "set", test=7, seed=seed)
    options = ScoringOptions(save_maps=True)
    return score_model(NearestColor(8.0), root / "set", scorers, root / "out", options=options)


def open_set_checks(found: Results, data: Path) -> Iterator[Comparison]:
    """Closed-mIoU, open-mIoU and the anomaly's IoU; what the results call an error is allowed."""
    open_set = found.content.open_set
    assert open_set is not None
    for scorer, by_rule in open_set.scorers.items():
        images = _images(found, data, scorer)
        towns = {name: _joined(part) for name, part in images.items()}
        yield _closed(open_set, list(towns.values()))
        for rule, numbers in by_rule.items():
            own, anomaly = [], []
            for name, town in towns.items():
                threshold = _threshold([one for other in images if other != name for one in images[other]], rule)
                # DenseHybrid flags what scores more than the threshold.
                flagged = town.scores > threshold if rule == "recall_95_corner" else town.scores >= threshold
                ious = plain_segmentation.open_iou(town, flagged, CLASSES)
                own.append(float(np.nanmean(np.delete(ious[:-1], LEFT_OUT))))
                anomaly.append(ious[-1])
            # The best F1 is that of the counted steps, whose threshold lies within a step of the exact one.
            slack = 4e-3 if rule == "best_f1" else 1e-9
            for what, values in (("open_miou", own), ("anomaly_iou", anomaly)):
                expected = plain_segmentation.weighted_by_images(values, list(towns.values()))
                allowed = getattr(numbers, f"{what}_error", 0.0) + slack
                yield Comparison(f"open set, {rule}, {what}", getattr(numbers, what), expected, allowed)


Scored = tuple[npt.NDArray[np.float32], npt.NDArray[np.uint8], npt.NDArray[np.int64]]
"""Scores, predicted class ids and true class ids of an image; the anomaly is one more class, ``-1`` is left out."""


def _images(found: Results, data: Path, scorer: str) -> dict[str, list[Scored]]:
    images: dict[str, list[Scored]] = {}
    for path in sorted((data / "test/annotations").rglob("*.png")):
        key = f"test/{path.parent.name}/{path.stem}"
        scores = np.load(found.folder / "maps" / scorer / f"{key}.npz")["scores"]
        predicted = np.asarray(Image.open(found.folder / "predictions" / f"{key}.png"))
        truth = np.asarray(Image.open(path)).astype(np.int64) - 1
        truth[truth == LEFT_OUT] = -1
        images.setdefault(path.parent.name, []).append((scores, predicted, truth))
    return images


def _joined(images: Sequence[Scored]) -> SegmentedTown:
    scores, predicted, truth = (np.concatenate([one[part].ravel() for one in images]) for part in range(3))
    return SegmentedTown(scores, predicted, truth, len(images))


def _closed(open_set: OpenSet, towns: Sequence[SegmentedTown]) -> Comparison:
    truth = np.concatenate([np.where(town.truth == CLASSES, -1, town.truth) for town in towns])
    predicted = np.concatenate([town.predicted for town in towns])
    whole = SegmentedTown(np.zeros(truth.size), predicted, truth, 1)
    ious = plain_segmentation.open_iou(whole, np.zeros(truth.size, np.bool_), CLASSES)
    return Comparison("closed mIoU", open_set.closed_miou, float(np.nanmean(np.delete(ious[:-1], LEFT_OUT))), 1e-9)


def _threshold(images: Sequence[Scored], rule: str) -> float:
    """The threshold that other towns give: from maps halved in size, labels by their nearest pixel."""
    scores, anomalous = [], []
    for values, _, truth in images:
        height, width = values.shape
        small = values.reshape(height // 2, 2, width // 2, 2).mean((1, 3))
        kept = truth[::2, ::2] >= 0
        scores.append(small[kept])
        anomalous.append(truth[::2, ::2][kept] == CLASSES)
    # DenseHybrid's code takes the points that scikit-learn keeps; its paper speaks of all.
    kept_alone = rule == "recall_95_corner"
    curve = sk.roc_curve(np.concatenate(anomalous), np.concatenate(scores), drop_intermediate=kept_alone)
    false, true, levels = curve
    if rule.startswith("recall_95"):
        return float(levels[np.argmax(true > 0.95)])
    if rule == "false_alarms_5":
        return float(levels[np.flatnonzero(false <= 0.05)[-1]])
    positives = np.concatenate(anomalous).sum()
    ordinary = sum(one.size for one in anomalous) - positives
    hits = true * positives
    return float(levels[np.argmax(2 * hits / (hits + false * ordinary + positives))])
