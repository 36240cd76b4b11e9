"""Open-set segmentation: how well the ordinary classes are told apart when flagged pixels are taken for an anomaly.

The leaderboard of StreetHazards ranks by open-mIoU. Each town is judged with a threshold that the *other* towns give
(their maps halved in size, class ``other`` left out): a pixel above it is an anomaly, the others keep their predicted
class. Open-mIoU is the mean IoU of the ordinary classes then, towns weighted by their images; a class that neither
occurs nor is predicted is left out of a mean. Closed-mIoU is that of the same network without a threshold, anomalies
left out. The threshold is that at which the recall of anomalous pixels first exceeds 0.95 (``recall_95``), as the
paper says. The paper's code takes the first such point that scikit-learn's ``roc_curve`` keeps (``recall_95_corner``),
and that drops points on straight lines: where no ordinary pixel scores between anomalous ones, the threshold moves down
to the last of them. The best F1 and 5 % false alarms are printed beside both.

Pixels are counted by predicted class and by about eight hundred steps of the score, so that no map is kept and counts
of processes add up. What lies within the step of a threshold gives the highest and the lowest possible value: the
middle is reported, and half the difference as the error.

Grcic et al., DenseHybrid: Hybrid Anomaly Detection for Dense Open-set Recognition, 2022 (its evaluation code).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
SHORT: Final = 1 << 8
VOID: Final = SHORT - 1
"""How many numbers a byte can be, and the one that is never a class."""
KINDS: Final = 3
RIGHT, WRONG, ANOMALOUS = range(KINDS)
"""A pixel that is predicted as a class: of that class, of another one, or anomalous."""
RECALL: Final = 0.95
FALSE_ALARMS: Final = 0.05
RULES: Final = ("recall_95", "recall_95_corner", "best_f1", "false_alarms_5")
"""Names of the thresholds, as in :mod:`caos.ood_scores.measuring.thresholds`."""
OTHER_TOWNS, SAME_IMAGES = "the other towns", "the same images"
DEFINITION: Final = (
    "mean IoU of the ordinary classes when pixels above a threshold are anomalies; the threshold is where the recall "
    "of anomalous pixels first exceeds 0.95 (DenseHybrid's paper), where it does so at a corner of the ROC curve "
    "(DenseHybrid's code), at the best F1, or at 5 % false alarms"
)


@dataclass(frozen=True)
class Bounded:
    """A value and how far it can be from the exact one."""

    value: float
    error: float

    @staticmethod
    def between(low: float, high: float) -> Bounded:
        """The middle of an interval and half its width."""
        return Bounded((low + high) / 2, (high - low) / 2)


@dataclass(frozen=True)
class OpenNumbers:
    """Open-set numbers of one scorer at one threshold; each error is the most the value can be off by counting.

    Attributes:
        open_miou: Mean IoU of the ordinary classes.
        anomaly_iou: IoU of the anomaly.
    """

    open_miou: float
    open_miou_error: float
    anomaly_iou: float
    anomaly_iou_error: float


@dataclass(frozen=True)
class OpenSet:
    """Open-set numbers of all scorers.

    Attributes:
        definition: In words.
        thresholds_from: Which images give the threshold of a town.
        classes: The classes of the mean.
        towns: How many images each has.
        closed_miou: Mean IoU of the network without a threshold, anomalies left out.
        scorers: By scorer and name of a threshold.
    """

    definition: str
    thresholds_from: str
    classes: tuple[str, ...]
    towns: Mapping[str, int]
    closed_miou: float
    scorers: Mapping[str, Mapping[str, OpenNumbers]]


@dataclass(frozen=True, eq=False)
class CountedPixels:
    """Pixels of an image, flattened, that are counted by score.

    Attributes:
        kinds: Of each pixel; ``number`` for those that do not count.
        number: Of kinds.
    """

    kinds: npt.NDArray[np.uint16]
    number: int

    @staticmethod
    def of(kinds: npt.NDArray[np.integer[Any]], counted: Mask | None, number: int) -> CountedPixels:
        """Pixels of these kinds; ``counted`` says which of them count, None all."""
        chosen = kinds if counted is None else np.where(counted, kinds, number)
        return CountedPixels(chosen.ravel().astype(np.uint16), number)


@dataclass(frozen=True, eq=False)
class SegmentedImage:
    """What is counted of one image, the same for all its score maps.

    Attributes:
        town: Where it was taken.
        pixels: Of kind ``3 * predicted class + kind``.
        halved: Every other pixel of every other row, of kind 1 where it is anomalous.
        truth: How many pixels each ordinary class has.
    """

    town: str
    pixels: CountedPixels
    halved: CountedPixels
    truth: Counts

    @staticmethod
    def of(
        town: str,
        predicted: npt.NDArray[np.uint8],
        ids: npt.NDArray[np.uint8],
        anomalous: Mask,
        ignored: Mask | None,
        classes: int,
    ) -> SegmentedImage:
        """The image of this truth and prediction; ``ignored`` pixels count neither way."""
        # Short numbers throughout: as long ones they take ten times as long.
        kind = np.where(predicted == ids, np.uint8(RIGHT), np.uint8(WRONG))
        kind[anomalous] = ANOMALOUS
        kinds = predicted.astype(np.uint16) * KINDS + kind
        counted = None if ignored is None else ~ignored
        ordinary = ~anomalous if counted is None else counted & ~anomalous
        truth = np.bincount(ids[ordinary], minlength=SHORT)[:classes]
        every_other = np.s_[: anomalous.shape[0] // 2 * 2 : 2, : anomalous.shape[1] // 2 * 2 : 2]
        halved = CountedPixels.of(
            anomalous[every_other].astype(np.uint16), None if counted is None else counted[every_other], 2
        )
        return SegmentedImage(town, CountedPixels.of(kinds, counted, KINDS * classes), halved, truth)


class OpenSetCounts:
    """Pixels of each town by score map, predicted class, kind and step of the score.

    Args:
        towns: Names of the towns.
        classes: How many a network predicts.
    """

    def __init__(self, towns: Sequence[str], classes: int) -> None:
        self.towns, self.classes = tuple(towns), classes
        self.by_class: dict[str, Counts] = {}
        """By column: ``(towns, classes, kinds, steps)``."""
        self.halved: dict[str, Counts] = {}
        """By column: ``(towns, 2, steps)``, ordinary and anomalous pixels of the maps halved in size."""
        self.truth: Counts = np.zeros((len(towns), classes), np.int64)
        self.images: Counts = np.zeros(len(towns), np.int64)

    def add_image(self, image: SegmentedImage) -> None:
        """Count an image; its score maps follow."""
        town = self.towns.index(image.town)
        self.truth[town] += image.truth
        self.images[town] += 1

    def add(self, column: str, town: str, pixels: npt.NDArray[np.integer[Any]], halved: Counts) -> None:
        """Add the pixels of one score map, counted.

        Args:
            column: Its name.
            town: Of the image.
            pixels: By ``3 * predicted class + kind`` and step of the score.
            halved: The same of the map halved in size: ordinary, anomalous.
        """
        number = pixels.shape[1]
        if column not in self.by_class:
            self.by_class[column] = np.zeros((len(self.towns), self.classes, KINDS, number), np.int64)
            self.halved[column] = np.zeros((len(self.towns), 2, number), np.int64)
        index = self.towns.index(town)
        self.by_class[column][index] += pixels.reshape(self.classes, KINDS, number)
        self.halved[column][index] += halved

    def merge(self, other: OpenSetCounts) -> None:
        """Add what another process counted."""
        for own, theirs in ((self.by_class, other.by_class), (self.halved, other.halved)):
            for column, counts in theirs.items():
                own[column] = own[column] + counts if column in own else counts.copy()
        self.truth += other.truth
        self.images += other.images

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, for saving."""
        kinds = {"by_class": self.by_class, "halved": self.halved}
        flat = {f"{column}|open|{name}": part[column] for name, part in kinds.items() for column in part}
        return {**flat, "open|truth": self.truth, "open|images": self.images}

    def restore(self, flat: Mapping[str, npt.NDArray[Any]], columns: Sequence[str]) -> None:
        """Set the state to saved arrays, of integers of any length."""
        self.truth, self.images = (flat[f"open|{name}"].astype(np.int64) for name in ("truth", "images"))
        seen = [column for column in columns if f"{column}|open|halved" in flat]
        self.by_class = {column: flat[f"{column}|open|by_class"].astype(np.int64) for column in seen}
        self.halved = {column: flat[f"{column}|open|halved"].astype(np.int64) for column in seen}


def halve(scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The mean of each square of four pixels; an odd last row or column is left out."""
    import cv2

    height, width = scores.shape[0] // 2, scores.shape[1] // 2
    if not height or not width:
        return np.zeros((height, width), np.float32)
    floats = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
    return np.asarray(cv2.resize(floats[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA))


def measure_open_set(counts: OpenSetCounts, names: Sequence[str], left_out: Sequence[str]) -> OpenSet | None:
    """The open-set numbers of what was counted; None where no score map came with predicted classes.

    Args:
        counts: What was counted.
        names: Of the classes.
        left_out: Classes that are in no mean.
    """
    if not counts.by_class:
        return None
    measured = np.array([name not in left_out for name in names])
    first = next(iter(counts.by_class.values()))
    has_anomalies = np.count_nonzero(next(iter(counts.halved.values()))[:, 1].sum(axis=1))
    from_others = bool(has_anomalies > 1)
    return OpenSet(
        definition=DEFINITION,
        thresholds_from=OTHER_TOWNS if from_others else SAME_IMAGES,
        classes=tuple(name for name in names if name not in left_out),
        towns=dict(zip(counts.towns, counts.images.tolist(), strict=True)),
        closed_miou=_closed_miou(first.sum(axis=(0, 3)), counts.truth.sum(axis=0), measured),
        scorers={column: _numbers(counts, column, measured, from_others=from_others) for column in counts.by_class},
    )


def _closed_miou(kinds: Counts, truth: Counts, measured: Mask) -> float:
    right, union = kinds[:, RIGHT], truth + kinds[:, WRONG]
    defined = measured & (union > 0)
    return float(np.mean(right[defined] / union[defined])) if defined.any() else 0.0


def _numbers(counts: OpenSetCounts, column: str, measured: Mask, *, from_others: bool) -> dict[str, OpenNumbers]:
    halved, towns = counts.halved[column], []
    for number in range(len(counts.towns)):
        others = halved.sum(axis=0) - (halved[number] if from_others else 0)
        town = _Town.of(counts.by_class[column][number], counts.truth[number], measured)
        towns.append({rule: town.between(*ends) for rule, ends in _thresholds(others).items()})
    weights = counts.images / max(int(counts.images.sum()), 1)
    return {rule: _weighted([town[rule] for town in towns], weights) for rule in RULES}


def _thresholds(halved: Counts) -> dict[str, tuple[int, int]]:
    """For each rule the two steps between whose lower edges its threshold lies; it may be one of them."""
    # Entry j: pixels in step j and above; none in the entry after the last step.
    false, true = (np.append(np.cumsum(part[::-1])[::-1], 0) for part in halved)
    above = np.flatnonzero(true > RECALL * true[0])
    recall = int(above[-1]) if above.size else 0
    best = int(np.argmax(2 * true / np.maximum(true + false + true[0], 1)))
    few = int(np.argmax(false <= FALSE_ALARMS * false[0]))
    last = false.size - 1
    return {
        "recall_95": (recall, min(recall + 1, last)),
        "recall_95_corner": _corner(halved, recall),
        "best_f1": (best, best),
        "false_alarms_5": (max(few - 1, 0), few),
    }


def _corner(halved: Counts, recall: int) -> tuple[int, int]:
    """The steps between whose lower edges the first corner of the ROC curve lies, from a step on down.

    From there on, the curve turns at the lowest anomalous pixel above the next ordinary one, if no score occurs twice.
    """
    ordinary, anomalous = np.flatnonzero(halved[0][:recall]), np.flatnonzero(halved[1][: recall + 1])
    if not anomalous.size:
        return 0, min(1, halved.shape[1])
    low = int(ordinary[-1]) if ordinary.size else int(anomalous[0])
    # A step that holds both kinds may hold its ordinary pixels above the anomalous ones, and the line goes on below it.
    is_mixed = bool(halved[0][recall])
    lowest = recall if is_mixed else int(anomalous[anomalous > low][0]) if ordinary.size else low
    return low, lowest + 1


@dataclass(frozen=True, eq=False)
class _Town:
    """Of one town, by the step from which on pixels are flagged (the last entry flags none)."""

    right: Counts
    """Of each class, pixels that are predicted right and not flagged."""
    false: Counts
    """Of each class, pixels of others that are predicted as it and not flagged."""
    truth: Counts
    found: Counts
    """Anomalous pixels that are flagged."""
    alarms: Counts
    """Ordinary pixels that are flagged."""

    @staticmethod
    def of(by_class: Counts, truth: Counts, measured: Mask) -> _Town:
        below = np.concatenate([np.zeros((*by_class.shape[:2], 1), np.int64), by_class.cumsum(axis=2)], axis=2)
        flagged = below[:, :, -1:] - below
        return _Town(
            right=below[measured, RIGHT],
            false=below[measured, WRONG] + below[measured, ANOMALOUS],
            truth=truth[measured],
            found=flagged[:, ANOMALOUS].sum(axis=0),
            alarms=flagged[:, :ANOMALOUS].sum(axis=(0, 1)),
        )

    def between(self, low: int, high: int) -> tuple[Bounded | None, Bounded | None]:
        """Open-mIoU and the anomaly's IoU at a threshold between two; None where they are undefined."""
        defined = self.truth + self.false[:, low] > 0
        ordinary = None
        if defined.any():
            right, false, truth = self.right[defined], self.false[defined], self.truth[defined]
            least = right[:, low] / np.maximum(truth + false[:, high], 1)
            most = right[:, high] / np.maximum(truth + false[:, low], 1)
            ordinary = Bounded.between(float(least.mean()), float(most.mean()))
        everything = int(self.found[0])
        if not everything:
            return ordinary, None
        least_found = self.found[high] / (everything + self.alarms[low])
        return ordinary, Bounded.between(float(least_found), float(self.found[low] / (everything + self.alarms[high])))


def _weighted(towns: Sequence[tuple[Bounded | None, Bounded | None]], weights: npt.NDArray[np.float64]) -> OpenNumbers:
    means = []
    for part in range(2):
        known = [(town[part], weight) for town, weight in zip(towns, weights, strict=True) if town[part] is not None]
        total = sum(weight for _, weight in known) or 1.0
        means += [sum(getattr(one, name) * weight for one, weight in known) / total for name in ("value", "error")]
    return OpenNumbers(*means)
