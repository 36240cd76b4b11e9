"""What is counted while the images pass: one row an image, and counts over all pixels that add up across processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from foundation.errors import CaosError
from ood_scores import metrics
from ood_scores.components import connected_components
from ood_scores.maps import ScoreMap
from ood_scores.pooled import Grid, PooledCounts
from ood_scores.protocols import Protocol
from scenes.labels import VOID, LabelTable
from scenes.layout import Sample, read_class_ids, read_instances

Mask = npt.NDArray[np.bool_]
GROUPS: Final = 32
"""Groups of images that the bootstrap of pooled metrics resamples; with fewer images each is its own group."""
COARSE: Final = 32
"""Cells joined for the groups."""


@dataclass(frozen=True)
class Policy:
    """Which pixels count neither way."""

    ignores_void: bool
    ignores_classes: tuple[str, ...]

    @staticmethod
    def of(protocol: Protocol) -> Policy:
        """A protocol's policy."""
        return Policy(protocol.ignores_void, protocol.ignores_classes)

    @property
    def name(self) -> str:
        """A name for files."""
        return "+".join(["void"] * self.ignores_void + list(self.ignores_classes)) or "none"


BASE: Final = Policy(ignores_void=True, ignores_classes=())
"""The policy of curves, thresholds and components: void counts neither way."""


@dataclass(frozen=True, eq=False)
class Truth:
    """What is known of an image: classes, anomalous pixels, and which object each of those belongs to.

    Attributes:
        ids: Class ids.
        anomalous: True on hazards.
        objects: Number of the hazard at each pixel, 0 where none: instance ids, or connected components without them.
        has_instances: Whether the numbers are true instance ids.
    """

    ids: npt.NDArray[np.uint8]
    anomalous: Mask
    objects: npt.NDArray[np.int32]
    has_instances: bool

    @staticmethod
    def read(sample: Sample, table: LabelTable, shape: tuple[int, int]) -> Truth:
        """The truth of a sample.

        Raises:
            CaosError: If a file cannot be read or differs in size from the image.
        """
        ids = read_class_ids(sample, table)
        if ids.shape != shape:
            raise CaosError(f"{sample.annotation} is {ids.shape[1]}x{ids.shape[0]} but its image {shape[1]}x{shape[0]}")
        anomalous = np.isin(ids, table.anomaly_ids)
        if sample.instances is None:
            return Truth(ids, anomalous, connected_components(anomalous), has_instances=False)
        instances = read_instances(sample.instances)
        if instances.shape != shape:
            raise CaosError(f"{sample.instances} has another size than its image ({shape[1]}x{shape[0]})")
        return Truth(ids, anomalous, np.where(anomalous, instances, 0).astype(np.int32), has_instances=True)

    def ignored(self, policy: Policy, table: LabelTable) -> Mask | None:
        """Pixels that count neither way, or None where every pixel counts."""
        wanted = [row.class_id for row in table.trained if row.name in policy.ignores_classes]
        mask = np.isin(self.ids, wanted) if wanted else np.zeros(self.ids.shape, np.bool_)
        if policy.ignores_void:
            mask |= self.ids == VOID
        mask &= ~self.anomalous
        return mask if mask.any() else None


@dataclass(frozen=True)
class Calibration:
    """How one column's scores are counted and shown.

    Attributes:
        grid: Cells of the pooled counts.
        levels: Ascending cell numbers at which the codes 1, 2 .. begin; at most 255.
    """

    grid: Grid
    levels: tuple[int, ...]

    @staticmethod
    def of(scores: npt.NDArray[np.float32], anomalous: Mask) -> Calibration:
        """Cells for scores like these, and levels fine where thresholds are chosen: few false alarms, most recalls."""
        pool = PooledCounts(Grid.around(scores))
        pool.add(scores, anomalous)
        recall, false_alarms = pool.flagged()
        # Both fall from cell to cell: the first that flags few enough, the last that flags enough.
        rates = np.append(np.linspace(0.998, 0.5, 50), np.geomspace(0.49, 1e-5, 110))
        cells = np.searchsorted(-false_alarms, -rates, "left")
        if anomalous.any():
            cells = np.append(cells, np.searchsorted(-recall, -np.linspace(0, 1, 79), "right") - 1)
        # Other images may score higher than any pixel seen here.
        cells = np.append(cells, np.linspace(cells.max(), pool.grid.cells + 1, 17)[1:].astype(int))
        return Calibration(pool.grid, tuple(int(cell) for cell in np.unique(cells) if 0 < cell < pool.grid.cells + 2))

    def codes(self, cells: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        """How many levels each cell reaches: a pixel is flagged at level j (from 1) when its code is at least j."""
        table = np.searchsorted(self.levels, np.arange(self.grid.cells + 2), "right").astype(np.uint8)
        return table[cells]


class Tally:
    """Counts over all pixels, by column and policy, and the same by group of images for confidence intervals."""

    def __init__(self, calibrations: Mapping[str, Calibration], policies: Sequence[Policy]) -> None:
        self.calibrations, self.policies = calibrations, tuple(dict.fromkeys([BASE, *policies]))
        self.pools = {
            (column, policy.name): PooledCounts(calibration.grid)
            for column, calibration in calibrations.items()
            for policy in self.policies
        }
        sizes = {column: -(-(c.grid.cells + 2) // COARSE) for column, c in calibrations.items()}
        self.groups = {key: np.zeros((2, GROUPS, sizes[key[0]]), np.int64) for key in self.pools}

    def add(
        self,
        column: str,
        scores: ScoreMap,
        cells: npt.NDArray[np.intp],
        anomalous: Mask,
        ignored: Mapping[str, Mask | None],
        number: int,
    ) -> None:
        """Count one column of the image with this number in the set."""
        for policy in self.policies:
            key = (column, policy.name)
            parts = self.pools[key].add(scores, anomalous, ignored[policy.name], cells)
            starts = np.arange(0, parts[0].size, COARSE)
            for kind, part in enumerate(parts):
                self.groups[key][kind, number % GROUPS] += np.add.reduceat(part, starts)

    def merge(self, other: Tally) -> None:
        """Add what another process counted."""
        for key, pool in self.pools.items():
            pool.merge(other.pools[key])
            self.groups[key] += other.groups[key]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, for saving."""
        flat: dict[str, npt.NDArray[Any]] = {}
        for (column, policy), pool in self.pools.items():
            flat |= {f"{column}|{policy}|{name}": array for name, array in pool.arrays().items()}
            flat[f"{column}|{policy}|groups"] = self.groups[column, policy]
        return flat

    def restore(self, flat: Mapping[str, npt.NDArray[Any]]) -> None:
        """Set the state to saved arrays."""
        for (column, policy), pool in self.pools.items():
            prefix = f"{column}|{policy}|"
            pool.restore({name: flat[prefix + name] for name in pool.arrays()})
            self.groups[column, policy] = flat[prefix + "groups"].copy()


def measure_image(
    column_counts: Mapping[str, metrics.Counts | None], protocols: Sequence[Protocol]
) -> dict[str, list[float]]:
    """AUROC, AUPR and FPR95 of one score map by each per-image protocol; counts come by policy name."""
    measured = {}
    for protocol in protocols:
        counts = column_counts.get(Policy.of(protocol).name)
        if counts is not None:
            found = protocol.measure(counts)
            measured[protocol.name] = [found.auroc, found.aupr, found.fpr95]
    return measured


def hazard_measures(counts: metrics.Counts, scores: ScoreMap, objects: npt.NDArray[np.int32]) -> dict[int, list[float]]:
    """For each hazard number: AUROC and FPR95 (first recall >= 0.95) of its pixels against the ordinary ones."""
    measured = {}
    for number in np.unique(objects[objects > 0]):
        own = metrics.of_part(counts, scores[objects == number])
        measured[int(number)] = [metrics.auroc(own), metrics.fpr_at_recall(own, 0.95, "at least")]
    return measured
