"""Export of a set in the formats of other tools: SegmentMeIfYouCan, Cityscapes, COCO panoptic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.claims import claimed
from caos.foundation.errors import CaosError, unknown
from caos.foundation.files import write_json
from caos.foundation.identity import digest_of
from caos.foundation.png import write_png
from caos.foundation.progress import SILENT, Progress
from caos.scenes.labels import VOID, LabelTable
from caos.scenes.layout import SPLITS, Dataset, Sample, read_class_ids, read_image, read_instances

MARKER: Final = ".export.json"
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
THINGS: Final = frozenset({"pedestrian", "person", "car", "anomaly"})


@dataclass(frozen=True)
class Exported:
    """How many images were written, and where."""

    images: int
    out: Path


def export(dataset: Dataset, form: str, out: Path, progress: Progress = SILENT) -> Exported:
    """Write the set in another tool's format to a new folder, or to that of the same export, stopped or not.

    Raises:
        CaosError: If the format is unknown, the folder holds anything else, or the set lacks what the format needs.
    """
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    keys = [[sample.key, str(sample.annotation)] for sample in _all_samples(dataset)]
    made_from = {"format": form, "set": str(dataset.root.resolve()), "labels": dataset.labels.digest}
    with claimed(out, MARKER, made_from | {"images": digest_of(keys)}, "export"):
        return FORMATS[form](dataset, out, progress)


def _smiyc(dataset: Dataset, out: Path, progress: Progress) -> Exported:
    """``images/{id}.png`` and ``labels_masks/{id}_labels_semantic.png`` with 0, 1 (anomaly) and 255 (ignore)."""
    samples = dataset.samples("test")
    names = flat_names(sample.key for sample in samples)
    with progress.task("exporting", len(samples)) as task:
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


def _cityscapes(dataset: Dataset, out: Path, progress: Progress) -> Exported:
    """``leftImg8bit/<split>/<town>/..._leftImg8bit.png`` and ``gtFine`` with label ids, train ids and colours."""
    lookup = _cityscapes_lookup(dataset.labels)
    samples = _all_samples(dataset)
    towns = flat_names({sample.town for sample in samples})
    with progress.task("exporting", len(samples)) as task:
        for sample in samples:
            town = towns[sample.town]
            stem = f"{town}_{_number(sample)}_000019"
            ids = read_class_ids(sample, dataset.labels)
            truth = out / "gtFine" / sample.split / town / f"{stem}_gtFine"
            write_png(out / "leftImg8bit" / sample.split / town / f"{stem}_leftImg8bit.png", read_image(sample.image))
            write_png(Path(f"{truth}_labelIds.png"), lookup[ids])
            write_png(Path(f"{truth}_color.png"), dataset.labels.colorize(ids))
            if sample.instances is not None:
                write_png(
                    Path(f"{truth}_instanceIds.png"),
                    _cityscapes_instances(lookup[ids], read_instances(sample.instances)),
                )
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


def _coco_panoptic(dataset: Dataset, out: Path, progress: Progress) -> Exported:
    """``<split>/*.png`` with segment ids in RGB and ``panoptic_<split>.json``."""
    names = flat_names(sample.key for sample in _all_samples(dataset))
    with progress.task("exporting", len(names)) as task:
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
    ids = read_class_ids(sample, table)
    instances = np.zeros(ids.shape, np.uint16) if sample.instances is None else read_instances(sample.instances)
    segment = np.where(
        ids == VOID, 0, (ids.astype(np.uint32) + 1) * 65536 + np.where(_is_thing(table)[ids], instances, 0)
    )
    values, inverse = np.unique(segment, return_inverse=True)
    numbered = np.where(values == 0, 0, np.arange(len(values)) + (0 if values[0] == 0 else 1)).astype(np.uint32)
    picture = numbered[inverse].reshape(ids.shape)
    segments = [
        _segment(picture == k, int(k), int(value // 65536)) for k, value in zip(numbered, values, strict=True) if k
    ]
    write_png(
        file,
        np.stack([picture & 255, (picture >> 8) & 255, picture >> 16], -1).astype(np.uint8),
    )
    image = {"id": number, "file_name": file.name, "width": ids.shape[1], "height": ids.shape[0]}
    return image, {"image_id": number, "file_name": file.name, "segments_info": segments}


def _is_thing(table: LabelTable) -> NDArray[np.bool_]:
    things = np.zeros(256, bool)
    for row in table.classes:
        things[row.class_id] = row.name in THINGS
    return things


def _segment(mask: NDArray[np.bool_], number: int, category: int) -> dict[str, Any]:
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    box = [columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1]
    area = int(mask.sum())
    return {"id": number, "category_id": category, "area": area, "bbox": [int(v) for v in box], "iscrowd": 0}


def _panoptic_file(dataset: Dataset, images: Sequence[Any], annotations: Sequence[Any]) -> dict[str, Any]:
    things = _is_thing(dataset.labels)
    categories = [
        {"id": r.class_id + 1, "name": r.name, "color": list(r.color), "isthing": int(things[r.class_id])}
        for r in dataset.labels.classes
        if r.class_id != VOID
    ]
    info = {"description": dataset.name, "version": "1"}
    return {"info": info, "images": images, "annotations": annotations, "categories": categories}


def flat_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each of the names, which have folders in them: no two get the same one.

    >>> flat_names(["a/b", "a_b", "c/d"])["c/d"]
    'c_d'
    """
    flat = {name: name.replace("/", "_") for name in names}
    counts = Counter(flat.values())
    return {name: f"{short}_{digest_of(name)}" if counts[short] > 1 else short for name, short in flat.items()}


def _all_samples(dataset: Dataset) -> list[Sample]:
    return [sample for split in SPLITS for sample in dataset.splits.get(split, ())]


def _number(sample: Sample) -> str:
    return sample.annotation.stem.zfill(6)


FORMATS: Final[Mapping[str, Callable[[Dataset, Path, Progress], Exported]]] = {
    "smiyc": _smiyc,
    "cityscapes": _cityscapes,
    "coco-panoptic": _coco_panoptic,
}
