"""What an object looks like when nothing stands in front of it: its pixels and their depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.scenes.scene import CameraSpec
from caos.simulator.lens import pixel_directions
from caos.simulator.transform import Transform

NEAREST_M: Final = 0.05
FARTHEST_M: Final = 1e6
DEPTH_SLACK_M: Final = 0.01


@dataclass(frozen=True, eq=False)
class Silhouette:
    """An object alone in the world, as a camera sees it.

    Attributes:
        window: First and past-the-last column, then row, of the part of the image that may show it.
        depth: Metres along the viewing axis in that window; infinite beside the object.
    """

    window: tuple[int, int, int, int]
    depth: NDArray[np.float32]

    @property
    def pixels(self) -> int:
        """Pixels of the image that show the object."""
        return int(np.isfinite(self.depth).sum())

    def before(self, depth: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Which pixels of the window show the object in a scene of that ``depth`` ``(h, w)``."""
        left, right, top, bottom = self.window
        seen: NDArray[np.bool_] = np.isfinite(self.depth) & (self.depth < depth[top:bottom, left:right] + DEPTH_SLACK_M)
        return seen

    def onto(self, depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """The depth ``(h, w)`` of a scene with the object in it."""
        left, right, top, bottom = self.window
        out = depth.copy()
        out[top:bottom, left:right] = np.minimum(out[top:bottom, left:right], self.depth)
        return out


def silhouette(mesh: Mesh, pose: Transform, camera: CameraSpec) -> Silhouette:
    """How the mesh at ``pose`` appears through the centres of a camera's pixels."""
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    parts = [part.transformed(pose.matrix) for part in mesh.parts if len(part.faces)]
    vertices = np.concatenate([part.vertices for part in parts])
    offsets = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    faces = np.concatenate([part.faces + o for part, o in zip(parts, offsets, strict=True)]).astype(np.int32)
    window = _window(vertices.astype(float), camera)
    shape = (max(window[3] - window[2], 0), max(window[1] - window[0], 0))
    if not shape[0] * shape[1]:
        return Silhouette(window, np.full(shape, np.inf, np.float32))
    rays = _rays(camera, window)
    scene = EmbreeScene()
    held = TriangleMesh(scene, vertices - np.array(camera.pose.location, np.float32), faces)
    # Rays are as long as one step of the camera's depth, so distances along them are depths.
    depth = np.asarray(scene.run(np.zeros_like(rays), rays, query="DISTANCE"), np.float32).reshape(shape)
    del held
    return Silhouette(window, np.where(depth < FARTHEST_M, depth, np.inf).astype(np.float32))


def silhouette_pixels(mesh: Mesh, pose: Transform, camera: CameraSpec) -> int:
    """Pixels of the image whose centre ray meets the mesh at ``pose``, the mesh being alone in the world."""
    return silhouette(mesh, pose, camera).pixels


def _window(vertices: NDArray[np.float64], camera: CameraSpec) -> tuple[int, int, int, int]:
    """Columns and rows (first, past the last) of the image that may show the vertices."""
    local = (vertices - camera.pose.location) @ camera.pose.matrix[:3, :3]
    # Through a lens that bends lines, the corners do not tell where the whole is.
    if not camera.lens.is_pinhole or (local[:, 0] < NEAREST_M).any():
        return 0, camera.width, 0, camera.height
    half = np.tan(np.radians(camera.fov_deg / 2))
    u = (local[:, 1] / local[:, 0] / half + 1) * camera.width / 2
    v = camera.height / 2 - local[:, 2] / local[:, 0] / half * camera.width / 2
    columns = np.clip([np.floor(u.min()), np.ceil(u.max()) + 1], 0, camera.width).astype(int)
    rows = np.clip([np.floor(v.min()), np.ceil(v.max()) + 1], 0, camera.height).astype(int)
    return int(columns[0]), int(columns[1]), int(rows[0]), int(rows[1])


def _rays(camera: CameraSpec, window: tuple[int, int, int, int]) -> NDArray[np.float32]:
    if not camera.lens.is_pinhole:
        turned = pixel_directions(camera.optics) @ camera.pose.matrix[:3, :3].T.astype(np.float32)
        return np.ascontiguousarray(turned, np.float32)
    half = np.tan(np.radians(camera.fov_deg / 2))
    right = ((np.arange(window[0], window[1]) + 0.5) * 2 / camera.width - 1) * half
    up = (camera.height / 2 - np.arange(window[2], window[3]) - 0.5) * 2 / camera.width * half
    axes = camera.pose.matrix[:3, :3]
    rays = axes[:, 0] + right[None, :, None] * axes[:, 1] + up[:, None, None] * axes[:, 2]
    return np.ascontiguousarray(rays.reshape(-1, 3), np.float32)
