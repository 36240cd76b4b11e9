"""Reading a set for training: checked pairs, a fixed order, and pictures that are ready before they are needed.

Which picture comes when, and how it is changed, depends only on the seed, the epoch and the picture's number. So a
stream can start at any step, which is what makes resumed runs exact, and the number of workers changes nothing.

Workers are threads: decoding, resizing and colour changes leave Python's lock, nothing is copied between processes,
and nothing stays behind when the process is killed.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from foundation.errors import CaosError
from foundation.progress import SILENT, Progress
from scenes.labels import VOID, ClassIds, LabelTable
from scenes.layout import Sample, read_class_ids, read_image
from segmentation.augment import augment, resize, resize_labels
from segmentation.config import TrainConfig

T = TypeVar("T")
Task = TypeVar("Task")
_ORDER, _CHANGE = 1, 2


class Batch(NamedTuple):
    """Pictures ``(views * n, h, w, 3)`` and labels ``(n, h, w)``, both uint8; all first views come first."""

    pictures: Tensor
    labels: Tensor


def check_samples(samples: Sequence[Sample], table: LabelTable, workers: int = 2, progress: Progress = SILENT) -> None:
    """Refuse a split whose files are missing or broken, differ in size, or hold labels outside the table.

    Every header first, then every pair as a whole: a minute for thousands of them, but a bad file in the last batch
    of an epoch is found before anything is written.

    Raises:
        CaosError: For the first pair that is wrong.
    """
    for sample in samples:
        sizes = [_size_of(path) for path in (sample.image, sample.annotation)]
        if sizes[0] != sizes[1]:
            raise _sizes_differ(sample, sizes[0], sizes[1])
    with progress.task("checking the set", len(samples)) as task:
        for _ in prefetch(lambda sample: read_pair(sample, table, None), samples, workers, 2 * workers):
            task.advance()


def read_pair(sample: Sample, table: LabelTable, size: Sequence[int] | None) -> tuple[NDArray[np.uint8], ClassIds]:
    """Picture and training labels at ``size`` (width, height), or as they are.

    Raises:
        CaosError: If a file cannot be read, the sizes differ, or a label does not belong in a training set.
    """
    picture, labels = read_image(sample.image), read_training_labels(sample, table)
    if picture.shape[:2] != labels.shape:
        raise _sizes_differ(sample, picture.shape[1::-1], labels.shape[::-1])
    if size is None:
        return picture, labels
    return resize(picture, (size[0], size[1])), resize_labels(labels, (size[0], size[1]))


def read_training_labels(sample: Sample, table: LabelTable) -> ClassIds:
    """Class ids; anomalies are void, except in the training split, where they are refused.

    Raises:
        CaosError: If a value is outside the table, or a training picture shows an anomaly.
    """
    ids = read_class_ids(sample, table)
    anomalous = np.isin(ids, table.anomaly_ids)
    if not anomalous.any():
        return ids
    if sample.split == "train":
        raise CaosError(
            f"{sample.annotation}: {int(anomalous.sum())} anomalous pixels in a training picture; "
            "a set to train on must not show what is to be found"
        )
    return np.where(anomalous, np.uint8(VOID), ids)


def _sizes_differ(sample: Sample, picture: Sequence[int], labels: Sequence[int]) -> CaosError:
    return CaosError(
        f"{sample.image} is {picture[0]}x{picture[1]} but its labels {sample.annotation} are {labels[0]}x{labels[1]}; "
        "they must have the same size"
    )


def _size_of(path: object) -> tuple[int, int]:
    try:
        with Image.open(str(path)) as picture:
            return picture.size
    except FileNotFoundError as error:
        raise CaosError(f"{path} does not exist") from error
    except (OSError, SyntaxError, ValueError) as error:
        raise CaosError(f"{path} cannot be read as a picture: {error}") from error


@dataclass(frozen=True)
class Plan:
    """Which pictures each step takes, for one of ``world`` devices.

    Every epoch is a new order of all pictures; its last step is filled up from the beginning of that order, so that
    all steps have the same size.
    """

    count: int
    batch: int
    epochs: int
    seed: int
    rank: int = 0
    world: int = 1

    @property
    def steps_per_epoch(self) -> int:
        """Batches of one epoch on this device."""
        return -(-self.count // (self.batch * self.world))

    @property
    def steps(self) -> int:
        """Batches of the whole run on this device."""
        return self.steps_per_epoch * self.epochs

    def pictures(self, start: int = 0) -> Iterator[tuple[int, int]]:
        """``(epoch, index)`` of every picture from batch ``start`` on."""
        for step in range(start, self.steps):
            epoch, position = divmod(step, self.steps_per_epoch)
            order = self._order(epoch)
            first = (position * self.world + self.rank) * self.batch
            for place in range(first, first + self.batch):
                yield epoch, int(order[place % self.count])

    def _order(self, epoch: int) -> NDArray[np.int64]:
        return np.random.default_rng((self.seed, _ORDER, epoch)).permutation(self.count)


def prefetch(work: Callable[[Task], T], tasks: Iterable[Task], workers: int, ahead: int) -> Iterator[T]:
    """Results of ``work`` in the order of ``tasks``, up to ``ahead`` of them computed in advance by threads."""
    if workers == 0:
        yield from map(work, tasks)
        return
    cv2.setNumThreads(1)  # its own threads would fight with the workers
    pool = ThreadPoolExecutor(workers, thread_name_prefix="caos-loader")
    waiting: collections.deque[Future[T]] = collections.deque()
    try:
        for task in tasks:
            waiting.append(pool.submit(work, task))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def training_batches(
    samples: Sequence[Sample], table: LabelTable, config: TrainConfig, plan: Plan, start: int = 0
) -> Iterator[Batch]:
    """The batches of a run from batch ``start`` on, across all epochs without a pause between them."""

    def load(task: tuple[int, int]) -> tuple[list[NDArray[np.uint8]], ClassIds]:
        epoch, index = task
        picture, labels = read_pair(samples[index], table, config.size)
        return augment(picture, labels, config, np.random.default_rng((config.seed, _CHANGE, epoch, index)))

    pairs = prefetch(load, plan.pictures(start), config.workers, 3 * plan.batch)
    while group := [pair for _, pair in zip(range(plan.batch), pairs)]:  # noqa: B905 - a batch at a time
        yield _stack(group)


def _stack(group: list[tuple[list[NDArray[np.uint8]], ClassIds]]) -> Batch:
    shapes = {labels.shape for _, labels in group}
    if len(shapes) > 1:
        raise CaosError("training pictures have different sizes; add crop to --augment or give --size WIDTHxHEIGHT")
    views = [picture for view in zip(*(views for views, _ in group), strict=True) for picture in view]
    return Batch(torch.from_numpy(np.stack(views)), torch.from_numpy(np.stack([labels for _, labels in group])))
