"""SegmentMeIfYouCan export: the test images with masks of anomaly, ordinary and ignore."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caos.foundation.storage.png import write_png
from caos.scenes.dataset.layout import read_class_ids, read_image
from caos.scenes.exporting.job import Exported, ExportJob, flat_names
from caos.scenes.labels import VOID


def write_smiyc(job: ExportJob) -> Exported:
    """``images/{id}.png`` and ``labels_masks/{id}_labels_semantic.png`` with 0, 1 (anomaly) and 255 (ignore)."""
    dataset, out = job.dataset, job.out
    samples = dataset.samples("test")
    names = flat_names(sample.key for sample in samples)
    with job.progress.task("exporting", len(samples)) as task:
        for sample in samples:
            name = names[sample.key]
            ids = read_class_ids(sample, dataset.labels)
            mask = np.isin(ids, dataset.labels.anomaly_ids).astype(np.uint8)
            mask[ids == VOID] = 255
            write_png(out / "images" / f"{name}.png", read_image(sample.image))
            write_png(out / "labels_masks" / f"{name}_labels_semantic.png", mask)
            write_png(out / "labels_masks" / f"{name}_labels_semantic_color.png", _smiyc_color(mask))
            task.advance()
    return Exported(len(samples), out)


def _smiyc_color(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    colors = np.zeros((256, 3), np.uint8)
    colors[0], colors[1], colors[255] = (255, 255, 255), (255, 102, 0), (0, 0, 0)
    return colors[mask]
