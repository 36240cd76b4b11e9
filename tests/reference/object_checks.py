"""Comparisons of component and instance metrics on generated masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter

from caos.ood_scores.measuring.components import TRACKS, ComponentScores, Track, compare
from caos.ood_scores.measuring.instances import InstanceMatches, match_instances
from tests.reference import plain_objects
from tests.reference.comparison import Comparison, compare_all

Mask = npt.NDArray[np.bool_]
LIMITS = (Track("any size", 0, 0), Track("small", 4, 6), *TRACKS.values())


@dataclass(frozen=True, eq=False)
class ObjectImage:
    """What a detector flags of an image, and its objects.

    Attributes:
        codes: Score codes; pixels above 0 are flagged.
        objects: Instance ids, 0 for none; two may touch.
        ignore: Void pixels.
    """

    codes: npt.NDArray[np.uint8]
    objects: npt.NDArray[np.int32]
    ignore: Mask

    @property
    def flagged(self) -> Mask:
        """Where the detector says anomalous."""
        return self.codes > 0


def generated_objects(rng: np.random.Generator, shape: tuple[int, int]) -> ObjectImage:
    """Blobs for objects and flagged regions, which overlap; some objects touch, some pixels are void."""
    width = rng.uniform(1, 4)

    def blobs(share: float) -> Mask:
        field = gaussian_filter(rng.normal(size=shape), width)
        return np.asarray(field > np.quantile(field, 1 - share), np.bool_)

    truth = blobs(rng.uniform(0, 0.4))
    halves = np.where(np.arange(shape[1])[None, :] < rng.integers(1, shape[1] + 1), 1, 40)
    rows = np.where(np.arange(shape[0])[:, None] < rng.integers(1, shape[0] + 1), 1, 7)
    # Objects are cut by lines, so that neighbours touch and one id has several regions.
    objects = np.where(truth, halves * rows, 0).astype(np.int32)
    flagged = blobs(rng.uniform(0, 0.4)) | (blobs(0.5) & truth)
    codes = np.where(flagged, rng.integers(1, 255, shape), 0).astype(np.uint8)
    ignore = blobs(rng.choice([0.0, 0.1])) & ~truth
    return ObjectImage(codes, np.where(ignore, 0, objects), ignore)


def exact_objects(rng: np.random.Generator, shape: tuple[int, int]) -> ObjectImage:
    """Rectangles whose overlaps lie exactly at limits: IoU 0.50 and 0.75, sIoU 0.50 and 0.75, PPV 0.50."""
    objects, codes = np.zeros(shape, np.int32), np.zeros(shape, np.uint8)
    for number in range(max(1, shape[0] // 8)):
        place = np.s_[8 * number : 8 * number + 6, 0:16]
        kind, block, flagged = rng.integers(4), np.zeros((6, 16), np.int32), np.zeros((6, 16), np.bool_)
        block[:, :8] = 2 * number + 1
        if kind == 0:  # one region over two equal objects
            block[:, 8:] = 2 * number + 2
            flagged[:] = True
        elif kind == 3:  # half of the region beside the object
            flagged[:] = True
        else:  # half or three quarters of the object
            flagged[:, : 4 if kind == 1 else 6] = True
        room = objects[place].shape
        objects[place] = block[: room[0], : room[1]]
        codes[place] = np.where(flagged, rng.integers(1, 255), 0)[: room[0], : room[1]]
    return ObjectImage(codes, objects, np.zeros(shape, np.bool_))


@st.composite
def object_images(draw: st.DrawFn, most_images: int = 4) -> list[ObjectImage]:
    """Images of one set."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shapes = st.sampled_from([(1, 1), (1, 30), (12, 16), (40, 60), (64, 96)])
    makers = st.sampled_from([generated_objects, generated_objects, exact_objects])
    return [draw(makers)(rng, draw(shapes)) for _ in range(draw(st.integers(1, most_images)))]


def object_checks(images: Sequence[ObjectImage], track: Track) -> Iterator[Comparison]:
    """sIoU, PPV, F1 and average precision of some images together."""
    ours, plain = [], []
    for image in images:
        found = compare(image.flagged, image.objects, image.ignore, track)
        expected = plain_objects.components(
            image.flagged,
            plain_objects.objects_of(image.objects),
            image.ignore,
            track.smallest_flagged,
            track.smallest_object,
        )
        yield from _ordered("components, sIoU", found.siou.tolist(), expected.siou)
        yield from _ordered("components, PPV", found.ppv.tolist(), expected.ppv)
        ours.append(found)
        plain.append(expected)
    together = ComponentScores.joined(ours)
    every = plain_objects.Components(
        [value for one in plain for value in one.siou], [value for one in plain for value in one.ppv]
    )
    mean = together.mean_f1() if together.siou.size or together.ppv.size else None
    yield Comparison("components, mean F1", mean, every.mean_f1())
    for threshold in (0.25, 0.5, 0.75):
        for name, one, other in zip(
            ("found", "missed", "false"), together.counts(threshold), every.counts(threshold), strict=True
        ):
            yield Comparison(f"components, {name}", float(one), float(other), 0.0)
    yield from _instances(images, track)


def _ordered(name: str, ours: Sequence[float], plain: Sequence[float]) -> Iterator[Comparison]:
    yield Comparison(f"{name}, number", float(len(ours)), float(len(plain)), 0.0)
    if len(ours) == len(plain):
        for one, other in zip(sorted(ours), sorted(plain), strict=True):
            yield Comparison(name, one, other)


def _instances(images: Sequence[ObjectImage], track: Track) -> Iterator[Comparison]:
    """AP and AP50; nothing where regions are equally confident, for then the order of the rows decides."""
    matches, theirs, seen = [], [], list[float]()
    for image in images:
        objects = plain_objects.objects_of(image.objects)
        regions = [
            region
            for region in plain_objects.regions_of(image.flagged & ~image.ignore)
            if region.sum() >= track.smallest_flagged
        ]
        sure = [float(image.codes[region].sum() / region.sum()) for region in regions]
        seen += sure
        matches.append(match_instances(image.flagged, image.codes, image.objects, image.ignore, track))
        theirs.append(plain_objects.InstanceImage(objects, regions, sure))
    if len(set(seen)) == len(seen):
        found = InstanceMatches.joined(matches).numbers()
        expected = plain_objects.average_precision(theirs, track.smallest_object) or (None, None)
        names = ("AP", "AP50")
        yield from compare_all(
            "instances beside pycocotools",
            dict(zip(names, (found.ap, found.ap50), strict=True)),
            dict(zip(names, expected, strict=True)),
        )
