"""Export job, what every writer of a format is given; names and samples that the writers share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.identity import digest_of
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample
from caos.scenes.labels import LabelTable

THINGS: Final = frozenset(
    {"pedestrian", "person", "rider", "car", "truck", "bus", "train", "motorcycle", "bicycle", "anomaly"}
)
"""Classes that can be counted, by name; a class with the role ``anomaly`` is one too."""


@dataclass(frozen=True)
class ExportJob:
    """A set on its way to another format.

    Attributes:
        dataset: The set.
        out: Folder of the export.
        shard_images: Images in one file, where a format packs them.
        progress: Told how far it is.
    """

    dataset: Dataset
    out: Path
    shard_images: int = 500
    progress: Progress = SILENT


@dataclass(frozen=True)
class Exported:
    """How many images were written, and where."""

    images: int
    out: Path


def all_samples(dataset: Dataset) -> list[Sample]:
    """The samples of every split."""
    return [sample for split in SPLITS for sample in dataset.splits.get(split, ())]


def flat_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each of the names, which have folders in them: no two get the same one.

    >>> flat_names(["a/b", "a_b", "c/d"])["c/d"]
    'c_d'
    """
    flat = {name: name.replace("/", "_") for name in names}
    counts = Counter(flat.values())
    return {name: f"{short}_{digest_of(name)}" if counts[short] > 1 else short for name, short in flat.items()}


def is_thing(table: LabelTable) -> NDArray[np.bool_]:
    """For each class id, whether its objects can be counted."""
    things = np.zeros(256, bool)
    for row in table.classes:
        things[row.class_id] = row.name in THINGS or row.role == "anomaly"
    return things
