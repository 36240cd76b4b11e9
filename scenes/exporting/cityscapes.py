"""Cityscapes export: ``leftImg8bit`` and ``gtFine`` with its label ids."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.foundation.storage.png import write_png
from caos.scenes.dataset.layout import read_class_ids, read_image, read_instance_ids
from caos.scenes.exporting.job import Exported, ExportJob, all_samples, flat_names
from caos.scenes.labels import VOID, LabelTable

CITYSCAPES_ID: Final[Mapping[str, int]] = {
    "road": 7,
    "road line": 7,
    "sidewalk": 8,
    "building": 11,
    "wall": 12,
    "fence": 13,
    "pole": 17,
    "traffic light": 19,
    "traffic sign": 20,
    "vegetation": 21,
    "terrain": 22,
    "sky": 23,
    "person": 24,
    "pedestrian": 24,
    "rider": 25,
    "car": 26,
    "truck": 27,
    "bus": 28,
    "train": 31,
    "motorcycle": 32,
    "bicycle": 33,
    "other": 5,
    "background": 0,
    "anomaly": 5,
}
"""Cityscapes label ids; anomalies and ``other`` are *dynamic* (5), background is *unlabeled* (0)."""


def write_cityscapes(job: ExportJob) -> Exported:
    """``leftImg8bit/<split>/<town>/..._leftImg8bit.png`` and ``gtFine`` with label ids, train ids and colours."""
    dataset, out = job.dataset, job.out
    lookup = _cityscapes_lookup(dataset.labels)
    samples = all_samples(dataset)
    towns = flat_names({sample.town for sample in samples})
    with job.progress.task("exporting", len(samples)) as task:
        for sample in samples:
            town = towns[sample.town]
            stem = f"{town}_{sample.annotation.stem.zfill(6)}_000019"
            ids = read_class_ids(sample, dataset.labels)
            truth = out / "gtFine" / sample.split / town / f"{stem}_gtFine"
            write_png(out / "leftImg8bit" / sample.split / town / f"{stem}_leftImg8bit.png", read_image(sample.image))
            write_png(Path(f"{truth}_labelIds.png"), lookup[ids])
            write_png(Path(f"{truth}_color.png"), dataset.labels.colorize(ids))
            instances = read_instance_ids(sample)
            if instances is not None:
                write_png(Path(f"{truth}_instanceIds.png"), _cityscapes_instances(lookup[ids], instances))
            task.advance()
    return Exported(len(samples), out)


def _cityscapes_lookup(table: LabelTable) -> NDArray[np.uint8]:
    lookup = np.zeros(256, np.uint8)
    for row in table.classes:
        if row.name not in CITYSCAPES_ID and row.role == "train":
            raise CaosError(f"class {row.name!r} of label table {table.name!r} has no Cityscapes id")
        lookup[row.class_id] = CITYSCAPES_ID.get(row.name, CITYSCAPES_ID["anomaly"])
    lookup[VOID] = CITYSCAPES_ID["background"]
    return lookup


def _cityscapes_instances(label_ids: NDArray[np.uint8], instances: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Cityscapes' rule: label id * 1000 + number for things, the bare label id elsewhere."""
    return np.where(instances > 0, label_ids.astype(np.uint16) * 1000 + instances % 1000, label_ids).astype(np.uint16)
