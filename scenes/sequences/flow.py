"""Optical flow between two frames of a sequence: where what a pixel shows was in the frame before.

Worked out from depth and instances of a frame and the poses of both, so it is as exact as those, for any lens, on any
server, and a frame that is made again has the same. Actors move as rigid bodies: legs and wheels go with them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.scenes.dataset.layout import ACTOR_IDS_FROM
from caos.scenes.scene import CameraSpec, Scene
from caos.simulator.lens import pixel_directions
from caos.simulator.transform import Matrix

Floats = NDArray[np.float64]
STEPS_A_PIXEL: Final = 64
MIDDLE: Final = 2**15
"""Of KITTI's flow PNGs."""
LARGEST_PX: Final = 511.0


def flow_before(
    before: Scene,
    scene: Scene,
    cameras: tuple[CameraSpec, CameraSpec],
    depth: NDArray[np.float32],
    instances: NDArray[np.uint16],
) -> tuple[Floats, NDArray[np.bool_]]:
    """``(h, w, 2)`` pixels to the right and down from each pixel to where its point was, and where that is known.

    Args:
        before: The frame before.
        scene: The frame.
        cameras: The camera in the frame before, and in the frame.
        depth: ``(h, w)`` of the frame.
        instances: ``(h, w)`` of the frame.
    """
    then, now = cameras
    rays = pixel_directions(now.optics).astype(np.float64).reshape(*depth.shape, 3)
    far = ~np.isfinite(depth)
    local = rays * np.where(far, 1.0, depth)[..., None].astype(np.float64)
    # The sky is a direction: it only turns.
    world = local @ now.pose.matrix[:3, :3].T + np.where(far[..., None], 0.0, now.pose.matrix[:3, 3])
    for number, matrix in _moves(before, scene).items():
        own = instances == number
        world[own] = world[own] @ matrix[:3, :3].T + matrix[:3, 3]
    was = (world - np.where(far[..., None], 0.0, then.pose.matrix[:3, 3])) @ then.pose.matrix[:3, :3]
    x, y, seen = then.optics.project(was)
    rows, columns = np.mgrid[0 : depth.shape[0], 0 : depth.shape[1]] + 0.5
    way = np.stack([x - columns, y - rows], -1)
    known: NDArray[np.bool_] = seen & (np.abs(way) <= LARGEST_PX).all(-1)
    return np.where(known[..., None], way, 0.0), known


def flow_png(way: Floats, known: NDArray[np.bool_]) -> NDArray[np.uint16]:
    """KITTI's picture ``(h, w, 3)`` of 16 bits: right and down in 64ths of a pixel about 32768, and whether known."""
    out = np.zeros((*known.shape, 3), np.uint16)
    out[..., :2] = np.rint(way * STEPS_A_PIXEL + MIDDLE)
    out[~known] = 0
    out[..., 2] = known
    return out


def _moves(before: Scene, scene: Scene) -> dict[int, Matrix]:
    """By instance id: the matrix from where a point of an actor is to where it was in the world; only of who moved."""
    pairs = list(zip(before.hazards, scene.hazards, strict=True))
    moved = {k: (a.pose, b.pose) for k, (a, b) in enumerate(pairs, 1)}
    ordinary = [(a.pose, b.pose) for a, b in zip(before.vehicles, scene.vehicles, strict=True)]
    ordinary += [(a.pose, b.pose) for a, b in zip(before.walkers, scene.walkers, strict=True)]
    moved |= dict(enumerate(ordinary, ACTOR_IDS_FROM))
    return {k: a.matrix @ np.linalg.inv(b.matrix) for k, (a, b) in moved.items() if a != b}
