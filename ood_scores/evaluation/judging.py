"""Judging of hazards, once the thresholds are known: which were found, and how the flagged regions fit the objects.

It reads the coded score maps that scoring left, so no network runs again. Components are judged at
the threshold with the best pixel F1 over all images, as in SegmentMeIfYouCan.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.execution.prefetch import begun_ahead
from caos.foundation.execution.progress import Progress
from caos.ood_scores.evaluation.code_maps import CodeMaps
from caos.ood_scores.evaluation.flagged import flagged_regions
from caos.ood_scores.evaluation.options import JudgingOptions
from caos.ood_scores.evaluation.truth import Truth
from caos.ood_scores.measuring import instances
from caos.ood_scores.measuring.components import (
    ComponentScores,
    Track,
    TrueObjects,
    compare_overlap,
    connected_components,
)
from caos.ood_scores.measuring.instances import InstanceMatches, Instances, match_overlap
from caos.ood_scores.measuring.pixel_counts import BASE, CODES, PixelCounts
from caos.ood_scores.measuring.thresholds import Threshold, chosen_thresholds, thresholds_of
from caos.ood_scores.results import ComponentNumbers, Components, ComponentsOf
from caos.scenes.dataset.layout import Dataset, Sample

DEFINITION: Final = "SegmentMeIfYouCan: sIoU, PPV and F1 averaged over 0.25 .. 0.75, at the best pixel F1 of the set"
THREADS: Final = 2
"""Threads that judge images; the networks are done then."""
Levels = Mapping[str, Sequence[Threshold]]
Chosen = Mapping[str, Mapping[str, Threshold]]
Shares = Mapping[int, Mapping[str, Mapping[str, float]]]
"""By number of a hazard, column and threshold: the share of its pixels that is flagged."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the second look at a set gave.

    Attributes:
        levels: Every level of each column.
        chosen: The named thresholds of each column.
        shares: Of each image, by its key.
        components: Component metrics.
        instances: Instance metrics, or None where an image has no true instance ids.
    """

    levels: Levels
    chosen: Chosen
    shares: Mapping[str, Shares]
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
    matches: Mapping[str, InstanceMatches] | None


def judge_hazards(
    dataset: Dataset,
    samples: Sequence[Sample],
    counts: PixelCounts,
    code_maps: CodeMaps,
    options: JudgingOptions,
    progress: Progress,
) -> Judgement:
    """Component metrics of each column, and the share of each hazard that is flagged at each named threshold."""
    columns = tuple(counts.calibrations)
    levels = {column: thresholds_of(counts, column) for column in columns}
    chosen = {column: chosen_thresholds(levels[column], options.false_alarm_rates) for column in columns}
    seen = {column: _ComponentsSeen() for column in columns}
    shares: dict[str, Shares] = {}
    with progress.task("find hazards", len(samples)) as task:
        judge = functools.partial(_judge_image, dataset, chosen=chosen, code_maps=code_maps, track=options.track)
        for sample, judged in zip(samples, begun_ahead(samples, judge, THREADS), strict=True):
            shares[sample.key] = judged.shares
            for column, (by_instance, connected) in judged.components.items():
                seen[column].instances.append(by_instance)
                seen[column].connected.append(connected)
                if judged.matches is not None:
                    seen[column].matches.append(judged.matches[column])
            task.advance()
    summaries = {column: one.summary(chosen[column]["best_f1"]) for column, one in seen.items()}
    components = Components(options.track, DEFINITION, summaries)
    return Judgement(levels, chosen, shares, components, _instances(seen, len(samples)))


def _instances(seen: Mapping[str, _ComponentsSeen], images: int) -> Instances | None:
    if any(len(one.matches) < images for one in seen.values()):
        return None
    found = {column: InstanceMatches.joined(one.matches).numbers() for column, one in seen.items()}
    return Instances(instances.DEFINITION, found)


def _judge_image(
    dataset: Dataset, sample: Sample, chosen: Chosen, code_maps: CodeMaps, track: Track
) -> _ImageJudgement:
    maps, truth = code_maps.read(sample, tuple(chosen), dataset.labels)
    ignore = truth.ignored(BASE, dataset.labels)
    objects = connected = TrueObjects.of(truth.objects, ignore)
    if truth.has_instances:
        connected = TrueObjects.of(connected_components(truth.anomalous), ignore)
    # Mostly no two hazards touch, and none is seen in parts.
    is_same = np.array_equal(objects.numbers, connected.numbers)
    hazards = _HazardPixels.of(truth)
    components, matches = {}, {}
    for column, codes in maps.items():
        level = chosen[column]["best_f1"].code
        regions, confidence = flagged_regions(codes, level, ignore, track.smallest_flagged)
        shared = objects.overlap(regions)
        by_instance = compare_overlap(shared, objects, track)
        by_region = by_instance if is_same else compare_overlap(connected.overlap(regions), connected, track)
        components[column] = (by_instance, by_region)
        if truth.has_instances:
            matches[column] = match_overlap(shared, confidence, track)
    shares = hazards.shares(maps, chosen)
    return _ImageJudgement(shares, components, matches if truth.has_instances else None)


@dataclass(frozen=True, eq=False)
class _HazardPixels:
    """Where hazards are.

    Attributes:
        pixels: Of all of them, in the flattened image.
        numbers: Of the hazards, ascending.
        index: Which of them each pixel belongs to.
    """

    pixels: npt.NDArray[np.intp]
    numbers: npt.NDArray[np.int32]
    index: npt.NDArray[np.intp]

    @staticmethod
    def of(truth: Truth) -> _HazardPixels:
        pixels = np.flatnonzero(truth.objects != 0)
        return _HazardPixels(pixels, *np.unique(truth.objects.ravel()[pixels], return_inverse=True))

    def shares(self, maps: Mapping[str, npt.NDArray[np.uint8]], chosen: Chosen) -> Shares:
        """The share of each hazard that each column flags at each of its thresholds."""
        flagged = {column: self._flagged(codes.ravel()) for column, codes in maps.items()}
        return {
            number: {
                column: {name: float(flagged[column][place, level.code]) for name, level in levels.items()}
                for column, levels in chosen.items()
            }
            for place, number in enumerate(self.numbers.tolist())
        }

    def _flagged(self, codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """The share of each hazard whose codes are at least 0, 1 .. 256."""
        joint = self.index * (CODES + 1) + codes[self.pixels]
        counted = np.bincount(joint, minlength=self.numbers.size * (CODES + 1)).reshape(-1, CODES + 1)
        at_least = counted[:, ::-1].cumsum(axis=1)[:, ::-1]
        return np.asarray(at_least / at_least[:, :1], np.float64)


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
