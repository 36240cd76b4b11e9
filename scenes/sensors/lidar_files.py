"""Lidar files of a set, in SemanticKITTI's layout: points and labels of each scan, and each sequence's index.

A folder ``lidar/<name>/<split>/<sequence>`` has ``velodyne``, ``labels``, ``calib.txt``, ``poses.txt`` and
``times.txt``, all in
KITTI's axes: of a lidar x forward, y left, z up; of a camera x right, y down, z forward.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_bytes
from caos.foundation.storage.files import write_bytes, write_text
from caos.scenes.dataset.writer import file_of
from caos.scenes.recipes.recipe import Slot
from caos.scenes.scene import Scene
from caos.scenes.sensors.lidar_labels import HAZARD_CLASS, LabelledScan
from caos.simulator.transform import Transform

Matrix = NDArray[np.float64]
FOLDER: Final = "lidar"
LIDAR_AXES: Final = np.diag([1.0, -1.0, 1.0, 1.0])
"""From CARLA's axes to those of KITTI's lidars; the way back is the same."""
CAMERA_AXES: Final = np.array([[0.0, 1, 0, 0], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]])
"""From CARLA's axes to those of KITTI's cameras."""
KITTI_CAMERAS: Final = 4


def write_scans(root: Path, slot: Slot, scene: Scene, scans: Mapping[str, LabelledScan]) -> list[dict[str, Any]]:
    """Write the scans of a frame; what its row of the manifest says of them."""
    assert scene.ego is not None
    rows = []
    for lidar in scene.lidars:
        scan = scans[lidar.name]
        paths = {"points": slot.scan_path(lidar.name, "velodyne"), "labels": slot.scan_path(lidar.name, "labels")}
        write_bytes(root / paths["points"], points_bytes(scan))
        write_bytes(root / paths["labels"], label_bytes(scan))
        beams = lidar.beams
        rows.append(
            {
                "name": lidar.name,
                "channels": beams.channels,
                "columns": beams.columns,
                "range_m": beams.range_m,
                "upper_deg": beams.upper_deg,
                "lower_deg": beams.lower_deg,
                "extrinsics": mounted(scene.ego, lidar.pose).tolist(),
                "points": len(scan.xyz),
                "hazard_points": int((scan.classes == HAZARD_CLASS).sum()),
                "files": {kind: asdict(file_of(root, path)) for kind, path in paths.items()},
            }
        )
    return rows


def points_bytes(scan: LabelledScan) -> bytes:
    """``velodyne/*.bin``: x, y (left), z and the cosine of the angle of incidence, as float32."""
    out = np.empty((len(scan.xyz), 4), "<f4")
    out[:, :3], out[:, 3] = scan.xyz * np.diag(LIDAR_AXES)[:3].astype(np.float32), scan.cosine
    return out.tobytes()


def label_bytes(scan: LabelledScan) -> bytes:
    """``labels/*.label``: the class in the lower 16 bits, the instance in the upper ones."""
    labels: NDArray[np.uint32] = scan.classes.astype("<u4") | (scan.instances.astype("<u4") << np.uint32(16))
    return labels.astype("<u4").tobytes()


def mounted(ego: Transform, pose: Transform) -> Matrix:
    """The matrix from a sensor's axes to those of the car, to a tenth of a micrometre."""
    return np.round(np.linalg.inv(ego.matrix) @ pose.matrix, 7)


def write_indices(root: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write calibration, poses and times of every folder of scans that rows of a manifest name."""
    folders: dict[PurePosixPath, list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]] = {}
    for row in rows:
        for lidar in row.get("lidar", ()):
            path = PurePosixPath(lidar["files"]["points"]["path"])
            folders.setdefault(path.parent.parent, []).append((path.name, lidar, row))
    for folder, frames in folders.items():
        frames.sort(key=lambda frame: frame[0])
        _write_index(root / folder, [(lidar, row) for _, lidar, row in frames])


def _write_index(folder: Path, frames: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> None:
    """Poses are those of the first camera in its place in the first frame, as KITTI has them."""
    lidar, first = frames[0]
    camera = first["cameras"][0]
    ego_from_camera, ego_from_lidar = np.array(camera["extrinsics"]), np.array(lidar["extrinsics"])
    camera_from_lidar = CAMERA_AXES @ np.linalg.inv(ego_from_camera) @ ego_from_lidar @ LIDAR_AXES
    lines = [f"P{k}: {_numbers(_projection(first, k))}" for k in range(KITTI_CAMERAS)]
    write_text(folder / "calib.txt", "\n".join([*lines, f"Tr: {_numbers(camera_from_lidar)}"]) + "\n")
    cameras = [Transform(**row["ego_pose"]).matrix @ ego_from_camera @ np.linalg.inv(CAMERA_AXES) for _, row in frames]
    start = np.linalg.inv(cameras[0])
    write_text(folder / "poses.txt", "".join(f"{_numbers(start @ camera)}\n" for camera in cameras))
    times = [row["sequence"]["time_s"] if "sequence" in row else float(k) for k, (_, row) in enumerate(frames)]
    write_text(folder / "times.txt", "".join(f"{time:.6e}\n" for time in times))


def _projection(row: Mapping[str, Any], number: int) -> Matrix:
    """KITTI's ``P`` of a camera: from the first camera's axes to the pixels; the first one's where there is none."""
    first = row["cameras"][0]
    camera = row["cameras"][number] if number < len(row["cameras"]) else first
    turned = CAMERA_AXES @ np.linalg.inv(np.array(camera["extrinsics"])) @ np.array(first["extrinsics"])
    out: Matrix = np.array(camera["intrinsics"]) @ (turned @ np.linalg.inv(CAMERA_AXES))[:3]
    return out


def _numbers(matrix: Matrix) -> str:
    return " ".join(f"{value:.9e}" for value in matrix[:3].ravel())


def read_scan(root: Path, row: Mapping[str, Any]) -> LabelledScan:
    """The scan that an entry of a manifest's ``lidar`` names, in CARLA's axes again.

    Raises:
        CaosError: If a file is missing, cut off, or has not one label for each point.
    """
    return read_scan_files(*(root / row["files"][kind]["path"] for kind in ("points", "labels")))


def read_scan_files(points_file: Path, labels_file: Path) -> LabelledScan:
    """The scan in two files, in CARLA's axes again.

    Raises:
        CaosError: If a file is missing, cut off, has a point that is nowhere, or not one label for each point.
    """
    points, labels = _read(points_file, np.dtype("<f4"), 4), _read(labels_file, np.dtype("<u4"), 1).ravel()
    if len(points) != len(labels):
        raise CaosError(f"{labels_file}: {len(labels)} labels for {len(points)} points of {points_file}")
    if not np.isfinite(points).all():
        raise CaosError(f"{points_file}: point {int(np.flatnonzero(~np.isfinite(points).all(1))[0])} is not finite")
    xyz = points[:, :3] * np.diag(LIDAR_AXES)[:3].astype(np.float32)
    return LabelledScan(xyz, points[:, 3].copy(), (labels & 0xFFFF).astype(np.uint16), (labels >> 16).astype(np.uint16))


def _read(path: Path, dtype: np.dtype[Any], columns: int) -> NDArray[Any]:
    data = read_bytes(path)
    if len(data) % (dtype.itemsize * columns):
        raise CaosError(
            f"{path}: {len(data)} bytes are not a whole number of points of {dtype.itemsize * columns} bytes"
        )
    return np.frombuffer(data, dtype).reshape(-1, columns)
