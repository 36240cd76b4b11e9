"""KITTI odometry export: sequences with poses, times, calibration, lidar points and SemanticKITTI's labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import write_text
from caos.scenes.converting.linking import place_image
from caos.scenes.exporting.frame_facts import FrameFacts, frames_with_geometry
from caos.scenes.exporting.job import Exported, ExportJob
from caos.scenes.exporting.kitti import (
    camera_axes,
    camera_from_lidar,
    front_camera,
    numbers,
    projections,
    stereo_partner,
)
from caos.scenes.exporting.kitti_object import place_picture, place_points


def write_kitti_odometry(job: ExportJob) -> Exported:
    """``sequences/NN/{image_2,image_3,velodyne,labels,calib.txt,times.txt}`` and ``poses/NN.txt``.

    Raises:
        CaosError: If the set has no sequences.
    """
    found = sequences_in(frames_with_geometry(job.dataset))
    if not found:
        raise CaosError(f"{job.dataset.root} has no sequences; make some with: caos scenes generate approach --out DIR")
    images = sum(len(frames) for frames in found.values())
    with job.progress.task("exporting", images) as task:
        for number, frames in enumerate(found.values()):
            for at, frame in enumerate(frames):
                _write_frame(frame, job.out / "sequences" / f"{number:02d}", f"{at:06d}")
                task.advance()
            _write_sequence(frames, job.out, f"{number:02d}")
    told = "".join(f"{number:02d} {key}\n" for number, key in enumerate(found))
    write_text(job.out / "sequences" / "keys.txt", told)
    return Exported(images, job.out)


def sequences_in(frames: Sequence[FrameFacts]) -> dict[str, list[FrameFacts]]:
    """Frames of sequences by key, in order; single images are left out."""
    found: dict[str, list[FrameFacts]] = {}
    for frame in frames:
        if frame.sequence is not None:
            found.setdefault(str(frame.sequence["key"]), []).append(frame)
    return {key: sorted(own, key=lambda f: int((f.sequence or {})["frame"])) for key, own in sorted(found.items())}


def _write_frame(frame: FrameFacts, base: Path, name: str) -> None:
    place_picture(front_camera(frame).image, base / "image_2" / f"{name}.png")
    partner = stereo_partner(frame)
    if partner is not None:
        place_picture(partner[0].image, base / "image_3" / f"{name}.png")
    if frame.lidars:
        place_points(frame.lidars[0], base / "velodyne" / f"{name}.bin")
        place_image(frame.lidars[0].labels, base / "labels" / f"{name}.label", "copy")


def _write_sequence(frames: Sequence[FrameFacts], out: Path, name: str) -> None:
    """Calibration and times, and the poses of the camera in its axes in the first frame."""
    base = out / "sequences" / name
    lines = [f"P{number}: {numbers(matrix)}" for number, matrix in enumerate(projections(frames[0]))]
    write_text(base / "calib.txt", "\n".join([*lines, f"Tr: {numbers(camera_from_lidar(frames[0]))}"]) + "\n")
    write_text(base / "times.txt", "".join(f"{(f.sequence or {})['time_s']:.6e}\n" for f in frames))
    first = camera_axes(front_camera(frames[0]))
    poses = [first @ np.linalg.inv(camera_axes(front_camera(frame))) for frame in frames]
    write_text(out / "poses" / f"{name}.txt", "".join(f"{numbers(pose)}\n" for pose in poses))
