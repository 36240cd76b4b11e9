"""Pixels of a set by score map and kind of pixel: what pooled metrics and thresholds are read from, over processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.score_store import (
    ANOMALOUS,
    MOST_IN_MEMORY,
    CategoryScores,
    IntArray,
    ScoreArray,
    ScoreStore,
    in_one_type,
)
from caos.ood_scores.measuring.inputs import Mask
from caos.ood_scores.measuring.open_set import OpenSetCounts
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.score_grid import Cells, ScoreGrid

ScoreMap = npt.NDArray[Any]
"""Scores ``(h, w)`` as float32, float64, int64 or uint64."""
CODES: Final = 256
"""Levels of a coded score map, the one of no level included."""
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
class PixelCategories:
    """The kinds of pixels that are told apart: anomalous ones, those of each ordinary class, and void.

    Attributes:
        classes: Names of the ordinary classes, by class id.
    """

    classes: tuple[str, ...]

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.classes) + 2

    @property
    def void(self) -> int:
        """The category of void, the last one."""
        return len(self.classes) + 1

    def of(self, ids: npt.NDArray[np.uint8], anomalous: Mask) -> npt.NDArray[np.uint8]:
        """The category of each pixel of a map of class ids; an id that is no class is void."""
        table = np.full(1 << 8, self.void, np.uint8)
        table[: len(self.classes)] = np.arange(1, len(self.classes) + 1)
        categories = table[ids]
        categories[anomalous] = ANOMALOUS
        return categories

    def ordinary(self, policy: Policy) -> tuple[int, ...]:
        """The categories that count as ordinary by a policy."""
        kept = (number for number, name in enumerate(self.classes, 1) if name not in policy.ignores_classes)
        return (*kept, *(() if policy.ignores_void else (self.void,)))


@dataclass(frozen=True)
class Calibration:
    """How one column's scores are shown: by 256 codes; open-set counts have finer steps.

    Attributes:
        grid: Cells that levels and steps are made of.
        levels: Ascending cell numbers at which the codes 1, 2 .. begin; at most 255.
        steps: The same, finer: where the steps 1, 2 .. of open-set counts begin.
    """

    grid: ScoreGrid
    levels: tuple[int, ...]
    steps: tuple[int, ...]

    @staticmethod
    def of(scores: ScoreArray, anomalous: Mask) -> Calibration:
        """Cells for scores like these, and levels fine where thresholds are chosen: few false alarms, most recalls."""
        grid = ScoreGrid.around(scores)
        cells = grid.cell_of(scores)
        recall, false_alarms = (_shares_from(cells[which], grid.cells + 2) for which in (anomalous, ~anomalous))
        # Both fall from cell to cell: the first that flags few enough, the last that flags enough.
        rates = np.append(np.linspace(0.998, 0.5, 50), np.geomspace(0.49, 1e-5, 110))
        levels = np.searchsorted(-false_alarms, -rates, "left")
        if anomalous.any():
            levels = np.append(levels, np.searchsorted(-recall, -np.linspace(0, 1, 79), "right") - 1)
        # Other images may score higher than any pixel seen here.
        levels = np.append(levels, np.linspace(levels.max(), grid.cells + 1, 17)[1:].astype(int))
        return Calibration(grid, _within(levels, grid), _within(_even_steps(recall, false_alarms), grid))

    def codes(self, scores: ScoreMap) -> npt.NDArray[np.uint8]:
        """How many levels each score reaches: a pixel is flagged at level j (from 1) when its code is at least j."""
        return self.codes_of_cells(self.grid.cell_of(scores))

    def codes_of_cells(self, cells: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint8]:
        """The codes of scores by their cells."""
        return self._code_of_cell.take(cells)

    def level_scores(self, dtype: np.dtype[Any]) -> ScoreArray:
        """The lowest score of a number type with the codes 1, 2 .., exactly."""
        if dtype not in self._level_scores:
            self._level_scores[dtype] = self.grid.lowest_scores(self.levels, dtype)
        return self._level_scores[dtype]

    def lowest_scores(self, ordered: Sequence[ScoreArray]) -> ScoreArray:
        """The lowest of some sorted scores with at least code 1, 2 ..

        Where no score reaches a code, the largest number of the type stands for it.
        """
        levels = self.level_scores(ordered[0].dtype)
        lowest = np.full(levels.size, largest_of(levels.dtype))
        for own in ordered:
            first = np.searchsorted(own, levels)
            reached = own[first[first < own.size]]  # of the lower levels
            np.minimum(lowest[: reached.size], reached, out=lowest[: reached.size])
        return lowest

    @cached_property
    def step_of_cell(self) -> npt.NDArray[np.uint16]:
        """How many steps each cell reaches."""
        return np.searchsorted(self.steps, np.arange(self.grid.cells + 2), "right").astype(np.uint16)

    @cached_property
    def _code_of_cell(self) -> npt.NDArray[np.uint8]:
        return np.searchsorted(self.levels, np.arange(self.grid.cells + 2), "right").astype(np.uint8)

    @cached_property
    def _level_scores(self) -> dict[np.dtype[Any], ScoreArray]:
        return {}


def largest_of(dtype: np.dtype[Any]) -> Any:
    """The largest number of a type, infinity for floats."""
    return dtype.type(np.inf if dtype.kind == "f" else np.iinfo(dtype).max)


def _shares_from(cells: Cells, number: int) -> npt.NDArray[np.float64]:
    """The share of pixels in each cell and above."""
    return np.cumsum(np.bincount(cells, minlength=number)[::-1])[::-1] / max(cells.size, 1)


def _even_steps(recall: npt.NDArray[np.float64], false_alarms: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Cells that part the anomalous pixels into steps of equal size, and the ordinary ones too."""
    shares = -np.linspace(0, 1, EVEN_STEPS)
    return np.append(np.searchsorted(-recall, shares, "left"), np.searchsorted(-false_alarms, shares, "left"))


def _within(cells: npt.NDArray[np.intp], grid: ScoreGrid) -> tuple[int, ...]:
    return tuple(int(cell) for cell in np.unique(cells) if 0 < cell < grid.cells + 2)


class PixelCounts:
    """The pixels of all images, by column, that add up across processes.

    Args:
        calibrations: By column, how its scores are shown.
        categories: The kinds of pixels that are told apart.
        open_set: Counts by predicted class, or None where the truth has no classes.
        folder: Where scores go that are too many for the memory; None for a temporary one.
        most: Scores that stay in memory, of all columns together.

    Attributes:
        is_whole: Whether every image is counted in all columns or in none. Counting makes it false; the caller makes it
            true when an image is done.
        codes: By column, pixels of each category and code ``(categories, 256)``.
        stores: By column, the scores.
    """

    def __init__(
        self,
        calibrations: Mapping[str, Calibration],
        categories: PixelCategories,
        open_set: OpenSetCounts | None = None,
        folder: Path | None = None,
        most: int = MOST_IN_MEMORY,
    ) -> None:
        self.is_whole, self.open_set = True, open_set
        self.calibrations, self.categories = calibrations, categories
        self.codes = {column: np.zeros((categories.number, CODES), np.int64) for column in calibrations}
        self._lowest: dict[str, ScoreArray] = {}
        self.stores = {
            column: ScoreStore(
                categories.number, None if folder is None else folder / str(place), most // len(calibrations)
            )
            for place, column in enumerate(calibrations)
        }

    def add(self, column: str, image: int, scores: CategoryScores, codes: IntArray, lowest: ScoreArray) -> None:
        """Count one score map of the image with this number in the set.

        Args:
            column: Its name.
            image: The number.
            scores: Of its pixels.
            codes: How many pixels each category and code has ``(categories, 256)``.
            lowest: See :meth:`Calibration.lowest_scores`.
        """
        self.is_whole = False
        self.codes[column] += codes
        self._lower(column, lowest)
        self.stores[column].add(image, scores)

    def _lower(self, column: str, lowest: ScoreArray) -> None:
        own = self._lowest.get(column)
        self._lowest[column] = lowest if own is None else np.minimum(*in_one_type([own, lowest]))

    @property
    def anomalous(self) -> int:
        """How many pixels are anomalous."""
        return int(next(iter(self.codes.values()))[ANOMALOUS].sum())

    def flagged(self, column: str, policy: Policy = BASE) -> tuple[IntArray, IntArray]:
        """Anomalous and ordinary pixels whose code is at least 0, 1 .. 255."""
        at_least = self.codes[column][:, ::-1].cumsum(axis=1)[:, ::-1]
        return at_least[ANOMALOUS], at_least[list(self.categories.ordinary(policy))].sum(axis=0)

    def lowest_scores(self, column: str) -> ScoreArray:
        """The lowest score that occurs with at least code 1, 2 .., or where the code begins if none does."""
        found = self._lowest[column]
        starts = self.calibrations[column].level_scores(found.dtype)
        return np.where(found == largest_of(found.dtype), starts, found)

    def merge(self, other: PixelCounts) -> None:
        """Add what another process counted."""
        self.is_whole = False
        for column, store in self.stores.items():
            store.merge(other.stores[column])
            self.codes[column] += other.codes[column]
            if column in other._lowest:
                self._lower(column, other._lowest[column])
        if self.open_set is not None and other.open_set is not None:
            self.open_set.merge(other.open_set)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, for saving; all scores are in files then."""
        flat: dict[str, npt.NDArray[Any]] = {} if self.open_set is None else self.open_set.arrays()
        for column, store in self.stores.items():
            flat |= {f"{column}|scores|{name}": array for name, array in store.arrays().items()}
            flat[f"{column}|codes"] = self.codes[column]
        flat |= {f"{column}|lowest": lowest for column, lowest in self._lowest.items()}
        return flat

    def restore(self, flat: Mapping[str, npt.NDArray[Any]]) -> None:
        """Set the state to saved arrays.

        Raises:
            CaosError: If a file with scores is missing or cut short.
        """
        for column, store in self.stores.items():
            prefix = f"{column}|scores|"
            store.restore({name.removeprefix(prefix): flat[name] for name in flat if name.startswith(prefix)})
            self.codes[column] = flat[f"{column}|codes"].astype(np.int64)
        self._lowest = {column: flat[f"{column}|lowest"] for column in self.stores if f"{column}|lowest" in flat}
        if self.open_set is not None:
            self.open_set.restore(flat, tuple(self.calibrations))
