"""How many pixels an object would cover if nothing stood in front of it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Mesh
from scenes.scene import CameraSpec
from simulator.transform import Transform

NEAREST_M: Final = 0.05


def silhouette_pixels(mesh: Mesh, pose: Transform, camera: CameraSpec) -> int:
    """Pixels of the image whose centre ray meets the mesh at ``pose``, the mesh being alone in the world."""
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    parts = [part.transformed(pose.matrix) for part in mesh.parts if len(part.faces)]
    vertices = np.concatenate([part.vertices for part in parts])
    offsets = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    faces = np.concatenate([part.faces + o for part, o in zip(parts, offsets, strict=True)]).astype(np.int32)
    rays = _rays(camera, _window(vertices.astype(float), camera))
    if not len(rays):
        return 0
    scene = EmbreeScene()
    held = TriangleMesh(scene, vertices - np.array(camera.pose.location, np.float32), faces)
    hits = scene.run(np.zeros_like(rays), rays, query="OCCLUDED")
    del held
    return int((hits != -1).sum())


def _window(vertices: NDArray[np.float64], camera: CameraSpec) -> tuple[int, int, int, int]:
    """Columns and rows (first, past the last) of the image that may show the vertices."""
    local = (vertices - camera.pose.location) @ camera.pose.matrix[:3, :3]
    if (local[:, 0] < NEAREST_M).any():
        return 0, camera.width, 0, camera.height
    half = np.tan(np.radians(camera.fov_deg / 2))
    u = (local[:, 1] / local[:, 0] / half + 1) * camera.width / 2
    v = camera.height / 2 - local[:, 2] / local[:, 0] / half * camera.width / 2
    columns = np.clip([np.floor(u.min()), np.ceil(u.max()) + 1], 0, camera.width).astype(int)
    rows = np.clip([np.floor(v.min()), np.ceil(v.max()) + 1], 0, camera.height).astype(int)
    return int(columns[0]), int(columns[1]), int(rows[0]), int(rows[1])


def _rays(camera: CameraSpec, window: tuple[int, int, int, int]) -> NDArray[np.float32]:
    half = np.tan(np.radians(camera.fov_deg / 2))
    right = ((np.arange(window[0], window[1]) + 0.5) * 2 / camera.width - 1) * half
    up = (camera.height / 2 - np.arange(window[2], window[3]) - 0.5) * 2 / camera.width * half
    axes = camera.pose.matrix[:3, :3]
    rays = axes[:, 0] + right[None, :, None] * axes[:, 1] + up[:, None, None] * axes[:, 2]
    return np.ascontiguousarray(rays.reshape(-1, 3), np.float32)
