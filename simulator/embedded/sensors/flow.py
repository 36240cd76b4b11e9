"""Optical flow: where each point of a picture was in the picture before, from first hits and the motion of actors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.sensors.job import SensorJob
from caos.simulator.embedded.world_state.shared_renderer import Moment

Floats = NDArray[np.float64]
FARTHEST = 2.0
"""CARLA's flow ends here: a whole picture."""
NEAR_M = 1e-3
STILL = 1e-9
"""Less is the noise of the numbers."""


def measure_flow(
    job: SensorJob, depth: NDArray[np.float32], instances: NDArray[np.uint32], moment: Moment
) -> NDArray[np.float32]:
    """``(h, w, 2)`` as CARLA's optical flow camera sends it: halves of the picture to the right and up.

    What is seen now is followed back to where the camera's picture before showed it, as part of its actor (rigidly, so
    the legs of a walker move with its body). In a camera's first picture nothing has moved.
    """
    now = job.pose.matrix, {shown.instance_id: shown.world_from_mesh for shown in moment.actors}
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
    """``(h, w, 2)``: the pixels' centres in -1..1, to the right and up."""
    out = np.empty((height, width, 2))
    out[..., 0] = (np.arange(width) + 0.5) * (2 / width) - 1
    out[..., 1] = (1 - (np.arange(height) + 0.5) * (2 / height))[:, None]
    return out


def _points(slopes: Floats, depth: NDArray[np.float32]) -> Floats:
    """``(h, w, 4)``: what is seen, in the camera's frame; the sky is a direction."""
    out = np.ones((*depth.shape, 4))
    out[..., 1:3] = slopes
    is_near = np.isfinite(depth)
    out[..., :3] *= np.where(is_near, depth, 1.0)[..., None]
    out[..., 3] = is_near
    return out


def _before_from_now(thing: Floats, thing_before: Floats, camera: Floats, camera_before: Floats) -> Floats:
    """The matrix from the camera's frame now to its frame before, for points that are fixed to a thing."""
    return np.asarray(np.linalg.inv(camera_before) @ thing_before @ np.linalg.inv(thing) @ camera)


def _moved(now: dict[int, Floats], before: dict[int, Floats]) -> list[int]:
    return [i for i, matrix in now.items() if i and i in before and not np.array_equal(matrix, before[i])]
