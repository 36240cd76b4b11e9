"""Does the way hazards are rendered give them away? Measured on a set with twins.

Two questions, each with a number that could come out badly:

1. *Twins.* Away from a hazard, its shadow and its reflection, frame and twin must be the same. Pixels are grouped by
   their distance from the hazard's mask; the share that changed by more than the eye notices is reported per group.
2. *Borders.* Along the border of an object three simple statistics are taken: edge sharpness, noise level just inside,
   and colour shift across. If a threshold on one of them separates hazards from ordinary objects (cars, people),
   something besides their meaning gives hazards away. The separation is reported as an AUROC: 0.5 is none. Objects are
   taken as they are, large and small, plain and detailed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from foundation.errors import CaosError
from foundation.progress import SILENT, Progress
from scenes.layout import Dataset, Sample, read_image, read_instances

RINGS_PX: Final = ((0, 4), (4, 16), (16, 64), (64, 160), (160, 100_000))
NOTICEABLE: Final = 8
"""Difference of 8-bit values that counts as changed."""
HAZARD_IDS_BELOW: Final = 101
FEWEST_PX: Final = 120
STATISTICS: Final = ("edge_sharpness", "noise_level", "colour_shift")


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
    changes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    found: dict[bool, list[NDArray[np.float64]]] = {True: [], False: []}
    with progress.task("measuring", len(samples)) as task:
        for sample in samples:
            image, instances = read_image(sample.image), _instances(sample)
            _measure_borders(image, instances, found)
            if sample.twin is not None:
                _measure_twin(image, read_image(sample.twin), instances, changes)
            task.advance()
    twins = tuple(_ring_row(ring, changes[_ring_name(ring)]) for ring in RINGS_PX if changes)
    return Validity(twins, tuple(_border_rows(found)), len(samples), len(found[True]), len(found[False]))


def _instances(sample: Sample) -> NDArray[np.uint16]:
    assert sample.instances is not None
    return read_instances(sample.instances)


def _ring_name(ring: tuple[int, int]) -> str:
    return f"{ring[0]}-{ring[1]} px" if ring[1] < 10_000 else f"over {ring[0]} px"


def _measure_twin(
    image: NDArray[np.uint8],
    twin: NDArray[np.uint8],
    instances: NDArray[np.uint16],
    changes: dict[str, list[tuple[int, int]]],
) -> None:
    hazard = (instances > 0) & (instances < HAZARD_IDS_BELOW)
    distance = cv2.distanceTransform((~hazard).astype(np.uint8), cv2.DIST_L2, 5)
    changed = np.abs(image.astype(np.int16) - twin).max(-1) > NOTICEABLE
    for ring in RINGS_PX:
        inside = ~hazard & (distance > ring[0]) & (distance <= ring[1])
        changes[_ring_name(ring)].append((int(changed[inside].sum()), int(inside.sum())))


def _ring_row(ring: tuple[int, int], counts: Sequence[tuple[int, int]]) -> dict[str, Any]:
    changed, pixels = (sum(c[i] for c in counts) for i in (0, 1))
    share = changed / pixels if pixels else 0.0
    return {"distance_from_hazard": _ring_name(ring), "pixels": pixels, "changed_percent": 100 * share}


def _measure_borders(
    image: NDArray[np.uint8], instances: NDArray[np.uint16], found: dict[bool, list[NDArray[np.float64]]]
) -> None:
    lab = cv2.cvtColor(image, cv2.COLOR_RGB2LAB).astype(np.float32)
    gray = lab[..., 0]
    slope = (np.hypot(cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)) / 8).astype(np.float32)
    residue = np.abs(gray - cv2.medianBlur(gray, 3))
    for number in np.unique(instances[instances > 0]):
        mask = (instances == number).astype(np.uint8)
        if mask.sum() >= FEWEST_PX:
            row = _border_statistics(mask, lab, slope, residue)
            if row is not None:
                found[bool(number < HAZARD_IDS_BELOW)].append(row)


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


def _border_rows(found: Mapping[bool, Sequence[NDArray[np.float64]]]) -> list[dict[str, Any]]:
    if not found[True] or not found[False]:
        return []
    hazards, ordinary = np.array(found[True]), np.array(found[False])
    rows = []
    for column, name in enumerate(STATISTICS):
        a, b = hazards[:, column], ordinary[:, column]
        above = (a[:, None] > b[None]).mean() + 0.5 * (a[:, None] == b[None]).mean()
        medians = {"hazard_median": float(np.median(a)), "ordinary_median": float(np.median(b))}
        rows.append({"statistic": name, **medians, "separation_auroc": float(max(above, 1 - above))})
    return rows
