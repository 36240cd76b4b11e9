"""Metrics over the pixels of any number of images together: exact, in bounded memory, mergeable.

All scores are kept (:mod:`caos.foundation.score_store`). They are sorted image by image and read once, from the highest
score down, in blocks that hold the same range of scores of all images. Each block gives a piece of the table that
:mod:`caos.ood_scores.measuring.metrics` measures; what the pieces add up to is the metric. The same pass measures the
set without each group of images, for confidence intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.score_store import (
    ANOMALOUS,
    MOST_IN_MEMORY,
    CategoryScores,
    PixelOrder,
    ScoreArray,
    ScoreStore,
)
from caos.foundation.value_blocks import tally, value_blocks
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.inputs import valid_pixels
from caos.ood_scores.measuring.metrics import Counts, RecallRule
from caos.ood_scores.measuring.pooled_blocks import Block, GroupedPixels, RankedPixels, sizes
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.score_grid import ScoreGrid

Float64 = npt.NDArray[np.float64]
GROUPS: Final = 32
"""Groups of images that are left out one at a time; with fewer images each is its own group."""
METRICS: Final = ("auroc", "aupr", "fpr95")


@dataclass(frozen=True)
class PooledMeasures:
    """AUROC, AUPR and FPR95 of pooled pixels, exact, as fractions of one."""

    auroc: float
    aupr: float
    fpr95: float
    positives: int
    negatives: int


@dataclass(frozen=True)
class PooledQuestion:
    """What to measure: the definitions of a protocol, on these categories of ordinary pixels."""

    protocol: Protocol
    ordinary: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PooledAnswer:
    """What was measured.

    Attributes:
        measures: Of all images.
        without: By metric, its value without each group of images ``(groups,)``; NaN where it is undefined.
    """

    measures: PooledMeasures
    without: Mapping[str, Float64]


def measure_pooled(
    store: ScoreStore, questions: Sequence[PooledQuestion], groups: int = 0, where: str = ""
) -> list[PooledAnswer]:
    """Answer all questions about the images of a store in one pass.

    Args:
        store: The scores.
        questions: What to measure. The rule ``nearest`` for FPR95 is measured as ``at least``.
        groups: Groups of images to leave out one at a time: image ``i`` is in group ``i % groups``.
        where: Ends the text of an error.

    Raises:
        CaosError: If one kind of pixel is missing.
    """
    pixels = GroupedPixels.of(store, [question.ordinary for question in questions], max(groups, 1))
    sums = [_QuestionSums.of(question, pixels, groups) for question in questions]
    for one in sums:
        one.check(where)
    for block in pixels.blocks():
        for one in sums:
            one.add(block)
    return [one.answer() for one in sums]


@dataclass(eq=False)
class _Sums:
    """What the blocks so far add up to, for one set of images."""

    positives: int
    negatives: int
    rule: RecallRule
    is_trapezoid: bool
    true_above: int = 0
    false_above: int = 0
    pairs: int = 0
    precisions: float = 0.0
    false_at_recall: int | None = None
    last: Counts | None = None
    """The last row of the table so far, which the next block may show to be no corner."""

    def add(self, thresholds: ScoreArray, ranked: RankedPixels) -> None:
        """Add a block by its rising thresholds."""
        held, pixels = np.flatnonzero(ranked.gained)[::-1], int(ranked.pixels)
        counts = Counts(
            thresholds=thresholds[held],
            gained=ranked.gained[held],
            true_positives=self.true_above + np.cumsum(ranked.gained[held]),
            false_positives=self.false_above + pixels - ranked.below[held],
            negatives_above=self.false_above + pixels - ranked.up_to[held],
            positives=self.positives,
            negatives=self.negatives,
        )
        self.pairs += metrics.half_pairs_won(counts)
        self.precisions += metrics.trapezoid_sum(counts) if self.is_trapezoid else metrics.precision_sum(counts)
        if self.false_at_recall is None:
            self._find_recall(counts, ordinary_below=int(ranked.below[held[-1]]) if held.size else pixels)
        self.true_above += int(ranked.gained.sum())
        self.false_above += pixels

    def _find_recall(self, counts: Counts, ordinary_below: int) -> None:
        """Read FPR95 where the block holds its threshold; ``ordinary_below`` pixels of it are below all thresholds."""
        table = counts if self.last is None else self.last.followed_by(counts)
        step = metrics.first_step(table, 0.95, self.rule)
        is_corner_rule = self.rule == "at a corner above"
        may_go_on = is_corner_rule and not ordinary_below and step == table.thresholds.size - 1
        if step is not None and not may_go_on:
            self.false_at_recall = int(table.false_positives[step])
        elif is_corner_rule and table.thresholds.size:
            self.last = table.last()

    def measures(self) -> PooledMeasures:
        """The metrics, once all blocks are added."""
        false = self.false_at_recall
        if false is None:
            false = self.negatives if self.last is None else int(self.last.false_positives[0])
        return PooledMeasures(
            auroc=self.pairs / (2 * self.positives * self.negatives),
            aupr=self.precisions / self.positives,
            fpr95=false / self.negatives,
            positives=self.positives,
            negatives=self.negatives,
        )


@dataclass(frozen=True, eq=False)
class _QuestionSums:
    """The sums of one question: of all images, and without each group."""

    question: PooledQuestion
    total: _Sums
    without: list[_Sums]

    @staticmethod
    def of(question: PooledQuestion, pixels: GroupedPixels, groups: int) -> _QuestionSums:
        positives = sizes(pixels.anomalous)
        wanted = [sizes(own) for one, own in pixels.ordinary.items() if one[0] in question.ordinary]
        negatives = sum(wanted, np.zeros_like(positives))
        rule: RecallRule = "at least" if question.protocol.fpr95 == "nearest" else question.protocol.fpr95
        is_trapezoid = question.protocol.aupr == "trapezoid"

        def sums(group: int | None) -> _Sums:
            less = (0, 0) if group is None else (positives[group], negatives[group])
            left = (int(positives.sum() - less[0]), int(negatives.sum() - less[1]))
            return _Sums(*left, rule, is_trapezoid)

        return _QuestionSums(question, sums(None), [sums(group) for group in range(groups)])

    def check(self, where: str) -> None:
        positives, negatives = self.total.positives, self.total.negatives
        if not positives or not negatives:
            place = f" in {where}" if where else ""
            raise CaosError(f"AUROC is undefined: {positives} anomalous of {positives + negatives} valid pixels{place}")

    def add(self, block: Block) -> None:
        own = block.of(self.question.ordinary)
        total = own.total()
        self.total.add(block.thresholds, total)
        for group, sums in enumerate(self.without):
            if sums.positives and sums.negatives:
                sums.add(block.thresholds, total.less(own, group))

    def answer(self) -> PooledAnswer:
        found = [sums.measures() if sums.positives and sums.negatives else None for sums in self.without]
        without = {
            name: np.array([np.nan if one is None else getattr(one, name) for one in found], np.float64)
            for name in METRICS
        }
        return PooledAnswer(self.total.measures(), without)


@dataclass(eq=False)
class PooledCounts:
    """The pixels of any number of images by score, anomalous or ordinary; counts of several processes can be merged.

    >>> pool = PooledCounts()
    >>> pool.add([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    >>> from caos.ood_scores.measuring.protocols import PROTOCOLS
    >>> pool.measure(PROTOCOLS["smiyc"]).auroc
    0.75

    Attributes:
        grid: Not needed: scores are kept as they are.
        folder: Where scores go that are too many for the memory; None for a temporary folder.
        most: How many scores stay in memory.
    """

    grid: ScoreGrid | None = None
    folder: Path | None = None
    most: int = MOST_IN_MEMORY
    _store: ScoreStore = field(init=False)
    _images: int = 0

    def __post_init__(self) -> None:
        """Begin empty."""
        self._store = ScoreStore(2, self.folder, self.most)

    def add(
        self, scores: npt.ArrayLike, anomalous: npt.ArrayLike, ignore: npt.ArrayLike | None = None, where: str = ""
    ) -> None:
        """Count the pixels of one image; arguments are those of :func:`caos.ood_scores.measuring.metrics.measure`.

        Raises:
            CaosError: If shapes or types do not fit, or a score is NaN or infinite.
        """
        values, positive = valid_pixels(scores, anomalous, ignore, f" in {where}" if where else "")
        order = PixelOrder.of((~positive).view(np.uint8), 2)
        self._store.add(self._images, CategoryScores.of(values, order))
        self._images += 1

    def merge(self, other: PooledCounts) -> None:
        """Add the counts of another process."""
        self._store.merge(other._store)
        self._images += other._images

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, for saving; the scores are in files of ``folder``. :meth:`restore` reads it."""
        return self._store.arrays()

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Set the state to saved arrays, in an object of the same ``folder``.

        Raises:
            CaosError: If a file is missing.
        """
        self._store.restore(arrays)
        self._images = len(arrays["image"])

    def measure(self, protocol: Protocol, where: str = "") -> PooledMeasures:
        """The three numbers by a protocol's definitions (``nearest`` is measured as ``at least``).

        Raises:
            CaosError: If one kind of pixel is missing.
        """
        return measure_pooled(self._store, [PooledQuestion(protocol, (1,))], where=where)[0].measures

    def threshold_at_false_alarms(self, rate: float) -> float:
        """The lowest score that at most a share ``rate`` of the ordinary pixels reaches; the highest one if none is."""
        return threshold_at_most(self._store, 1, rate)


def threshold_at_recall(store: ScoreStore, recall: float = 0.95) -> Any:
    """The highest score that at least a share ``recall`` of the anomalous pixels reaches, in the scores' own type.

    Raises:
        CaosError: If there is no anomalous pixel.
    """
    arrays = [scores.sorted([ANOMALOUS]) for _, scores in store.images()]
    number, above = sum(array.size for array in arrays), 0
    for block in value_blocks(arrays, [1] * len(arrays)):
        values, counts = tally(block)
        reached = (above + np.cumsum(counts[::-1])) / max(number, 1) >= recall
        if reached.any():
            return values[::-1][int(np.argmax(reached))]
        above += int(counts.sum())
    raise CaosError("a threshold at a recall is undefined: there is no anomalous pixel")


def threshold_at_most(store: ScoreStore, category: int, rate: float) -> float:
    """The lowest score that at most a share ``rate`` of a category reaches; the highest one if none is that rare.

    Raises:
        CaosError: If the category has no pixel.
    """
    sorted_store = store.sorted_by([(category,)])
    arrays = [scores[0] for _, scores in sorted_store.images()]
    number, above, lowest = sum(array.size for array in arrays), 0, None
    for block in value_blocks(arrays, [1] * len(arrays)):
        values, counts = tally(block)
        few = np.flatnonzero((above + np.cumsum(counts[::-1])) / number <= rate)
        if values.size and (few.size or lowest is None):
            lowest = values[::-1][few[-1] if few.size else 0]
        if few.size < values.size:
            break
        above += int(counts.sum())
    if lowest is None:
        raise CaosError("a threshold at a rate of false alarms is undefined: there is no ordinary pixel")
    return float(lowest)
