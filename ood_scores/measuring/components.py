"""Were the objects found? Component metrics of SegmentMeIfYouCan, and hazards counted by their true instance ids.

Pixels say how much area was right; a driver wants to know how many objects were seen. A flagged region and a true
object are compared by sIoU: intersection over union in which flagged pixels on *other* true objects are left out, so
that one region over two neighbouring objects is not punished twice. An object with sIoU >= t is found; a flagged
component of which less than t lies on objects (its PPV) is a false alarm; F1 is averaged over t = 0.25, 0.30 .. 0.75.

Chan et al., SegmentMeIfYouCan: A Benchmark for Anomaly Segmentation, NeurIPS 2021.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError

Mask = npt.NDArray[np.bool_]
Labels = npt.NDArray[np.int32]
Overlap = npt.NDArray[np.float64]
"""Pixels shared by each object and each region; see :meth:`TrueObjects.overlap`."""
THRESHOLDS: Final = tuple(round(0.25 + 0.05 * i, 2) for i in range(11))


@dataclass(frozen=True)
class Track:
    """Size limits: smaller flagged components are dropped, smaller true objects are ignored (neither way)."""

    name: str
    smallest_flagged: int
    smallest_object: int


ANOMALY_TRACK: Final = Track("anomaly", 500, 100)
OBSTACLE_TRACK: Final = Track("obstacle", 50, 10)
TRACKS: Final = {track.name: track for track in (ANOMALY_TRACK, OBSTACLE_TRACK)}


@dataclass(frozen=True, eq=False)
class ComponentScores:
    """sIoU of each true object and PPV of each flagged component, of one image or of many together."""

    siou: npt.NDArray[np.float64]
    ppv: npt.NDArray[np.float64]

    @staticmethod
    def joined(parts: Iterable[ComponentScores]) -> ComponentScores:
        """All objects and components of several images."""
        found = list(parts)
        return ComponentScores(
            np.concatenate([part.siou for part in found] or [np.zeros(0)]),
            np.concatenate([part.ppv for part in found] or [np.zeros(0)]),
        )

    def f1(self, threshold: float) -> float:
        """Harmonic mean of the shares of objects found and of components that were right.

        Raises:
            CaosError: If there is neither an object nor a component.
        """
        found, missed, false = self.counts(threshold)
        if not found + missed + false:
            raise CaosError("component F1 is undefined: no true object and no flagged component")
        return 2 * found / (2 * found + missed + false)

    def counts(self, threshold: float) -> tuple[int, int, int]:
        """Objects found, objects missed and false components at one sIoU threshold."""
        found = int(np.count_nonzero(self.siou >= threshold))
        return found, self.siou.size - found, int(np.count_nonzero(self.ppv < threshold))

    def mean_f1(self) -> float:
        """F1 averaged over ``THRESHOLDS``."""
        return float(np.mean([self.f1(t) for t in THRESHOLDS]))


def connected_components(mask: Mask) -> Labels:
    """Numbers 1, 2 .. for the 8-connected regions of a mask, 0 elsewhere."""
    import cv2

    _, labels = cv2.connectedComponents(mask.view(np.uint8), connectivity=8, ltype=cv2.CV_32S)
    return np.asarray(labels, np.int32)


@dataclass(frozen=True, eq=False)
class TrueObjects:
    """The true objects of one image, to be compared with any number of score maps.

    Attributes:
        pixels: Where they are, in the flattened image.
        numbers: The object of each of those pixels, 1, 2 .. without gaps.
        sizes: Pixels of each; the first, of "none", is 0.
    """

    pixels: npt.NDArray[np.intp]
    numbers: npt.NDArray[np.intp]
    sizes: npt.NDArray[np.int64]

    @staticmethod
    def of(objects: Labels, ignore: Mask | None = None) -> TrueObjects:
        """The objects with these numbers, less the pixels that count neither way."""
        flat = (objects if ignore is None else np.where(ignore, 0, objects)).ravel()
        pixels = np.flatnonzero(flat != 0)  # of truths they are found sooner than of numbers
        # Instance ids are small, so counting beats sorting.
        present = np.bincount(flat[pixels], minlength=1) > 0
        numbers = np.cumsum(present, dtype=np.intp)[flat[pixels]]
        return TrueObjects(pixels, numbers, np.bincount(numbers, minlength=1))

    def overlap(self, regions: Regions) -> Overlap:
        """Pixels shared by object ``i`` and region ``j``; row and column 0 are "none", and 0 where both are."""
        columns = regions.sizes.size
        joint = self.numbers * columns + regions.at(self.pixels)
        shared = np.bincount(joint, minlength=self.sizes.size * columns)
        table = shared.reshape(self.sizes.size, columns).astype(np.float64)
        table[0] = regions.sizes - table[1:].sum(axis=0)
        table[0, 0] = 0
        return table


@dataclass(frozen=True, eq=False)
class Regions:
    """The flagged regions of one image.

    Attributes:
        components: Of each pixel of the flattened image, its component; 0 is none.
        numbers: For each component the number of its region, 1, 2 .. without gaps; 0 where it is too small for one.
        sizes: Pixels of each region; the first, of "none", is 0.
    """

    components: Labels
    numbers: npt.NDArray[np.intp]
    sizes: npt.NDArray[np.int64]

    @staticmethod
    def of(flagged: Mask, ignore: Mask | None = None, smallest: int = 1) -> Regions:
        """Find the 8-connected components of at least ``smallest`` flagged pixels; ``ignore`` pixels belong to none."""
        import cv2

        mask = flagged if ignore is None else flagged & ~ignore
        _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.view(np.uint8), connectivity=8, ltype=cv2.CV_32S)
        sizes = stats[:, cv2.CC_STAT_AREA].astype(np.int64)
        large = sizes >= smallest
        large[0] = False  # the background
        numbers = np.where(large, np.cumsum(large, dtype=np.intp), 0)
        return Regions(np.asarray(labels, np.int32).ravel(), numbers, np.append(0, sizes[large]))

    def at(self, pixels: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The region of each of these pixels, 0 for none."""
        return self.numbers[self.components[pixels]]

    def mean_of(self, values: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Compute the mean of the values ``(h, w)`` in each region."""
        sums = np.bincount(self.components, weights=values.ravel(), minlength=self.numbers.size)
        return np.asarray(sums[self.numbers > 0] / self.sizes[1:], np.float64)


def compare(
    flagged: Mask, objects: Labels, ignore: Mask | None = None, track: Track = ANOMALY_TRACK
) -> ComponentScores:
    """Compare the flagged pixels of one image with its true objects.

    Args:
        flagged: True where the detector says anomalous.
        objects: Object numbers: true instance ids, or ``connected_components`` of the anomaly mask; 0 is none.
        ignore: True where a pixel counts neither way.
        track: Size limits.
    """
    regions = Regions.of(flagged, ignore, track.smallest_flagged)
    true = TrueObjects.of(objects, ignore)
    return compare_overlap(true.overlap(regions), true, track)


def compare_overlap(shared: Overlap, objects: TrueObjects, track: Track) -> ComponentScores:
    """The same for objects whose overlap with regions is known already; small regions are dropped before."""
    # A small object counts neither way: not as one to find, and not as ground that a region lies on falsely.
    small = objects.sizes < track.smallest_object
    small[0] = False
    return _scores(np.where(small[:, None], 0, shared) if small.any() else shared)


def _scores(overlap: Overlap) -> ComponentScores:
    on_objects = overlap[1:, 1:]
    present = overlap[1:].sum(axis=1) > 0
    touches = on_objects > 0
    intersection = on_objects.sum(axis=1)
    object_size = overlap[1:].sum(axis=1)
    region_size = overlap[:, 1:].sum(axis=0)
    # Of the touching regions, only pixels on the object itself or on no object count towards the union.
    elsewhere = on_objects.sum(axis=0)[None, :] - on_objects
    touching = np.where(touches, region_size[None, :] - elsewhere, 0).sum(axis=1)
    union = touching + object_size - intersection
    siou = intersection[present] / union[present]
    whole = region_size > 0
    ppv = on_objects.sum(axis=0)[whole] / region_size[whole]
    return ComponentScores(siou, ppv)


def flagged_shares(flagged: Mask, instances: npt.NDArray[np.integer], ids: Iterable[int]) -> dict[int, float | None]:
    """For each hazard id, the share of its pixels that is flagged; None where it has no pixel."""
    largest = int(instances.max())
    sizes = np.bincount(instances.ravel(), minlength=largest + 1)
    hits = np.bincount(instances[flagged].ravel(), minlength=largest + 1)
    return {i: float(hits[i] / sizes[i]) if 0 <= i <= largest and sizes[i] else None for i in ids}
