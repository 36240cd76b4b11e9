"""Judging of hazards, once the thresholds are known: which were found, and how the flagged regions fit the objects.

It reads the coded score maps that scoring left in ``work/codes``, so no network runs again. Components are judged at
the threshold with the best pixel F1 over all images, as in SegmentMeIfYouCan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.progress import Progress
from caos.ood_scores.measuring import instances
from caos.ood_scores.measuring.components import ComponentScores, Track, compare, connected_components
from caos.ood_scores.measuring.instances import InstanceMatches, Instances, match_instances
from caos.ood_scores.measuring.pixel_counts import BASE, PixelCounts
from caos.ood_scores.measuring.thresholds import CODES, Threshold, chosen_thresholds, thresholds_of
from caos.ood_scores.results import ComponentNumbers, Components, ComponentsOf, column_folder
from caos.ood_scores.running.options import JudgingOptions
from caos.ood_scores.running.truth import Truth
from caos.scenes.layout import Dataset, Sample

DEFINITION: Final = "SegmentMeIfYouCan: sIoU, PPV and F1 averaged over 0.25 .. 0.75, at the best pixel F1 of the set"
Chosen = Mapping[str, Mapping[str, Threshold]]
Shares = Mapping[int, Mapping[str, Mapping[str, float]]]
"""By number of a hazard, column and threshold: the share of its pixels that is flagged."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the second look at a set gave.

    Attributes:
        chosen: The named thresholds of each column.
        shares: Of each image, by its key.
        class_codes: For each column, pixels of each trained class and, in the last row, of hazards, by score code.
        components: Component metrics.
        instances: Instance metrics, or None where an image has no true instance ids.
    """

    chosen: Chosen
    shares: Mapping[str, Shares]
    class_codes: Mapping[str, npt.NDArray[np.int64]]
    components: Components
    instances: Instances | None


@dataclass
class _ComponentsSeen:
    """What the images so far showed of one column."""

    instances: list[ComponentScores] = field(default_factory=list)
    connected: list[ComponentScores] = field(default_factory=list)
    matches: list[InstanceMatches] = field(default_factory=list)

    def summary(self, threshold: Threshold) -> ComponentsOf:
        """The metrics of all images together."""
        joined = (ComponentScores.joined(part) for part in (self.instances, self.connected))
        return ComponentsOf(threshold, *(_numbers(scores) for scores in joined))


@dataclass(frozen=True, eq=False)
class _ImageJudgement:
    shares: Shares
    components: Mapping[str, tuple[ComponentScores, ComponentScores]]
    class_codes: Mapping[str, npt.NDArray[np.int64]]
    matches: Mapping[str, InstanceMatches] | None


def judge_hazards(
    dataset: Dataset,
    samples: Sequence[Sample],
    counts: PixelCounts,
    codes: Path,
    options: JudgingOptions,
    progress: Progress,
) -> Judgement:
    """Component metrics of each column, the share of each hazard flagged at each named threshold, codes by class."""
    columns = tuple(counts.calibrations)
    chosen = {c: chosen_thresholds(thresholds_of(counts, c), options.false_alarm_rates) for c in columns}
    seen = {column: _ComponentsSeen() for column in columns}
    shares: dict[str, Shares] = {}
    class_codes = {column: np.zeros((dataset.labels.num_classes + 1, CODES), np.int64) for column in columns}
    with progress.task("find hazards", len(samples)) as task, ThreadPoolExecutor(2) as pool:
        for sample, judged in _judged(pool, dataset, samples, chosen, codes, options.track):
            shares[sample.key] = judged.shares
            for column, (by_instance, connected) in judged.components.items():
                seen[column].instances.append(by_instance)
                seen[column].connected.append(connected)
                class_codes[column] += judged.class_codes[column]
                if judged.matches is not None:
                    seen[column].matches.append(judged.matches[column])
            task.advance()
    summaries = {column: one.summary(chosen[column]["best_f1"]) for column, one in seen.items()}
    components = Components(options.track, DEFINITION, summaries)
    return Judgement(chosen, shares, class_codes, components, _instances(seen, len(samples)))


def _instances(seen: Mapping[str, _ComponentsSeen], images: int) -> Instances | None:
    if any(len(one.matches) < images for one in seen.values()):
        return None
    found = {column: InstanceMatches.joined(one.matches).numbers() for column, one in seen.items()}
    return Instances(instances.DEFINITION, found)


def _judged(
    pool: ThreadPoolExecutor,
    dataset: Dataset,
    samples: Sequence[Sample],
    chosen: Chosen,
    codes: Path,
    track: Track,
) -> Iterator[tuple[Sample, _ImageJudgement]]:
    for start in range(0, len(samples), 8):
        part = samples[start : start + 8]
        outcomes = pool.map(lambda sample: _judge_image(dataset, sample, chosen, codes, track), part)
        yield from zip(part, outcomes, strict=True)


def _judge_image(dataset: Dataset, sample: Sample, chosen: Chosen, folder: Path, track: Track) -> _ImageJudgement:
    maps = {column: _read_codes(folder / column_folder(column) / f"{sample.key}.png") for column in chosen}
    first = next(iter(maps.values()))
    truth = Truth.read(sample, dataset.labels, (first.shape[0], first.shape[1]))
    ignore = truth.ignored(BASE, dataset.labels)
    regions = connected_components(truth.anomalous) if truth.has_instances else truth.objects
    where = np.flatnonzero(truth.objects)
    numbers = truth.objects.ravel()[where]
    shares: dict[int, dict[str, Mapping[str, float]]] = {int(n): {} for n in np.unique(numbers)}
    components, matches = {}, {}
    for column, codes in maps.items():
        for number, flagged in _shares(numbers, codes.ravel()[where], chosen[column]).items():
            shares[number][column] = flagged
        mask = codes >= chosen[column]["best_f1"].code
        by_instance = compare(mask, truth.objects, ignore, track)
        by_region = compare(mask, regions, ignore, track) if truth.has_instances else by_instance
        components[column] = (by_instance, by_region)
        matches[column] = match_instances(mask, codes, truth.objects, ignore, track)
    class_codes = {column: _codes_by_class(truth, codes, dataset.labels.num_classes) for column, codes in maps.items()}
    return _ImageJudgement(shares, components, class_codes, matches if truth.has_instances else None)


def _codes_by_class(truth: Truth, codes: npt.NDArray[np.uint8], num_classes: int) -> npt.NDArray[np.int64]:
    """How many pixels of each trained class, and in the last row of hazards, have each code; void is left out."""
    kinds = np.where(truth.anomalous, num_classes, truth.ids).astype(np.int64)
    counted = kinds <= num_classes
    counts = np.bincount(kinds[counted] * CODES + codes[counted], minlength=(num_classes + 1) * CODES)
    return counts.reshape(num_classes + 1, CODES)


def _shares(
    numbers: npt.NDArray[np.int32], codes: npt.NDArray[np.uint8], chosen: Mapping[str, Threshold]
) -> dict[int, dict[str, float]]:
    present, index = np.unique(numbers, return_inverse=True)
    sizes = np.bincount(index, minlength=present.size)
    flagged = {
        name: np.bincount(index[codes >= level.code], minlength=present.size) / sizes for name, level in chosen.items()
    }
    return {int(n): {name: float(share[i]) for name, share in flagged.items()} for i, n in enumerate(present)}


def _read_codes(path: Path) -> npt.NDArray[np.uint8]:
    import cv2

    picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if picture is None:
        raise CaosError(f"{path} is missing or broken; remove the folder 'work' above it and score again")
    return np.asarray(picture, np.uint8)


def _numbers(scores: ComponentScores) -> ComponentNumbers:
    """The component metrics; None where there is nothing to average."""
    found, missed, false = scores.counts(0.5)
    defined = bool(scores.siou.size or scores.ppv.size)
    return ComponentNumbers(
        objects=int(scores.siou.size),
        regions=int(scores.ppv.size),
        mean_siou=float(scores.siou.mean()) if scores.siou.size else None,
        mean_ppv=float(scores.ppv.mean()) if scores.ppv.size else None,
        mean_f1=scores.mean_f1() if defined else None,
        found_50=found,
        missed_50=missed,
        false_50=false,
    )
