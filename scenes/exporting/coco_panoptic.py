"""COCO panoptic export: every pixel belongs to one segment, whose number is in the colours of a PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.foundation.storage.files import write_json
from caos.foundation.storage.png import write_png
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample, read_class_ids, read_image, read_instance_ids
from caos.scenes.exporting.coco_instances import box_of
from caos.scenes.exporting.job import Exported, ExportJob, all_samples, flat_names, is_thing
from caos.scenes.labels import VOID, LabelTable


def write_coco_panoptic(job: ExportJob) -> Exported:
    """``<split>/*.png`` with segment ids in RGB and ``panoptic_<split>.json``."""
    dataset, out = job.dataset, job.out
    names = flat_names(sample.key for sample in all_samples(dataset))
    with job.progress.task("exporting", len(names)) as task:
        for split in SPLITS:
            samples = dataset.splits.get(split, ())
            images, annotations = [], []
            for number, sample in enumerate(samples, 1):
                image, annotation = _panoptic_entry(
                    dataset.labels, sample, number, out / f"panoptic_{split}" / f"{names[sample.key]}.png"
                )
                write_png(out / split / f"{names[sample.key]}.png", read_image(sample.image))
                images.append(image)
                annotations.append(annotation)
                task.advance()
            if samples:
                write_json(out / f"panoptic_{split}.json", _panoptic_file(dataset, images, annotations))
    return Exported(len(names), out)


def _panoptic_entry(
    table: LabelTable, sample: Sample, number: int, file: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    ids, things = read_class_ids(sample, table), is_thing(table)
    told = read_instance_ids(sample)
    instances = np.zeros(ids.shape, np.uint16) if told is None else told
    segment = np.where(ids == VOID, 0, (ids.astype(np.uint32) + 1) * 65536 + np.where(things[ids], instances, 0))
    values, inverse = np.unique(segment, return_inverse=True)
    numbered = np.where(values == 0, 0, np.arange(len(values)) + (0 if values[0] == 0 else 1)).astype(np.uint32)
    picture = numbered[inverse].reshape(ids.shape)
    segments = [
        _segment(picture == k, int(k), int(value), things) for k, value in zip(numbered, values, strict=True) if k
    ]
    write_png(
        file,
        np.stack([picture & 255, (picture >> 8) & 255, picture >> 16], -1).astype(np.uint8),
    )
    image = {"id": number, "file_name": file.name, "width": ids.shape[1], "height": ids.shape[0]}
    return image, {"image_id": number, "file_name": file.name, "segments_info": segments}


def _segment(mask: NDArray[np.bool_], number: int, value: int, things: NDArray[np.bool_]) -> dict[str, Any]:
    category, instance = divmod(value, 65536)
    crowd = int(things[category - 1] and not instance)
    area = int(mask.sum())
    return {"id": number, "category_id": category, "area": area, "bbox": box_of(mask), "iscrowd": crowd}


def _panoptic_file(dataset: Dataset, images: Sequence[Any], annotations: Sequence[Any]) -> dict[str, Any]:
    things = is_thing(dataset.labels)
    categories = [
        {"id": r.class_id + 1, "name": r.name, "color": list(r.color), "isthing": int(things[r.class_id])}
        for r in dataset.labels.classes
        if r.class_id != VOID
    ]
    info = {"description": dataset.name, "version": "1"}
    return {"info": info, "images": images, "annotations": annotations, "categories": categories}
