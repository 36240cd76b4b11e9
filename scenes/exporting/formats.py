"""Formats that a set can be exported in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import real_path
from caos.foundation.storage.identity import digest_of
from caos.scenes.dataset.layout import Dataset
from caos.scenes.exporting.cityscapes import write_cityscapes
from caos.scenes.exporting.coco_instances import write_coco_instances
from caos.scenes.exporting.coco_panoptic import write_coco_panoptic
from caos.scenes.exporting.hugging_face import write_hugging_face
from caos.scenes.exporting.job import Exported, ExportJob, all_samples
from caos.scenes.exporting.kitti_object import write_kitti_object
from caos.scenes.exporting.kitti_odometry import write_kitti_odometry
from caos.scenes.exporting.nuscenes import write_nuscenes
from caos.scenes.exporting.shards import write_shards
from caos.scenes.exporting.smiyc import write_smiyc

MARKER: Final = ".export.json"


@dataclass(frozen=True)
class ExportFormat:
    """A format: who reads it, and what writes it."""

    title: str
    write: Callable[[ExportJob], Exported]


FORMATS: Final[Mapping[str, ExportFormat]] = {
    "smiyc": ExportFormat("SegmentMeIfYouCan, the test images only", write_smiyc),
    "cityscapes": ExportFormat("Cityscapes' folders and label ids", write_cityscapes),
    "coco-panoptic": ExportFormat("COCO, every pixel in one segment", write_coco_panoptic),
    "coco-instances": ExportFormat("COCO, one mask for each object", write_coco_instances),
    "webdataset": ExportFormat("WebDataset's tar files", write_shards),
    "kitti-object": ExportFormat("KITTI's objects: 3D boxes, calibration, lidar", write_kitti_object),
    "kitti-odometry": ExportFormat("KITTI's sequences: poses, lidar with SemanticKITTI's labels", write_kitti_odometry),
    "nuscenes": ExportFormat("nuScenes' tables", write_nuscenes),
    "hugging-face": ExportFormat("a folder for Hugging Face datasets, with its card", write_hugging_face),
}


def export_set(
    dataset: Dataset, form: str, out: Path, *, shard_images: int = 500, progress: Progress = SILENT
) -> Exported:
    """Write the set in another tool's format to a new folder, or to that of the same export, stopped or not.

    Args:
        dataset: The set.
        form: ``smiyc``, ``cityscapes``, ``coco-panoptic``, ``coco-instances``, ``webdataset``, ``kitti-object``,
            ``kitti-odometry``, ``nuscenes`` or ``hugging-face``.
        out: Folder for the export.
        shard_images: Images in one tar file (``webdataset``).
        progress: Told how far it is.

    Raises:
        CaosError: If the format is unknown, the folder holds anything else, or the set lacks what the format needs.
    """
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    if shard_images < 1:
        raise CaosError(f"{shard_images} images in a shard; give 1 or more")
    keys = [[sample.key, str(sample.annotation)] for sample in all_samples(dataset)]
    made_from = {"format": form, "set": str(real_path(dataset.root)), "labels": dataset.labels.digest}
    if form == "webdataset":
        made_from["shard_images"] = str(shard_images)
    with claimed(out, MARKER, made_from | {"images": digest_of(keys)}, "export"):
        return FORMATS[form].write(ExportJob(dataset, out, shard_images, progress))
