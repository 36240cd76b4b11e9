"""Instance metrics: average precision of anomalous objects by COCO's matching, as OoDIS reports it.

A score map has no instances, so they are made of it: the 8-connected regions of the pixels that are flagged at the
threshold with the best pixel F1 over all images, small ones dropped; a region's confidence is the mean of its pixels'
score codes. Regions are matched with true objects from the most confident down, each with the free object it overlaps
most, if their IoU reaches a threshold; an object that is too small is ignored, and so is a region matched with it.
Precision at 101 recalls, made to fall, is averaged: AP over the IoU thresholds 0.50, 0.55 .. 0.95, AP50 at 0.50.

Nekrasov et al., OoDIS: Anomaly Instance Segmentation and Detection Benchmark, 2024; Lin et al., Microsoft COCO, 2014.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.components import Labels, Mask, Overlap, Regions, Track, TrueObjects

IOUS: Final = tuple(round(0.5 + 0.05 * i, 2) for i in range(10))
RECALLS: Final = np.linspace(0, 1, 101)
MOST_REGIONS: Final = 100
"""So many regions of an image count, the most confident ones."""
DEFINITION: Final = (
    "COCO's AP (IoU 0.50 .. 0.95) and AP50 of true instances; regions are connected components at the best pixel F1 of "
    "the set, their confidence is the mean score code"
)


@dataclass(frozen=True)
class InstanceNumbers:
    """Average precision of one scorer; None where there is no object to find.

    Attributes:
        ap: Mean over the IoU thresholds.
        ap50: At an IoU of one half.
        objects: How many true objects count.
        regions: How many regions were made of the score maps.
    """

    ap: float | None
    ap50: float | None
    objects: int
    regions: int


@dataclass(frozen=True)
class Instances:
    """Instance metrics of all scorers."""

    definition: str
    scorers: Mapping[str, InstanceNumbers]


@dataclass(frozen=True, eq=False)
class InstanceMatches:
    """Regions of one image, or of many together, the most confident of an image first.

    Attributes:
        confidence: Of each region, ``(n,)``.
        hit: Whether it found an object that counts, by IoU threshold, ``(10, n)``.
        ignored: Whether it counts neither way, ``(10, n)``.
        objects: How many objects count.
    """

    confidence: npt.NDArray[np.float64]
    hit: Mask
    ignored: Mask
    objects: int

    @staticmethod
    def joined(parts: Iterable[InstanceMatches]) -> InstanceMatches:
        """Those of several images."""
        none = np.zeros((len(IOUS), 0), np.bool_)
        found = [InstanceMatches(np.zeros(0), none, none, 0), *parts]
        return InstanceMatches(
            np.concatenate([part.confidence for part in found]),
            np.concatenate([part.hit for part in found], axis=1),
            np.concatenate([part.ignored for part in found], axis=1),
            sum(part.objects for part in found),
        )

    def numbers(self) -> InstanceNumbers:
        """Average precision of all regions together."""
        if not self.objects:
            return InstanceNumbers(None, None, 0, self.confidence.size)
        order = np.argsort(-self.confidence, kind="stable")
        precisions = [
            _average_precision(hit[order], ignored[order], self.objects)
            for hit, ignored in zip(self.hit, self.ignored, strict=True)
        ]
        return InstanceNumbers(float(np.mean(precisions)), precisions[0], self.objects, self.confidence.size)


def match_instances(
    flagged: Mask,
    codes: npt.NDArray[np.uint8],
    objects: Labels,
    ignore: Mask | None,
    track: Track,
) -> InstanceMatches:
    """Match the flagged regions of one image with its true objects.

    Args:
        flagged: True where the detector says anomalous.
        codes: Score codes, for the confidence of a region.
        objects: True instance ids; 0 is none.
        ignore: True where a pixel counts neither way.
        track: Size limits.
    """
    regions = Regions.of(flagged, ignore, track.smallest_flagged)
    return match_overlap(TrueObjects.of(objects, ignore).overlap(regions), regions.mean_of(codes), track)


def match_overlap(shared: Overlap, confidence: npt.NDArray[np.float64], track: Track) -> InstanceMatches:
    """The same for regions whose overlap with objects is known already; small regions are dropped before."""
    object_size, region_size = shared.sum(axis=1)[1:], shared.sum(axis=0)[1:]
    union = object_size[:, None] + region_size[None, :] - shared[1:, 1:]
    return match(shared[1:, 1:] / union, confidence, object_size < track.smallest_object)


def match(
    iou: npt.NDArray[np.float64], confidence: npt.NDArray[np.float64], is_ignored: npt.NDArray[np.bool_]
) -> InstanceMatches:
    """Match regions with objects.

    Args:
        iou: ``(objects, regions)``.
        confidence: Of each region.
        is_ignored: Whether an object counts neither way.
    """
    first = np.argsort(-confidence, kind="stable")[:MOST_REGIONS]
    hit = np.zeros((len(IOUS), first.size), np.bool_)
    ignored = np.zeros_like(hit)
    # Most regions lie on no object, or hardly: no threshold asks for them.
    largest = iou.max(axis=0, initial=0.0)[first]
    reached = np.flatnonzero(largest >= IOUS[0])
    for row, threshold in enumerate(IOUS if reached.size else ()):
        free = np.ones(len(iou), np.bool_)
        for place in reached[largest[reached] >= threshold]:
            found = _best(iou[:, first[place]], threshold, free, is_ignored)
            if found is not None:
                free[found] = False
                ignored[row, place] = is_ignored[found]
                hit[row, place] = not is_ignored[found]
    return InstanceMatches(confidence[first], hit, ignored, int(np.count_nonzero(~is_ignored)))


def _best(iou: npt.NDArray[np.float64], threshold: float, free: Mask, is_ignored: Mask) -> int | None:
    """The free object of largest IoU that reaches the threshold; one that is ignored only where no other does."""
    for candidates in (free & ~is_ignored, free & is_ignored):
        reached = np.flatnonzero(candidates & (iou >= threshold))
        if reached.size:
            # Of equals the last, as COCO's loop keeps it.
            return int(reached[::-1][np.argmax(iou[reached[::-1]])])
    return None


def _average_precision(hit: Mask, ignored: Mask, objects: int) -> float:
    """The mean of the precision at 101 recalls, of regions in falling order of confidence."""
    true, false = np.cumsum(hit), np.cumsum(~hit & ~ignored)
    recall = true / objects
    precision = true / np.maximum(true + false, 1)
    # At each recall, the best precision at it or beyond.
    falling = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return float(falling[np.searchsorted(recall, RECALLS, "left")].mean())
