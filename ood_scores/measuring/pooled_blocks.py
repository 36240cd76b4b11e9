"""Blocks of pooled pixels: ranges of scores of all images, in which anomalous pixels are ranked among ordinary ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caos.foundation.score_store import ANOMALOUS, IntArray, ScoreArray, ScoreStore
from caos.foundation.value_blocks import ranks_in, tally, value_blocks

ANOMALOUS_WEIGHT: Final = 16
"""Of an anomalous pixel, against 1 of an ordinary one, when blocks are sized: it needs a row of the table."""


@dataclass(frozen=True, eq=False)
class Block:
    """Pixels of one range of scores, by group of images; thresholds are the distinct scores of anomalous ones, rising.

    Attributes:
        thresholds: ``(n,)``.
        gained: Anomalous pixels at each threshold, ``(groups, n)``.
        below: By category set, ordinary pixels below each threshold, ``(groups, n)``.
        up_to: The same, at or below it.
        ordinary: By category set, number of ordinary pixels, ``(groups,)``.
    """

    thresholds: ScoreArray
    gained: IntArray
    below: Mapping[tuple[int, ...], IntArray]
    up_to: Mapping[tuple[int, ...], IntArray]
    ordinary: Mapping[tuple[int, ...], IntArray]

    def of(self, ordinary: Sequence[int]) -> RankedPixels:
        """The anomalous pixels ranked among the ordinary ones of some categories."""
        wanted = [one for one in self.ordinary if one[0] in ordinary]

        def added(tables: Mapping[tuple[int, ...], IntArray]) -> IntArray:
            return np.asarray(np.sum([tables[one] for one in wanted], axis=0, dtype=np.int64))

        return RankedPixels(self.gained, added(self.below), added(self.up_to), added(self.ordinary))


@dataclass(frozen=True, eq=False)
class RankedPixels:
    """At rising thresholds, by group ``(groups, n)``: anomalous pixels there, ordinary ones below, and up to them.

    Attributes:
        pixels: Ordinary pixels of the block, ``(groups,)``.
    """

    gained: IntArray
    below: IntArray
    up_to: IntArray
    pixels: IntArray

    def total(self) -> RankedPixels:
        """All groups added up."""
        return RankedPixels(*(part.sum(axis=0) for part in (self.gained, self.below, self.up_to, self.pixels)))

    def less(self, other: RankedPixels, group: int) -> RankedPixels:
        """This total without a group of another table."""
        return RankedPixels(
            self.gained - other.gained[group],
            self.below - other.below[group],
            self.up_to - other.up_to[group],
            self.pixels - other.pixels[group],
        )


@dataclass(frozen=True, eq=False)
class GroupedPixels:
    """Sorted scores of all images, by group of images and set of categories that all questions treat alike."""

    anomalous: list[list[ScoreArray]]
    ordinary: Mapping[tuple[int, ...], list[list[ScoreArray]]]
    store: ScoreStore
    """Holds the files that the scores are in."""

    @staticmethod
    def of(store: ScoreStore, ordinary_sets: Sequence[Sequence[int]], groups: int) -> GroupedPixels:
        """The pixels of a store; ``ordinary_sets`` are the categories that each question counts as ordinary."""
        alike: dict[tuple[bool, ...], list[int]] = {}
        for category in range(ANOMALOUS + 1, store.categories):
            wanted = tuple(category in one for one in ordinary_sets)
            if any(wanted):
                alike.setdefault(wanted, []).append(category)
        sets = [tuple(categories) for categories in alike.values()]
        sorted_store = store.sorted_by([(ANOMALOUS,), *sets])
        pixels = GroupedPixels(
            [[] for _ in range(groups)], {one: [[] for _ in range(groups)] for one in sets}, sorted_store
        )
        for image, scores in sorted_store.images():
            pixels.anomalous[image % groups].append(scores[ANOMALOUS])
            for place, one in enumerate(sets, 1):
                pixels.ordinary[one][image % groups].append(scores[place])
        return pixels

    def blocks(self) -> Iterator[Block]:
        """Blocks from the highest score down."""
        parts = [self.anomalous, *self.ordinary.values()]
        flat = [array for part in parts for group in part for array in group]
        number = sum(map(len, self.anomalous))
        for slices in value_blocks(flat, [ANOMALOUS_WEIGHT] * number + [1] * (len(flat) - number)):
            remaining = iter(slices)
            cut = [[[next(remaining) for _ in group] for group in part] for part in parts]
            yield self._block(cut[0], dict(zip(self.ordinary, cut[1:], strict=True)))

    @staticmethod
    def _block(anomalous: list[list[ScoreArray]], ordinary: Mapping[tuple[int, ...], list[list[ScoreArray]]]) -> Block:
        thresholds, _ = tally([array for group in anomalous for array in group])
        below, up_to = _ranked(anomalous, thresholds)
        ranked = {one: _ranked(groups, thresholds) for one, groups in ordinary.items()}
        return Block(
            thresholds=thresholds,
            gained=up_to - below,
            below={one: pair[0] for one, pair in ranked.items()},
            up_to={one: pair[1] for one, pair in ranked.items()},
            ordinary={one: sizes(groups) for one, groups in ordinary.items()},
        )


def _ranked(groups: list[list[ScoreArray]], thresholds: ScoreArray) -> tuple[IntArray, IntArray]:
    ranked = [ranks_in(group, thresholds) for group in groups]
    return np.stack([below for below, _ in ranked]), np.stack([up_to for _, up_to in ranked])


def sizes(groups: list[list[ScoreArray]]) -> IntArray:
    """Number of scores of each group."""
    return np.array([sum(array.size for array in group) for group in groups], np.int64)
