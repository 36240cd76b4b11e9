"""Reading a set for training: checked pairs, a fixed order, and pictures that are ready before they are needed.

Which picture comes when, and how it is changed, depends only on the seed, the epoch and the picture's number. So a
stream can start at any step, which is what makes resumed runs exact, and the number of workers changes nothing.

Workers are threads: decoding, resizing and colour changes leave Python's lock, nothing is copied between processes,
and nothing stays behind when the process is killed.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.scenes.dataset.layout import Dataset, Sample, check_heads, read_class_ids, read_image
from caos.scenes.labels import VOID, ClassIds, LabelTable, table_by_name
from caos.segmentation.augmentation.geometry import FILL, Paste, Window, augment, resize, resize_labels, size_with_side
from caos.segmentation.data.pasting import Perspective, make_paster
from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.negatives import NEGATIVE

T = TypeVar("T")
Item = TypeVar("Item")
_ORDER, _CHANGE, _SIDE, _PASTE = 1, 2, 3, 4


class Batch(NamedTuple):
    """Pictures ``(views * n, h, w, 3)`` and labels ``(n, h, w)``, both uint8; all first views come first."""

    pictures: Tensor
    labels: Tensor


def check_samples(samples: Sequence[Sample], table: LabelTable, workers: int = 2, progress: Progress = SILENT) -> int:
    """Refuse a split whose files are missing or broken, differ in size, or hold labels outside the table.

    Every header first, then every pair as a whole: a minute for thousands of them, but a bad file in the last batch
    of an epoch is found before anything is written.

    Returns:
        How many training pictures show an anomaly.

    Raises:
        CaosError: For the first pair that is wrong.
    """
    for sample in samples:
        check_heads(sample)
    shown = 0
    with progress.task("checking the set", len(samples)) as task:
        pairs = prefetch(lambda sample: read_pair(sample, table, None, NEGATIVE), samples, workers, 2 * workers)
        for sample, (_, labels) in zip(samples, pairs, strict=True):
            shown += sample.split == "train" and bool((labels == NEGATIVE).any())
            task.advance()
    return shown


def check_table(dataset: Dataset) -> None:
    """Refuse to read a set with a label table whose file values mean other classes than the set's own.

    Raises:
        CaosError: Naming both tables. A set that does not say how it is labelled is taken at the user's word.
    """
    recorded = dataset.info.get("labels", {}).get("name")
    if recorded is None:
        return
    own, chosen = (
        {row.png_value: row.name for row in table.classes} for table in (table_by_name(str(recorded)), dataset.labels)
    )
    if own != chosen:
        raise CaosError(
            f"{dataset.root} is labelled with table {recorded!r}; its values mean other classes in "
            f"{dataset.labels.name!r}: choose a table of the same family with --labels, or leave it out"
        )


def read_pair(
    sample: Sample, table: LabelTable, size: tuple[int, int] | None, anomalies: int = VOID
) -> tuple[NDArray[np.uint8], ClassIds]:
    """Picture and labels at ``size`` (width, height), or as they are; anomalous pixels get the label ``anomalies``.

    Raises:
        CaosError: If a file cannot be read, the sizes differ, or a label is outside the table.
    """
    picture, labels = read_image(sample.image), read_class_ids(sample, table)
    labels = np.where(np.isin(labels, table.anomaly_ids), np.uint8(anomalies), labels)
    if size is None:
        return picture, labels
    return resize(picture, size), resize_labels(labels, size)


@dataclass(frozen=True)
class BatchPlan:
    """Which pictures each step takes, for one of ``world`` devices.

    A pass is a new order of all pictures. An epoch is a pass, its last step filled up from the beginning of that order,
    so that all steps have the same size; or it is ``epoch_steps`` steps, and one pass follows the other through them.
    """

    count: int
    batch: int
    epochs: int
    seed: int
    rank: int = 0
    world: int = 1
    epoch_steps: int = 0

    @property
    def steps_per_epoch(self) -> int:
        """Batches of one epoch on this device."""
        return self.epoch_steps or -(-self.count // (self.batch * self.world))

    @property
    def steps(self) -> int:
        """Batches of the whole run on this device."""
        return self.steps_per_epoch * self.epochs

    def pictures(self, start: int = 0) -> Iterator[tuple[int, int]]:
        """``(pass, index)`` of every picture from batch ``start`` on."""
        for step in range(start, self.steps):
            if self.epoch_steps:
                number, first = 0, (step * self.world + self.rank) * self.batch
            else:
                number, position = divmod(step, self.steps_per_epoch)
                first = (position * self.world + self.rank) * self.batch
            for place in range(first, first + self.batch):
                turn = place // self.count if self.epoch_steps else number
                yield turn, int(self._order(turn)[place % self.count])

    def _order(self, turn: int) -> NDArray[np.int64]:
        return _order(self.seed, turn, self.count)


@functools.lru_cache(maxsize=4)
def _order(seed: int, turn: int, count: int) -> NDArray[np.int64]:
    return np.random.default_rng((seed, _ORDER, turn)).permutation(count)


def prefetch(work: Callable[[Item], T], items: Iterable[Item], workers: int, ahead: int) -> Iterator[T]:
    """Results of ``work`` in the order of ``items``, up to ``ahead`` of them computed in advance by threads."""
    if workers == 0:
        yield from map(work, items)
        return
    cv2.setNumThreads(1)  # its own threads would fight with the workers
    pool = ThreadPoolExecutor(workers, thread_name_prefix="caos-loader")
    waiting: collections.deque[Future[T]] = collections.deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def training_batches(
    samples: Sequence[Sample],
    table: LabelTable,
    config: TrainConfig,
    plan: BatchPlan,
    start: int = 0,
    answers: Mapping[str, int] | None = None,
) -> Iterator[Batch]:
    """The batches of a run from batch ``start`` on, across all epochs without a pause between them.

    With ``answers``, numbers by the keys of the samples, every pixel is labelled with that of its picture.
    """
    anomalies = _label_of_anomalies(table, config)
    paster = make_paster(config)

    def paste_into(rows: int, turn: int, index: int) -> Paste | None:
        if paster is None:
            return None

        def paste(picture: NDArray[np.uint8], labels: ClassIds, window: Window) -> tuple[NDArray[np.uint8], ClassIds]:
            seen = Perspective(window.row(config.paste_horizon * rows), rows * window.size[1] / window.height)
            return paster.paste(picture, labels, seen, np.random.default_rng((config.seed, _PASTE, turn, index)))

        return paste

    def load(item: tuple[int, tuple[int, int]]) -> tuple[list[NDArray[np.uint8]], ClassIds]:
        number, (turn, index) = item
        picture, labels = read_pair(samples[index], table, config.size, anomalies)
        if answers:
            labels = np.full(labels.shape, answers[samples[index].key], np.uint8)
        if config.sides:
            side = np.random.default_rng((config.seed, _SIDE, number // plan.batch)).choice(config.sides)
            picture, labels = shrink_to(picture, labels, int(side), config.longest_side)
        rng = np.random.default_rng((config.seed, _CHANGE, turn, index))
        return augment(picture, labels, config, rng, paste_into(labels.shape[0], turn, index))

    items = enumerate(plan.pictures(start), start * plan.batch)
    pairs = prefetch(load, items, config.workers, 3 * plan.batch)
    while group := [pair for _, pair in zip(range(plan.batch), pairs)]:  # noqa: B905 - a batch at a time
        yield _stack(group, pads=bool(config.sides))


def _label_of_anomalies(table: LabelTable, config: TrainConfig) -> int:
    if config.known_as is not None:
        return table.trained_id(config.known_as)
    return VOID if config.negatives is None else NEGATIVE


def shrink_to(
    picture: NDArray[np.uint8], labels: ClassIds, side: int, longest: int
) -> tuple[NDArray[np.uint8], ClassIds]:
    """Picture and labels with a shorter side of ``side`` pixels, or less if the longer one were above ``longest``."""
    size = size_with_side((labels.shape[1], labels.shape[0]), side, longest)
    return resize(picture, size), resize_labels(labels, size)


def _stack(group: list[tuple[list[NDArray[np.uint8]], ClassIds]], *, pads: bool) -> Batch:
    shapes = {labels.shape for _, labels in group}
    if len(shapes) > 1 and not pads:
        raise CaosError("training pictures have different sizes; add crop to --augment or give --size WIDTHxHEIGHT")
    height, width = (max(shape[axis] for shape in shapes) for axis in (0, 1))
    views = [picture for view in zip(*(views for views, _ in group), strict=True) for picture in view]
    pictures = np.empty((len(views), height, width, 3), np.uint8)
    pictures[:] = FILL
    labels = np.full((len(group), height, width), VOID, np.uint8)
    for canvas, inner in [*zip(pictures, views, strict=True), *zip(labels, (ids for _, ids in group), strict=True)]:
        canvas[: inner.shape[0], : inner.shape[1]] = inner
    return Batch(torch.from_numpy(pictures), torch.from_numpy(labels))
