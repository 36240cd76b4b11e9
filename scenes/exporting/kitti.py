"""KITTI's numbers: projections, calibration and labels of a frame, in the axes of its first camera.

Geiger and others, "Are we ready for autonomous driving? The KITTI vision benchmark suite", CVPR 2012. A label has a box
that stands upright in the camera's axes: what is tilted gets the upright box around it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.scenes.exporting.frame_facts import (
    BoxFacts,
    CameraFacts,
    FrameFacts,
    LidarFacts,
    Matrix,
)
from caos.scenes.sensors.lidar_files import CAMERA_AXES, LIDAR_AXES

TYPES: Final[Mapping[str, str]] = {
    "car": "Car",
    "van": "Van",
    "truck": "Truck",
    "bus": "Truck",
    "motorcycle": "Cyclist",
    "bicycle": "Cyclist",
    "train": "Tram",
}
"""KITTI's type of a vehicle, by CARLA's; people are Pedestrian, hazards Hazard, which KITTI's own types do not have."""
SAME: Final = 1e-3
"""Metres and pixels within which two cameras are a stereo pair."""


def front_camera(frame: FrameFacts) -> CameraFacts:
    """The camera whose pictures KITTI calls ``image_2``: the first one.

    Raises:
        CaosError: If its lens is no pinhole.
    """
    camera = frame.cameras[0]
    if camera.lens != "pinhole":
        raise CaosError(
            f"{frame.sample.key}: camera {camera.name!r} has a lens of model {camera.lens!r}; KITTI needs a pinhole"
        )
    return camera


def stereo_partner(frame: FrameFacts) -> tuple[CameraFacts, float] | None:
    """The camera of ``image_3``, and the metres between both: equal to the first, beside it on the right."""
    first = front_camera(frame)
    for other in frame.pinholes[1:]:
        apart = camera_axes(first) @ np.linalg.inv(camera_axes(other))
        alike = np.allclose(other.intrinsics, first.intrinsics, atol=SAME)
        beside = np.eye(4)
        beside[0, 3] = apart[0, 3]
        if alike and apart[0, 3] > SAME and np.allclose(apart, beside, atol=SAME):
            return other, float(apart[0, 3])
    return None


def camera_axes(camera: CameraFacts) -> Matrix:
    """From the world to a camera's axes: x right, y down, z forward."""
    out: Matrix = CAMERA_AXES @ np.linalg.inv(camera.world_from_camera)
    return out


def projections(frame: FrameFacts) -> list[Matrix]:
    """``P0`` to ``P3``, 3x4: the first camera's, and where there is one its stereo partner's for 1 and 3."""
    camera, partner = front_camera(frame), stereo_partner(frame)
    left = camera.intrinsics @ np.eye(3, 4)
    right = left.copy()
    if partner is not None:
        right[:, 3] = -partner[1] * camera.intrinsics[:, 0]
    return [left, right, left, right]


def camera_from_lidar(frame: FrameFacts) -> Matrix:
    """``Tr_velo_to_cam``; without a lidar, one in the place of the camera."""
    if not frame.lidars:
        out: Matrix = CAMERA_AXES @ LIDAR_AXES
        return out
    there = np.linalg.inv(front_camera(frame).ego_from_camera) @ frame.lidars[0].ego_from_lidar
    out = CAMERA_AXES @ there @ LIDAR_AXES
    return out


def lidar_from_ego(lidar: LidarFacts | None) -> Matrix:
    """``Tr_imu_to_velo``: the car's own place stands for the inertial unit."""
    if lidar is None:
        return np.eye(4)
    out: Matrix = LIDAR_AXES @ np.linalg.inv(lidar.ego_from_lidar) @ LIDAR_AXES
    return out


def numbers(matrix: Matrix) -> str:
    """The first three rows of a matrix, as KITTI writes them."""
    return " ".join(f"{value:.12e}" for value in matrix[:3].ravel())


def label_lines(frame: FrameFacts) -> list[str]:
    """``label_2``: a line for everything that the first camera shows a pixel of."""
    camera = front_camera(frame)
    shown = [(box, box.seen.get(camera.name, {})) for box in frame.boxes]
    return [_line(camera, box, seen["box"], seen.get("outline")) for box, seen in shown if seen.get("box")]


def _line(camera: CameraFacts, box: BoxFacts, pixels: Sequence[float], outline: Sequence[float] | None) -> str:
    (length, width, height), bottom, turn = upright(camera, box)
    angle = _within(turn - math.atan2(bottom[0], bottom[2]))
    left, top, right, low = pixels
    parts = [f"{truncation(camera, outline):.2f}", str(_occlusion(box.occluded_share)), f"{angle:.2f}"]
    parts += [f"{value:.2f}" for value in (left, top, right - 1, low - 1, height, width, length, *bottom, turn)]
    return " ".join([kitti_type(box), *parts])


def kitti_type(box: BoxFacts) -> str:
    """The type of a label."""
    if box.what == "vehicle":
        return TYPES.get(box.kind, "Car")
    return "Pedestrian" if box.what == "person" else "Hazard"


def upright(camera: CameraFacts, box: BoxFacts) -> tuple[tuple[float, float, float], Matrix, float]:
    """Length, width and height, middle of the bottom and turn about y of the upright box around a box, to a camera."""
    axes = camera_axes(camera)
    ahead = axes[:3, :3] @ box.world_from_box[:3, 0]
    if math.hypot(ahead[0], ahead[2]) < SAME:
        ahead = axes[:3, :3] @ box.world_from_box[:3, 2]
    turn = math.atan2(-ahead[2], ahead[0])
    forward, side = np.array([math.cos(turn), 0, -math.sin(turn)]), np.array([math.sin(turn), 0, math.cos(turn)])
    basis = np.array([forward, [0.0, 1.0, 0.0], side])
    corners = (box.corners @ axes[:3, :3].T + axes[:3, 3]) @ basis.T
    low, high = corners.min(0), corners.max(0)
    middle = (low + high) / 2
    bottom: Matrix = np.array([middle[0], high[1], middle[2]]) @ basis
    length, height, width = (float(side) for side in high - low)
    return (length, width, height), bottom, turn


def truncation(camera: CameraFacts, outline: Sequence[float] | None) -> float:
    """The share of a box's outline outside the picture; 0 where the outline is not known.

    >>> camera = CameraFacts("front", 100, 50, "pinhole", np.eye(3), np.eye(4), np.eye(4), None)
    >>> truncation(camera, [-50, 0, 50, 50])
    0.5
    """
    if outline is None:
        return 0.0
    left, top, right, bottom = outline
    inside = max(0.0, min(right, camera.width) - max(left, 0)) * max(0.0, min(bottom, camera.height) - max(top, 0))
    whole = (right - left) * (bottom - top)
    return 1 - inside / whole if whole > 0 else 0.0


def _occlusion(share: float | None) -> int:
    """KITTI's levels: 0 fully visible, 1 partly, 2 largely occluded, 3 unknown."""
    if share is None:
        return 3
    return 0 if share < 0.1 else 1 if share < 0.5 else 2


def _within(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi
