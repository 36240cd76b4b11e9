"""Comparisons of everything that ``caos score`` writes about a set with what its files say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from caos import PROTOCOLS
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.thresholds import Threshold
from caos.ood_scores.results import ComponentNumbers, Results
from caos.scenes.labels import LabelTable
from tests.reference import plain_metrics, plain_objects
from tests.reference.comparison import Comparison, compare_all
from tests.reference.plain_metrics import Measured, Scores
from tests.reference.scored_sets import TrueImage

Mask = npt.NDArray[np.bool_]
NAMES = ("auroc", "aupr", "fpr95")
MOST_GROUPS = 32
PRINTED = 1e-9
"""Of numbers that were written as decimals."""


@dataclass(frozen=True, eq=False)
class ScoredSetCase:
    """A scored set with the truth about it.

    Attributes:
        found: The results.
        table: The set's label table.
        images: Its images, in the order of the results.
        with_instances: Whether the set records which pixel belongs to which hazard.
    """

    found: Results
    table: LabelTable
    images: Sequence[TrueImage]
    with_instances: bool = True

    def anomalous(self, image: TrueImage) -> Mask:
        """Pixels of hazards."""
        return np.isin(image.values, self.table.png_values("anomaly"))

    def ignored(self, image: TrueImage, *, void: bool, classes: Sequence[str] = ()) -> Mask:
        """Pixels that are left out: void, or of ordinary classes with these names."""
        values = [row.png_value for row in self.table.classes if row.role == "train" and row.name in classes]
        values += self.table.png_values("ignore") if void else ()
        return np.isin(image.values, values)

    def objects(self, image: TrueImage) -> list[Mask]:
        """Hazards: by instance ids, or the connected regions of anomalous pixels."""
        if self.with_instances:
            return plain_objects.objects_of(image.instances)
        return plain_objects.regions_of(self.anomalous(image))

    def joined(self, column: str, protocol: Protocol | None = None) -> tuple[Scores, Mask]:
        """Scores and truth of all pixels that count; without a protocol, of all but void."""
        void = protocol is None or protocol.ignores_void
        classes = () if protocol is None else protocol.ignores_classes
        kept = [~self.ignored(image, void=void, classes=classes) for image in self.images]
        scores = [image.scores[column][where] for image, where in zip(self.images, kept, strict=True)]
        truth = [self.anomalous(image)[where] for image, where in zip(self.images, kept, strict=True)]
        return np.concatenate(scores), np.concatenate(truth)

    def each(self, column: str, protocol: Protocol) -> list[Measured | None]:
        """The numbers of each image; None where one kind of pixel is missing."""
        parts = []
        for image in self.images:
            kept = ~self.ignored(image, void=protocol.ignores_void, classes=protocol.ignores_classes)
            parts.append(plain_metrics.measured(image.scores[column][kept], self.anomalous(image)[kept]))
        return parts


def set_checks(case: ScoredSetCase) -> Iterator[Comparison]:
    """Every number of the results that has a definition."""
    for column in case.found.content.columns:
        yield from measure_checks(case, column)
        yield from threshold_checks(case, column)
        yield from class_checks(case, column)
        yield from object_checks(case, column)
        yield from hazard_checks(case, column)
    yield from count_checks(case)
    yield from baseline_checks(case)


def baseline_checks(case: ScoredSetCase) -> Iterator[Comparison]:
    """Which pixels each protocol counts, and the AUPR of random scores on them."""
    for protocol in case.found.content.protocols:
        rates, totals = [], np.zeros(4, np.int64)
        for image in case.images:
            anomalous, void = case.anomalous(image), case.ignored(image, void=True)
            ignored = case.ignored(image, void=protocol.ignores_void, classes=protocol.ignores_classes)
            positives, counted = int(anomalous.sum()), int((~ignored).sum())
            if protocol.is_pooled or 0 < positives < counted:
                totals += (image.values.size, positives, int(ignored.sum()), int(void.sum()))
                rates.append(positives / max(counted, 1))
        pooled_rate = totals[1] / (totals[0] - totals[2])
        ours = case.found.content.pixels[protocol.name]
        expected = float(pooled_rate if protocol.is_pooled else np.mean(rates))
        yield Comparison(f"{protocol.name}, AUPR of random scores", ours.random_aupr, expected, PRINTED)
        for name, number in zip(("pixels", "anomalous", "left_out", "void"), totals.tolist(), strict=True):
            yield Comparison(f"{protocol.name}, {name}", getattr(ours, name), number, 0.0)


def count_checks(case: ScoredSetCase) -> Iterator[Comparison]:
    """Counts of images, hazards and pixels."""
    about, rows = case.found.content.dataset, case.found.images()
    pixels = sum(image.values.size for image in case.images)
    anomalous = [int(case.anomalous(image).sum()) for image in case.images]
    yield Comparison("set, images", about.images, len(case.images), 0.0)
    yield Comparison("set, hazards", about.hazards, sum(len(case.objects(image)) for image in case.images), 0.0)
    yield Comparison("set, base rate", about.base_rate, sum(anomalous) / pixels)
    for row, number in zip(rows, anomalous, strict=True):
        yield Comparison("image, anomalous pixels", row.anomalous, number, 0.0)


def measure_checks(case: ScoredSetCase, column: str) -> Iterator[Comparison]:
    """AUROC, AUPR and FPR95 by every protocol of the results, as it aggregates on this set."""
    for protocol in case.found.content.protocols:
        measured = case.found.measured(column, protocol.name)
        ours = {name: measured.metric(name).value for name in NAMES}
        each = [one for one in case.each(column, protocol) if one is not None]
        if protocol.is_pooled:
            whole = plain_metrics.measured(*case.joined(column, protocol))
            assert whole is not None
            expected = whole.by(protocol.aupr, protocol.fpr95)
            used = len(case.images)
        else:
            expected = tuple(np.mean([one.by(protocol.aupr, protocol.fpr95) for one in each], axis=0))
            used = len(each)
        prefix = f"set, {protocol.name}, {protocol.aggregation}"
        yield from compare_all(prefix, dict(ours), dict(zip(NAMES, map(float, expected), strict=True)), PRINTED)
        yield Comparison(f"{prefix}, images", measured.images, used, 0.0)
        if protocol.is_pooled:
            yield from group_checks(case, column, protocol)
        for name in NAMES:
            metric = measured.metric(name)
            outside = not metric.low <= metric.value <= metric.high
            yield Comparison(f"{prefix}, value outside its interval", float(outside), 0.0, 0.0)


def group_checks(case: ScoredSetCase, column: str, protocol: Protocol) -> Iterator[Comparison]:
    """Pooled numbers without each group of images, from which intervals come: image i is in group i modulo groups."""
    with np.load(case.found.folder / "groups.npz") as arrays:
        found = arrays[f"{column}|{protocol.name}"]
    groups = min(len(case.images), MOST_GROUPS)
    yield Comparison("groups, number", found.shape[1], 1 + groups, 0.0)
    for group in range(groups):
        left = [image for number, image in enumerate(case.images) if number % groups != group]
        expected = plain_metrics.measured(*replace(case, images=left).joined(column, protocol))
        numbers = (None,) * 3 if expected is None else expected.by(protocol.aupr, protocol.fpr95)
        for name, value, one in zip(NAMES, found[:, 1 + group], numbers, strict=True):
            ours = None if np.isnan(value) else float(value)
            yield Comparison(f"without a group, {protocol.name}, {name}", ours, one, PRINTED)


def threshold_checks(case: ScoredSetCase, column: str) -> Iterator[Comparison]:
    """Flagging scores >= a printed threshold gives the printed shares: named thresholds, levels and curves."""
    content, flagging = case.found.content, Flagging(*case.joined(column))
    if not flagging.are_told_apart:
        return
    yield from _choice_checks(case, column)
    for name, threshold in _named(case, column).items():
        yield from compare_all(f"threshold {name}", _printed(threshold), flagging.at(threshold.score), PRINTED)
        recall, false_alarms = flagging.shares(threshold.score)
        if name == "recall_95":
            yield Comparison("threshold recall_95, recall below 0.95", float(recall < 0.95), 0.0, 0.0)
        elif name.startswith("false_alarms_"):
            most = float(name.removeprefix("false_alarms_")) / 100
            yield Comparison(f"threshold {name}, too many", float(false_alarms > most), 0.0, 0.0)
    levels, curve = content.levels[column], content.curves[column]
    for where, part in (("level", levels), ("curve", curve)):
        for threshold, recall, false_alarms in zip(part.threshold, part.recall, part.false_alarms, strict=True):
            expected = flagging.shares(threshold)
            yield Comparison(f"{where}, recall", recall, expected[0], PRINTED)
            yield Comparison(f"{where}, false alarms", false_alarms, expected[1], PRINTED)


def _choice_checks(case: ScoredSetCase, column: str) -> Iterator[Comparison]:
    """A named threshold is the best level of its kind; every level is named by its recall and false alarms."""
    levels, named = case.found.content.levels[column], _named(case, column)
    if "recall_95" in named:
        enough = [recall for recall in levels.recall if recall >= 0.95]
        yield Comparison("threshold recall_95, the highest", named["recall_95"].recall, min(enough, default=1.0))
    for name, threshold in named.items():
        if name.startswith("false_alarms_"):
            most = float(name.removeprefix("false_alarms_")) / 100
            few = [rate for rate in levels.false_alarms if rate <= most]
            yield Comparison("threshold false_alarms, the lowest", threshold.false_alarms, max(few, default=0.0))


def _named(case: ScoredSetCase, column: str) -> dict[str, Threshold]:
    hazards = case.found.content.hazards
    return {} if hazards is None else dict(hazards.thresholds[column])


def _printed(threshold: Threshold) -> dict[str, float | None]:
    return {"recall": threshold.recall, "false alarms": threshold.false_alarms, "F1": threshold.pixel_f1}


class Flagging:
    """What flagging pixels from a score on gives."""

    def __init__(self, scores: Scores, anomalous: Mask) -> None:
        self._scores, self._anomalous = scores, anomalous

    @property
    def are_told_apart(self) -> bool:
        """Whether a double can lie between any two scores: not between adjacent long integers."""
        distinct = np.unique(self._scores)
        return bool(np.unique(distinct.astype(np.float64)).size == distinct.size)

    def counts(self, threshold: float) -> tuple[int, int]:
        """True and false positives of flagging scores >= a threshold."""
        flagged = plain_metrics.at_least(self._scores, threshold)
        return int((flagged & self._anomalous).sum()), int((flagged & ~self._anomalous).sum())

    def shares(self, threshold: float) -> tuple[float, float]:
        """Shares of the anomalous and of the ordinary pixels that are flagged."""
        true, false = self.counts(threshold)
        positives = int(self._anomalous.sum())
        return true / positives, false / (self._anomalous.size - positives)

    def at(self, threshold: float) -> dict[str, float | None]:
        """Recall, false alarms and F1."""
        true, false = self.counts(threshold)
        recall, false_alarms = self.shares(threshold)
        f1 = 2 * true / (true + false + int(self._anomalous.sum()))
        return {"recall": recall, "false alarms": false_alarms, "F1": f1}


def class_checks(case: ScoredSetCase, column: str) -> Iterator[Comparison]:
    """FPR95 and AUROC of each ordinary class against all hazards."""
    scores = np.concatenate([image.scores[column].ravel() for image in case.images])
    values = np.concatenate([image.values.ravel() for image in case.images])
    anomalous = np.isin(values, case.table.png_values("anomaly"))
    points = plain_metrics.distinct_points(scores[anomalous], np.ones(int(anomalous.sum()), np.bool_))
    threshold = plain_metrics.first_reaching(points, strict=False).threshold
    groups = case.found.content.breakdowns.get("ordinary class", {})
    present = {row.name: values == row.png_value for row in case.table.trained if (values == row.png_value).any()}
    yield Comparison("classes, number", len(groups), len(present), 0.0)
    for name, where in present.items():
        printed = groups[name].scorers[column]
        expected = plain_metrics.measured(scores[anomalous | where], anomalous[anomalous | where])
        assert expected is not None
        yield Comparison(
            "class, FPR95", printed["fpr95"], float(plain_metrics.at_least(scores[where], threshold).mean()), PRINTED
        )
        yield Comparison("class, AUROC", printed["auroc"], expected.auroc, PRINTED)


def object_checks(case: ScoredSetCase, column: str) -> Iterator[Comparison]:
    """Components, instances and hazards found, at the thresholds that the results name."""
    content = case.found.content
    if content.components is None or not Flagging(*case.joined(column)).are_told_apart:
        return
    threshold, track = content.components.scorers[column].threshold.score, content.components.track
    by_instance, connected, instance_images = [], [], []
    for image in case.images:
        anomalous, ignore = case.anomalous(image), case.ignored(image, void=True)
        flagged = plain_metrics.at_least(image.scores[column], threshold)
        regions = plain_objects.regions_of(anomalous)
        limits = (ignore, track.smallest_flagged, track.smallest_object)
        by_instance.append(plain_objects.components(flagged, case.objects(image), *limits))
        connected.append(plain_objects.components(flagged, regions, *limits))
        instance_images.append(_instance_image(case, image, column, flagged & ~ignore, track.smallest_flagged))
    for name, parts in (("instances", by_instance), ("connected", connected)):
        ours = getattr(content.components.scorers[column], name)
        yield from compare_all(f"components by {name}", _numbers_of(ours), _numbers_together(parts), PRINTED)
    yield from _average_precision(case, column, instance_images, track.smallest_object)
    yield from _found(case, column)


def _instance_image(
    case: ScoredSetCase, image: TrueImage, column: str, flagged: Mask, smallest: int
) -> plain_objects.InstanceImage:
    codes = np.asarray(Image.open(case.found.folder / "previews" / column / f"{image.key}.png")).astype(int)
    regions = [region for region in plain_objects.regions_of(flagged) if region.sum() >= smallest]
    sure = [float(codes[region].sum() / region.sum()) for region in regions]
    return plain_objects.InstanceImage(case.objects(image), regions, sure)


def _average_precision(
    case: ScoredSetCase, column: str, images: Sequence[plain_objects.InstanceImage], smallest: int
) -> Iterator[Comparison]:
    """AP and AP50; nothing where regions are equally confident, for then the order of the rows decides."""
    instances = case.found.content.instances
    seen = [value for image in images for value in image.confidence]
    if instances is not None and len(set(seen)) == len(seen):
        numbers = instances.scorers[column]
        expected = plain_objects.average_precision(images, smallest) or (None, None)
        yield Comparison("set, AP beside pycocotools", numbers.ap, expected[0], PRINTED)
        yield Comparison("set, AP50 beside pycocotools", numbers.ap50, expected[1], PRINTED)


def _found(case: ScoredSetCase, column: str) -> Iterator[Comparison]:
    hazards = case.found.content.hazards
    assert hazards is not None
    for name, threshold in hazards.thresholds[column].items():
        found = [
            one
            for image in case.images
            for one in plain_objects.share_found(
                plain_metrics.at_least(image.scores[column], threshold.score), case.objects(image)
            )
        ]
        counted = hazards.found[column][name]
        yield Comparison(f"hazards found at {name}", counted.found, sum(found), 0.0)
        yield Comparison(f"hazards at {name}", counted.of, len(found), 0.0)


def _numbers_of(numbers: ComponentNumbers) -> dict[str, float | None]:
    return {
        "objects": numbers.objects,
        "regions": numbers.regions,
        "mean sIoU": numbers.mean_siou,
        "mean PPV": numbers.mean_ppv,
        "mean F1": numbers.mean_f1,
        "found": numbers.found_50,
        "missed": numbers.missed_50,
        "false": numbers.false_50,
    }


def _numbers_together(parts: Sequence[plain_objects.Components]) -> dict[str, float | None]:
    every = plain_objects.Components([v for one in parts for v in one.siou], [v for one in parts for v in one.ppv])
    found, missed, false = every.counts(0.5)
    return {
        "objects": len(every.siou),
        "regions": len(every.ppv),
        "mean sIoU": float(np.mean(every.siou)) if every.siou else None,
        "mean PPV": float(np.mean(every.ppv)) if every.ppv else None,
        "mean F1": every.mean_f1(),
        "found": found,
        "missed": missed,
        "false": false,
    }


def hazard_checks(case: ScoredSetCase, column: str) -> Iterator[Comparison]:
    """AUROC and FPR95 of each hazard against the ordinary pixels that the protocol of single images counts."""
    rows: Sequence[Any] = case.found.images()
    frames = PROTOCOLS[case.found.content.frame_protocol]
    for row, image in zip(rows, case.images, strict=True):
        anomalous, scores = case.anomalous(image), image.scores[column]
        ignored = case.ignored(image, void=frames.ignores_void, classes=frames.ignores_classes)
        if case.with_instances and not (anomalous | ignored).all():
            for hazard in row.hazards:
                own = image.instances == hazard.instance_id
                kept = own | ~(anomalous | ignored)
                expected = plain_metrics.measured(scores[kept], own[kept])
                assert expected is not None
                measured = hazard.measures[column]
                yield Comparison("hazard, AUROC", measured.auroc, expected.auroc, PRINTED)
                yield Comparison("hazard, FPR95", measured.fpr95, expected.fpr_at_least, PRINTED)


def read_case(folder: Path, table: LabelTable, images: Sequence[TrueImage], *, with_instances: bool) -> ScoredSetCase:
    """The results in a folder beside the truth about their set."""
    from caos.ood_scores import results

    return ScoredSetCase(results.read(folder), table, images, with_instances)
