"""Optical flow: displacement of each pixel since the previous image, from first hits and the motion of actors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.sensors.job import SensorJob
from caos.simulator.embedded.world_state.shared_renderer import Snapshot

Floats = NDArray[np.float64]
FARTHEST = 2.0
"""CARLA clips flow at this value: a whole image."""
NEAR_M = 1e-3
STILL = 1e-9
"""Flow below this is rounding noise and set to zero."""


def measure_flow(
    job: SensorJob, depth: NDArray[np.float32], instances: NDArray[np.uint32], snapshot: Snapshot
) -> NDArray[np.float32]:
    """Return flow ``(h, w, 2)`` as CARLA's optical flow camera sends it, in half images to the right and up.

    Each hit point is moved back to its position at the camera's previous image, rigidly with its actor (so the legs of
    a walker move with its body). The flow of a camera's first image is zero.
    """
    now = job.pose.matrix, {shown.instance_id: shown.world_from_mesh for shown in snapshot.actors}
    before = job.sensor.memory.get("flow", now)
    job.sensor.memory["flow"] = now
    height, width = depth.shape
    half = np.tan(np.radians(job.number("fov")) / 2)
    scale = np.array([half, half * height / width])
    here = _screen(width, height)
    points = _points(here * scale, depth)
    was = points @ _before_from_now(np.eye(4), np.eye(4), now[0], before[0]).T
    for instance in _moved(now[1], before[1]):
        seen = instances == instance
        if seen.any():
            moved = _before_from_now(now[1][instance], before[1][instance], now[0], before[0])
            was[seen] = points[seen] @ moved.T
    there = was[..., 1:3] / np.maximum(was[..., :1], NEAR_M) / scale
    way = np.clip(here - there, -FARTHEST, FARTHEST)
    way[np.abs(way) < STILL] = 0.0
    return np.asarray(way, "<f4")


def _screen(width: int, height: int) -> Floats:
    """Pixel centres ``(h, w, 2)`` in -1..1, to the right and up."""
    out = np.empty((height, width, 2))
    out[..., 0] = (np.arange(width) + 0.5) * (2 / width) - 1
    out[..., 1] = (1 - (np.arange(height) + 0.5) * (2 / height))[:, None]
    return out


def _points(slopes: Floats, depth: NDArray[np.float32]) -> Floats:
    """Homogeneous hit points ``(h, w, 4)`` in the camera's frame; the sky is a direction."""
    out = np.ones((*depth.shape, 4))
    out[..., 1:3] = slopes
    is_near = np.isfinite(depth)
    out[..., :3] *= np.where(is_near, depth, 1.0)[..., None]
    out[..., 3] = is_near
    return out


def _before_from_now(thing: Floats, thing_before: Floats, camera: Floats, camera_before: Floats) -> Floats:
    """Matrix from the camera's current frame to its previous one, for points fixed to an object."""
    return np.asarray(np.linalg.inv(camera_before) @ thing_before @ np.linalg.inv(thing) @ camera)


def _moved(now: dict[int, Floats], before: dict[int, Floats]) -> list[int]:
    return [i for i, matrix in now.items() if i and i in before and not np.array_equal(matrix, before[i])]
