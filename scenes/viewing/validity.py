"""Validity of a set: does the way hazards are rendered give them away? Measured with twins.

Two questions, each with a number that could come out badly:

1. *Twins.* Away from a hazard, its shadow and its reflection, frame and twin must be the same. Pixels are grouped by
   their distance from the hazard's mask; the share that changed by more than the eye notices is reported per group, and
   beside it the share that changed apart: not joined to the hazard by changed pixels, as its shadow is.
2. *Borders.* Along the border of an object three simple statistics are taken: edge sharpness, noise level just inside,
   and colour shift across. If a threshold on one of them separates hazards from ordinary objects (cars, people),
   something besides their meaning gives hazards away. The separation is reported as an AUROC: 0.5 is none. It is taken
   against all ordinary objects, with a 95 % interval that resamples the images, against those of a hazard's own size,
   and against each of their classes alone. The yardstick beside it is how far two of the ordinary classes are from each
   other.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.scenes.dataset.layout import ACTOR_IDS_FROM, Dataset, Sample, read_class_ids, read_image, read_instance_ids
from caos.scenes.labels import STREETHAZARDS, ClassIds

ANOMALY: Final = "anomaly"
RINGS_PX: Final = ((0, 4), (4, 16), (16, 64), (64, 160), (160, 100_000))
NOTICEABLE: Final = 8
"""Difference of 8-bit values that counts as changed."""
JOINED_PX: Final = 2
"""Changed pixels this near to each other belong together: a lamp's shadow begins a little beside its foot."""
FEWEST_PX: Final = 120
FEWEST_OBJECTS: Final = 5
"""A class with fewer objects is not compared alone."""
STATISTICS: Final = ("edge_sharpness", "noise_level", "colour_shift")
DRAWS: Final = 2000
"""Of the images, for an interval."""


@dataclass(frozen=True, eq=False)
class _Object:
    """A hazard or an ordinary object in one image: the image's number, its class, its pixels and its statistics."""

    image: int
    kind: str
    pixels: int
    statistics: NDArray[np.float64]

    @property
    def is_hazard(self) -> bool:
        return self.kind == ANOMALY


@dataclass(frozen=True, eq=False)
class Validity:
    """What was measured; see the module's text."""

    twins: tuple[Mapping[str, Any], ...]
    borders: tuple[Mapping[str, Any], ...]
    images: int
    hazards: int
    ordinary: int

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        counted = {"images": self.images, "hazards": self.hazards, "ordinary_objects": self.ordinary}
        return counted | {"twins": [dict(r) for r in self.twins], "borders": [dict(r) for r in self.borders]}


def validity(dataset: Dataset, progress: Progress = SILENT) -> Validity:
    """Measure a set's test split.

    Raises:
        CaosError: If the set has no instance maps.
    """
    samples = [sample for sample in dataset.samples("test") if sample.instances is not None]
    if not samples:
        raise CaosError(f"{dataset.root} has no instance maps in test; validity needs a generated set")
    changes: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    found: list[_Object] = []
    with progress.task("measuring", len(samples)) as task:
        for number, sample in enumerate(samples):
            image, instances = read_image(sample.image), _instances(sample)
            found += _objects(number, image, instances, read_class_ids(sample, STREETHAZARDS))
            if sample.twin is not None:
                _measure_twin(image, read_image(sample.twin), instances, changes)
            task.advance()
    twins = tuple(_ring_row(ring, changes[_ring_name(ring)]) for ring in RINGS_PX if changes)
    hazards = sum(one.is_hazard for one in found)
    return Validity(twins, tuple(_border_rows(found)), len(samples), hazards, len(found) - hazards)


def _instances(sample: Sample) -> NDArray[np.uint16]:
    instances = read_instance_ids(sample)
    assert instances is not None
    return instances


def _ring_name(ring: tuple[int, int]) -> str:
    return f"{ring[0]}-{ring[1]} px" if ring[1] < 10_000 else f"over {ring[0]} px"


def _measure_twin(
    image: NDArray[np.uint8],
    twin: NDArray[np.uint8],
    instances: NDArray[np.uint16],
    changes: dict[str, list[tuple[int, int, int]]],
) -> None:
    hazard = (instances > 0) & (instances < ACTOR_IDS_FROM)
    distance = cv2.distanceTransform((~hazard).astype(np.uint8), cv2.DIST_L2, 5)
    changed = np.abs(image.astype(np.int16) - twin).max(-1) > NOTICEABLE
    apart = changed & ~_joined(changed | hazard, hazard)
    for ring in RINGS_PX:
        inside = ~hazard & (distance > ring[0]) & (distance <= ring[1])
        changes[_ring_name(ring)].append((int(changed[inside].sum()), int(apart[inside].sum()), int(inside.sum())))


def _joined(mask: NDArray[np.bool_], seed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The pieces of a mask that hold a pixel of ``seed``; pixels within ``JOINED_PX`` are one piece."""
    kernel = np.ones((2 * JOINED_PX + 1, 2 * JOINED_PX + 1), np.uint8)
    _, pieces = cv2.connectedComponents(cv2.dilate(mask.astype(np.uint8), kernel), connectivity=8)
    inside: NDArray[np.bool_] = np.isin(pieces, np.unique(pieces[seed])) & mask
    return inside


def _ring_row(ring: tuple[int, int], counts: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
    changed, apart, pixels = (sum(c[i] for c in counts) for i in range(3))
    shares = {"changed_percent": 100 * changed / max(pixels, 1), "apart_percent": 100 * apart / max(pixels, 1)}
    return {"distance_from_hazard": _ring_name(ring), "pixels": pixels, **shares}


def _objects(
    place: int, image: NDArray[np.uint8], instances: NDArray[np.uint16], classes: ClassIds
) -> Iterator[_Object]:
    """The objects of the image with this number that are large enough to have a border."""
    lab = cv2.cvtColor(image, cv2.COLOR_RGB2LAB).astype(np.float32)
    gray = lab[..., 0]
    slope = (np.hypot(cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)) / 8).astype(np.float32)
    residue = np.abs(gray - cv2.medianBlur(gray, 3))
    for number in np.unique(instances[instances > 0]):
        mask = instances == number
        pixels = int(mask.sum())
        if pixels >= FEWEST_PX:
            row = _border_statistics(mask.astype(np.uint8), lab, slope, residue)
            if row is not None:
                kind = ANOMALY if number < ACTOR_IDS_FROM else _class_name(classes[mask])
                yield _Object(place, kind, pixels, row)


def _class_name(classes: ClassIds) -> str:
    """The class most pixels have: a cycle is one object with its rider."""
    most = int(np.bincount(classes).argmax())
    return next(row.name for row in STREETHAZARDS.classes if row.class_id == most)


def _border_statistics(
    mask: NDArray[np.uint8], lab: NDArray[np.float32], slope: NDArray[np.float32], residue: NDArray[np.float32]
) -> NDArray[np.float64] | None:
    """Edge sharpness, noise level and colour shift of one object, or None when it has no inside or outside."""
    kernel = np.ones((3, 3), np.uint8)
    inner = mask.astype(bool) & ~cv2.erode(mask, kernel, iterations=3).astype(bool)
    core = cv2.erode(mask, kernel, iterations=2).astype(bool)
    outer = cv2.dilate(mask, kernel, iterations=3).astype(bool) & ~mask.astype(bool)
    edge = cv2.dilate(mask, kernel).astype(bool) & ~cv2.erode(mask, kernel).astype(bool)
    if not (inner.any() and outer.any() and core.any()):
        return None
    shift = float(np.linalg.norm(lab[inner].mean(0) - lab[outer].mean(0)))
    # Sharpness relative to contrast, so that a dark object on dark ground is not called blurred.
    sharpness = float(slope[edge].mean()) / max(shift, 4.0)
    return np.array([sharpness, float(residue[core].mean()), shift])


def _border_rows(found: Sequence[_Object]) -> list[dict[str, Any]]:
    hazards, ordinary = [one for one in found if one.is_hazard], [one for one in found if not one.is_hazard]
    if not hazards or not ordinary:
        return []
    kinds = Counter(one.kind for one in ordinary)
    compared = sorted(kind for kind, count in kinds.items() if count >= FEWEST_OBJECTS)
    rows = []
    for column, name in enumerate(STATISTICS):
        a, b = _column(hazards, column), _column(ordinary, column)
        by_class = {kind: _column([one for one in ordinary if one.kind == kind], column) for kind in compared}
        among = [_separation(c, d) for c, d in itertools.combinations(by_class.values(), 2)]
        rows.append(
            {
                "statistic": name,
                "hazard_median": float(np.median(a)),
                "ordinary_median": float(np.median(b)),
                "separation_auroc": _separation(a, b),
                "separation_interval": _interval(a, b, _images(hazards), _images(ordinary)),
                "same_size_auroc": _separation(a, b, _same_size(hazards, ordinary)),
                "class_auroc": {kind: _separation(a, values) for kind, values in by_class.items()},
                "among_ordinary_auroc": max(among, default=None),
            }
        )
    return rows


def _column(objects: Sequence[_Object], column: int) -> NDArray[np.float64]:
    return np.array([one.statistics[column] for one in objects])


def _images(objects: Sequence[_Object]) -> NDArray[np.intp]:
    return np.array([one.image for one in objects], np.intp)


def _same_size(hazards: Sequence[_Object], ordinary: Sequence[_Object]) -> NDArray[np.float64]:
    """Which pairs of a hazard (row) and an ordinary object are of one size: neither has twice the other's pixels."""
    sizes = [np.log2([one.pixels for one in group]) for group in (hazards, ordinary)]
    near: NDArray[np.float64] = (np.abs(sizes[0][:, None] - sizes[1][None]) <= 1).astype(np.float64)
    return near


def _separation(a: NDArray[np.float64], b: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
    """AUROC of the better of the two directions, over all pairs or the weighted ones; 0.5 where there is no pair."""
    pairs = (a[:, None] > b[None]) + 0.5 * (a[:, None] == b[None])
    if weights is not None and not weights.any():
        return 0.5
    above = float(np.average(pairs, weights=weights))
    return max(above, 1 - above)


def _interval(
    a: NDArray[np.float64], b: NDArray[np.float64], images_a: NDArray[np.intp], images_b: NDArray[np.intp]
) -> list[float]:
    """Ends of the 95 % interval of :func:`_separation`, in its direction: the images are drawn again and again."""
    pairs = (a[:, None] > b[None]) + 0.5 * (a[:, None] == b[None])
    if pairs.mean() < 0.5:
        pairs = 1 - pairs
    number = int(max(images_a.max(), images_b.max())) + 1
    drawn = np.random.default_rng(0).multinomial(number, np.full(number, 1 / number), DRAWS)
    weights_a, weights_b = drawn[:, images_a], drawn[:, images_b]
    totals = weights_a.sum(1) * weights_b.sum(1)
    above = np.einsum("ni,ij,nj->n", weights_a, pairs, weights_b, optimize=True)[totals > 0] / totals[totals > 0]
    return [float(end) for end in np.quantile(above, (0.025, 0.975))]
