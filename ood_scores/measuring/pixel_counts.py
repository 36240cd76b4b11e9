"""Counts over all pixels of a set, by score map and by what is left out, that add up across processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.open_set import OpenSetCounts
from caos.ood_scores.measuring.pooled import PooledCounts
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.score_grid import Cells, ScoreGrid
from caos.ood_scores.measuring.short_numbers import look_up

ScoreMap = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
GROUPS: Final = 32
"""Groups of images that the bootstrap of pooled metrics resamples; with fewer images each is its own group."""
COARSE: Final = 32
"""Cells joined for the groups."""
EVEN_STEPS: Final = 401
"""Steps of open-set counts, of equal shares of the anomalous and of the ordinary pixels each."""


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


@dataclass(frozen=True)
class Calibration:
    """How one column's scores are counted and shown.

    Attributes:
        grid: Cells of the pooled counts.
        levels: Ascending cell numbers at which the codes 1, 2 .. begin; at most 255.
        steps: The same, finer: where the steps 1, 2 .. of open-set counts begin.
    """

    grid: ScoreGrid
    levels: tuple[int, ...]
    steps: tuple[int, ...]

    @staticmethod
    def of(scores: npt.NDArray[np.float32], anomalous: Mask) -> Calibration:
        """Cells for scores like these, and levels fine where thresholds are chosen: few false alarms, most recalls."""
        pool = PooledCounts(ScoreGrid.around(scores))
        pool.add(scores, anomalous)
        recall, false_alarms = pool.flagged()
        # Both fall from cell to cell: the first that flags few enough, the last that flags enough.
        rates = np.append(np.linspace(0.998, 0.5, 50), np.geomspace(0.49, 1e-5, 110))
        cells = np.searchsorted(-false_alarms, -rates, "left")
        if anomalous.any():
            cells = np.append(cells, np.searchsorted(-recall, -np.linspace(0, 1, 79), "right") - 1)
        # Other images may score higher than any pixel seen here.
        cells = np.append(cells, np.linspace(cells.max(), pool.grid.cells + 1, 17)[1:].astype(int))
        return Calibration(pool.grid, _within(cells, pool.grid), _within(_even_steps(recall, false_alarms), pool.grid))

    def codes(self, cells: Cells) -> npt.NDArray[np.uint8]:
        """How many levels each cell reaches: a pixel is flagged at level j (from 1) when its code is at least j."""
        return look_up(self._code_of_cell, cells)

    @cached_property
    def steps_and_codes(self) -> npt.NDArray[np.uint32]:
        """For each cell, how many steps it reaches (the lower 16 bits) and how many levels (the next 8)."""
        return self.step_of_cell | self._code_of_cell.astype(np.uint32) << np.uint32(16)

    @cached_property
    def step_of_cell(self) -> npt.NDArray[np.uint16]:
        """How many steps each cell reaches."""
        return np.searchsorted(self.steps, np.arange(self.grid.cells + 2), "right").astype(np.uint16)

    @cached_property
    def _code_of_cell(self) -> npt.NDArray[np.uint8]:
        return np.searchsorted(self.levels, np.arange(self.grid.cells + 2), "right").astype(np.uint8)


def _even_steps(recall: npt.NDArray[np.float64], false_alarms: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Cells that part the anomalous pixels into steps of equal size, and the ordinary ones too."""
    shares = -np.linspace(0, 1, EVEN_STEPS)
    return np.append(np.searchsorted(-recall, shares, "left"), np.searchsorted(-false_alarms, shares, "left"))


def _within(cells: npt.NDArray[np.intp], grid: ScoreGrid) -> tuple[int, ...]:
    return tuple(int(cell) for cell in np.unique(cells) if 0 < cell < grid.cells + 2)


class PixelCounts:
    """Counts over all pixels, by column and policy, and the same by group of images for confidence intervals.

    Attributes:
        is_whole: Whether every image is counted in all columns or in none. Counting makes it false; who knows that an
            image is done makes it true.
        open_set: Counts by predicted class, or None where the truth has no classes.
    """

    def __init__(
        self,
        calibrations: Mapping[str, Calibration],
        policies: Sequence[Policy],
        open_set: OpenSetCounts | None = None,
    ) -> None:
        self.is_whole, self.open_set = True, open_set
        self.calibrations, self.policies = calibrations, tuple(dict.fromkeys([BASE, *policies]))
        self.pools = {
            (column, policy.name): PooledCounts(calibration.grid)
            for column, calibration in calibrations.items()
            for policy in self.policies
        }
        sizes = {column: -(-(c.grid.cells + 2) // COARSE) for column, c in calibrations.items()}
        self.groups = {key: np.zeros((2, GROUPS, sizes[key[0]]), np.int64) for key in self.pools}

    def know_mixed(self, before: PixelCounts) -> None:
        """Let cells be known to have seen two values in counts that these will be merged with; none is remembered."""
        for key, pool in self.pools.items():
            pool.mixed |= before.pools[key].mixed

    def merge(self, other: PixelCounts) -> None:
        """Add what another process counted."""
        self.is_whole = False
        for key, pool in self.pools.items():
            pool.merge(other.pools[key])
            self.groups[key] += other.groups[key]
        if self.open_set is not None and other.open_set is not None:
            self.open_set.merge(other.open_set)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, for saving."""
        flat: dict[str, npt.NDArray[Any]] = {} if self.open_set is None else self.open_set.arrays()
        for (column, policy), pool in self.pools.items():
            flat |= {f"{column}|{policy}|{name}": array for name, array in pool.arrays().items()}
            flat[f"{column}|{policy}|groups"] = self.groups[column, policy]
        return flat

    def restore(self, flat: Mapping[str, npt.NDArray[Any]]) -> None:
        """Set the state to saved arrays."""
        for (column, policy), pool in self.pools.items():
            prefix = f"{column}|{policy}|"
            pool.restore({name: flat[prefix + name] for name in pool.arrays()})
            self.groups[column, policy] = flat[prefix + "groups"].astype(np.int64)
        if self.open_set is not None:
            self.open_set.restore(flat, tuple(self.calibrations))
