"""COCO instances export: a run-length mask and a box for each object that can be counted.

The masks are COCO's uncompressed run lengths, which pycocotools and what builds on it read.
Where a set does not tell the objects of a class apart, their pixels are one *crowd*, which COCO's evaluation ignores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.storage.files import write_json
from caos.foundation.storage.png import write_png
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample, read_class_ids, read_image, read_instance_ids
from caos.scenes.exporting.job import Exported, ExportJob, all_samples, flat_names, is_thing
from caos.scenes.labels import VOID, ClassIds, LabelTable

HAZARD_FACTS: Final = (
    "object",
    "kind",
    "category",
    "placement",
    "motion",
    "distance_m",
    "size_m",
    "occluded_share",
    "contrast",
)
"""What an anomaly's annotation says besides, from the manifest."""


def write_coco_instances(job: ExportJob) -> Exported:
    """``<split>/*.png`` and ``annotations/instances_<split>.json``."""
    dataset, rows = job.dataset, job.dataset.manifest()
    names = flat_names(sample.key for sample in all_samples(dataset))
    with job.progress.task("exporting", len(names)) as task:
        for split in SPLITS:
            images: list[dict[str, Any]] = []
            annotations: list[dict[str, Any]] = []
            for sample in dataset.splits.get(split, ()):
                file = f"{names[sample.key]}.png"
                picture = read_image(sample.image)
                write_png(job.out / split / file, picture)
                height, width = picture.shape[:2]
                images.append({"id": len(images) + 1, "file_name": file, "width": width, "height": height})
                for found in _annotations(sample, dataset.labels, rows.get(sample.key, {})):
                    annotations.append({"id": len(annotations) + 1, "image_id": len(images), **found})
                task.advance()
            if images:
                write_json(job.out / "annotations" / f"instances_{split}.json", _file(dataset, images, annotations))
    return Exported(len(names), job.out)


def _annotations(sample: Sample, table: LabelTable, row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    hazards = {hazard.get("instance_id"): hazard for hazard in row.get("hazards", ())}
    ids = read_class_ids(sample, table)
    numbered = read_instance_ids(sample)
    instances = np.zeros(ids.shape, np.uint16) if numbered is None else numbered
    for class_id, instance, mask in objects_in(ids, instances, is_thing(table)):
        facts = {
            "category_id": class_id + 1,
            "segmentation": {"size": list(mask.shape), "counts": run_lengths(mask)},
            "area": int(mask.sum()),
            "bbox": box_of(mask),
            "iscrowd": int(instance == 0),
        }
        if instance in hazards:
            told = hazards[instance]
            facts["hazard"] = {key: told[key] for key in HAZARD_FACTS if key in told}
        yield facts


def objects_in(
    ids: ClassIds, instances: NDArray[np.uint16], things: NDArray[np.bool_]
) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Class id, instance id (0: not told apart) and mask of each object in an image."""
    both = np.where(things[ids] & (ids != VOID), ids.astype(np.int64) * 65536 + instances, -1)
    for value in np.unique(both[both >= 0]):
        yield int(value // 65536), int(value % 65536), both == value


def run_lengths(mask: NDArray[np.bool_]) -> list[int]:
    """Lengths of the runs of 0 and 1 in turn, column by column, beginning with zeros.

    >>> run_lengths(np.array([[True, False], [True, True]]))
    [0, 2, 1, 1]
    """
    flat = mask.ravel(order="F")
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    counts = np.diff(np.concatenate([[0], edges, [flat.size]])).tolist()
    return [0, *counts] if flat[0] else list(counts)


def box_of(mask: NDArray[np.bool_]) -> list[int]:
    """Left, top, width and height of a mask that is not empty."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    box = (columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1)
    return [int(value) for value in box]


def _file(dataset: Dataset, images: Sequence[Any], annotations: Sequence[Any]) -> dict[str, Any]:
    things = is_thing(dataset.labels)
    categories = [
        {"id": row.class_id + 1, "name": row.name, "supercategory": row.role}
        for row in dataset.labels.classes
        if row.class_id != VOID and things[row.class_id]
    ]
    info = {"description": dataset.name, "version": "1"}
    return {"info": info, "licenses": [], "images": images, "annotations": annotations, "categories": categories}
