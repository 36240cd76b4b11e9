"""KITTI object export: pictures, labels with 3D boxes, calibration and lidar points, a number for each frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from caos.foundation.storage.files import write_text
from caos.foundation.storage.png import write_png
from caos.scenes.converting.linking import copy_picture, place_image
from caos.scenes.dataset.layout import SPLITS, read_image
from caos.scenes.exporting.frame_facts import FrameFacts, LidarFacts, frames_with_geometry
from caos.scenes.exporting.job import Exported, ExportJob
from caos.scenes.exporting.kitti import (
    camera_from_lidar,
    front_camera,
    label_lines,
    lidar_from_ego,
    numbers,
    projections,
    stereo_partner,
)
from caos.scenes.sensors.lidar_files import read_scan_files


def write_kitti_object(job: ExportJob) -> Exported:
    """``training/{image_2,image_3,label_2,calib,velodyne}/000000.*``, and ``ImageSets/<split>.txt``."""
    frames, base = frames_with_geometry(job.dataset), job.out / "training"
    with job.progress.task("exporting", len(frames)) as task:
        for number, frame in enumerate(frames):
            write_frame(frame, base, f"{number:06d}")
            task.advance()
    _write_lists(frames, job.out / "ImageSets")
    return Exported(len(frames), job.out)


def write_frame(frame: FrameFacts, base: Path, name: str) -> None:
    """The files of one frame."""
    place_picture(front_camera(frame).image, base / "image_2" / f"{name}.png")
    partner = stereo_partner(frame)
    if partner is not None:
        place_picture(partner[0].image, base / "image_3" / f"{name}.png")
    write_text(base / "label_2" / f"{name}.txt", "".join(f"{line}\n" for line in label_lines(frame)))
    write_text(base / "calib" / f"{name}.txt", calibration(frame))
    if frame.lidars:
        place_points(frame.lidars[0], base / "velodyne" / f"{name}.bin")


def calibration(frame: FrameFacts) -> str:
    """A frame's ``calib`` file."""
    lidar = frame.lidars[0] if frame.lidars else None
    lines = [f"P{number}: {numbers(matrix)}" for number, matrix in enumerate(projections(frame))]
    lines += [
        "R0_rect: 1 0 0 0 1 0 0 0 1",
        f"Tr_velo_to_cam: {numbers(camera_from_lidar(frame))}",
        f"Tr_imu_to_velo: {numbers(lidar_from_ego(lidar))}",
    ]
    return "\n".join(lines) + "\n"


def place_picture(source: Path, target: Path) -> None:
    """A picture as PNG: as it is, if it is one.

    Raises:
        CaosError: If it cannot be read or placed.
    """
    if source.suffix.lower() == ".png":
        copy_picture(source, target)
    else:
        write_png(target, read_image(source))


def place_points(lidar: LidarFacts, target: Path) -> None:
    """The points of a lidar, as they are.

    Raises:
        CaosError: If they or their labels cannot be read, or they cannot be placed.
    """
    read_scan_files(lidar.points, lidar.labels)
    place_image(lidar.points, target, "copy")


def _write_lists(frames: Sequence[FrameFacts], folder: Path) -> None:
    numbered = [(f"{number:06d}", frame.sample) for number, frame in enumerate(frames)]
    for split in SPLITS:
        write_text(folder / f"{split}.txt", "".join(f"{name}\n" for name, sample in numbered if sample.split == split))
    write_text(folder / "keys.txt", "".join(f"{name} {sample.key}\n" for name, sample in numbered))
