"""Exact answers about geometry: rays against the same triangles that are painted, with Embree.

The town and the things that move are two ray scenes, so that a frame never rebuilds the town.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Material, Part, vertex_normals
from simulator.embedded.render.description import SKY_TAG, Camera, Hits, Placed

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Surface:
    """First hits of rays, in detail; rows follow the rays.

    Attributes:
        distance: ``(n,)`` float32 in lengths of the direction vectors, infinite where nothing is met.
        tag: ``(n,)`` uint8.
        instance: ``(n,)`` uint32.
        material: ``(n,)`` int32 index into the caster's materials, -1 where nothing is met.
        uv: ``(n, 2)`` float32.
        normal: ``(n, 3)`` float32 unit shading normals, turned towards the ray's origin.
    """

    distance: Floats
    tag: NDArray[np.uint8]
    instance: NDArray[np.uint32]
    material: NDArray[np.int32]
    uv: Floats
    normal: Floats


class MaterialTable:
    """Numbers for materials, by identity."""

    def __init__(self) -> None:
        self.materials: list[Material] = []
        self._index: dict[int, int] = {}

    def index(self, material: Material) -> int:
        """The number of ``material``, given on first sight."""
        if id(material) not in self._index:
            self._index[id(material)] = len(self.materials)
            self.materials.append(material)
        return self._index[id(material)]


class RayScene:
    """Triangles in the world that rays can be cast against, with their labels."""

    def __init__(self, placed: Sequence[Placed], materials: MaterialTable) -> None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        pieces = [(p, part) for p in placed for part in p.mesh.parts if len(part.faces)]
        self._tags = np.array([p.tag if q.tag is None else q.tag for p, q in pieces] + [SKY_TAG], np.uint8)
        self._instances = np.array([p.instance_id for p, _ in pieces] + [0], np.uint32)
        self._materials = np.array([materials.index(q.material) for _, q in pieces] + [-1], np.int32)
        counts = [len(q.faces) for _, q in pieces]
        self._piece = np.append(np.repeat(np.arange(len(pieces), dtype=np.int32), counts), np.int32(len(pieces)))
        offsets = np.cumsum([0, *(len(q.vertices) for _, q in pieces)])
        self._faces = _stack([q.faces + o for (_, q), o in zip(pieces, offsets[:-1], strict=True)], 3, np.int32)
        self._uv = _stack([_uv(q) for _, q in pieces], 2, np.float32)
        self._normals = _stack([_world_normals(q, p.world_from_mesh) for p, q in pieces], 3, np.float32)
        vertices = _stack([_moved(q, p.world_from_mesh) for p, q in pieces], 3, np.float32)
        self._scene = EmbreeScene() if counts else None
        if self._scene is not None:
            self._mesh = TriangleMesh(self._scene, vertices, self._faces)
            self._scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))

    def hit(self, origins: Floats, directions: Floats) -> dict[str, NDArray[Any]] | None:
        """Embree's raw answer, or None for an empty scene."""
        return None if self._scene is None else self._scene.run(origins, directions, output=1)

    def labels(self, triangles: NDArray[np.int32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.int32]]:
        """Tag, instance and material of triangles ``(n,)``; -1 gives the sky's."""
        piece = self._piece[triangles]
        return self._tags[piece], self._instances[piece], self._materials[piece]

    def interpolate(self, triangles: NDArray[np.int32], u: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Texture coordinates and smooth normals (zero on flat parts) at points of triangles."""
        corners = self._faces[triangles]
        weights = np.stack([1 - u - v, u, v], 1)[..., None].astype(np.float32)
        return (self._uv[corners] * weights).sum(1), (self._normals[corners] * weights).sum(1)


def _stack(arrays: list[NDArray[Any]], columns: int, dtype: type) -> NDArray[Any]:
    if not arrays:
        return np.zeros((0, columns), dtype)
    return np.ascontiguousarray(np.concatenate(arrays), dtype=dtype)


def _uv(part: Part) -> Floats:
    return part.uv if part.uv is not None else np.zeros((len(part.vertices), 2), np.float32)


def _moved(part: Part, matrix: NDArray[np.float64]) -> Floats:
    moved: Floats = (part.vertices @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)
    return moved


def _world_normals(part: Part, matrix: NDArray[np.float64]) -> Floats:
    if not part.smooth:
        return np.zeros((len(part.vertices), 3), np.float32)
    turned = vertex_normals(part) @ np.linalg.inv(matrix[:3, :3])
    turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-12)
    out: Floats = turned.astype(np.float32)
    return out


class Caster:
    """Rays against the town and what moves in it."""

    def __init__(self) -> None:
        self.table = MaterialTable()
        self._static = RayScene((), self.table)
        self._moving = RayScene((), self.table)

    def load(self, statics: Sequence[Placed]) -> None:
        """Replace the town."""
        self._static = RayScene(statics, self.table)

    def set_moving(self, actors: Sequence[Placed]) -> None:
        """Replace what moves."""
        self._moving = RayScene(actors, self.table)

    def first(self, origins: Floats, directions: Floats, *, detail: bool = False) -> Surface:
        """First hits; ``uv`` and ``normal`` are filled only with ``detail``."""
        n = len(origins)
        out = Surface(
            np.full(n, np.inf, np.float32),
            np.full(n, SKY_TAG, np.uint8),
            np.zeros(n, np.uint32),
            np.full(n, -1, np.int32),
            np.zeros((n if detail else 0, 2), np.float32),
            np.zeros((n if detail else 0, 3), np.float32),
        )
        for scene in (self._static, self._moving):
            _nearer(scene, origins, directions, out, detail=detail)
        return out

    def static_occluded(self, origins: Floats, directions: Floats) -> NDArray[np.bool_]:
        """Whether the town alone blocks each ray."""
        raw = self._static.hit(origins, directions)
        return np.zeros(len(origins), bool) if raw is None else raw["primID"] >= 0

    def static_first(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats, NDArray[np.int32]]:
        """Distance, face normal (not unit) and material of first hits on the town alone."""
        raw = self._static.hit(origins, directions)
        if raw is None:
            n = len(origins)
            return np.full(n, np.inf, np.float32), np.zeros((n, 3), np.float32), np.full(n, -1, np.int32)
        distance = np.where(raw["primID"] >= 0, raw["tfar"], np.inf).astype(np.float32)
        return distance, raw["Ng"], self._static.labels(raw["primID"])[2]

    def cast(self, origins: NDArray[np.floating], directions: NDArray[np.floating]) -> Hits:
        """See :meth:`simulator.embedded.render.renderer.Renderer.cast`."""
        o, d = (np.ascontiguousarray(a, dtype=np.float32).reshape(-1, 3) for a in (origins, directions))
        n = len(o)
        distance, tag = np.full(n, np.inf, np.float32), np.full(n, SKY_TAG, np.uint8)
        instance, normal = np.zeros(n, np.uint32), np.zeros((n, 3), np.float32)
        for scene in (self._static, self._moving):
            raw = scene.hit(o, d) if n else None
            if raw is None:
                continue
            near = np.flatnonzero((raw["primID"] >= 0) & (raw["tfar"] < distance))
            distance[near] = raw["tfar"][near]
            tag[near], instance[near], _ = scene.labels(raw["primID"][near])
            normal[near] = _unit(raw["Ng"][near])
        return Hits(distance, tag, instance, normal)


def _unit(vectors: Floats) -> Floats:
    out: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12).astype(np.float32)
    return out


def _nearer(scene: RayScene, origins: Floats, directions: Floats, out: Surface, *, detail: bool) -> None:
    raw = scene.hit(origins, directions)
    if raw is None:
        return
    triangles = raw["primID"]
    near = np.flatnonzero((triangles >= 0) & (raw["tfar"] < out.distance))
    triangles = triangles[near]
    out.distance[near] = raw["tfar"][near]
    out.tag[near], out.instance[near], out.material[near] = scene.labels(triangles)
    if not detail:
        return
    uv, normal = scene.interpolate(triangles, raw["u"][near], raw["v"][near])
    flat = ~normal.any(axis=1)
    normal[flat] = raw["Ng"][near[flat]]
    normal = _unit(normal)
    away = np.einsum("ij,ij->i", normal, directions[near]) > 0
    normal[away] *= -1
    out.uv[near], out.normal[near] = uv, normal


def pixel_rays(camera: Camera, shift: tuple[float, float] = (0.5, 0.5)) -> tuple[Floats, Floats]:
    """Origins and directions ``(h * w, 3)`` through the pixels at ``shift`` of each pixel's square.

    Directions have length one along the viewing axis, so that distances along them are planar depth.
    """
    matrix = camera.pose.matrix
    forward, right, up = matrix[:3, 0], matrix[:3, 1], matrix[:3, 2]
    half = np.tan(np.radians(camera.fov_deg) / 2)
    x = ((np.arange(camera.width) + shift[0]) * 2 / camera.width - 1) * half
    y = (1 - (np.arange(camera.height) + shift[1]) * 2 / camera.height) * half * camera.height / camera.width
    directions = forward + x[None, :, None] * right + y[:, None, None] * up
    flat = np.ascontiguousarray(directions.reshape(-1, 3), dtype=np.float32)
    return np.ascontiguousarray(np.broadcast_to(matrix[:3, 3].astype(np.float32), flat.shape)), flat
