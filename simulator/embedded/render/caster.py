"""Exact answers about geometry: rays against the same triangles that are painted, with Embree.

The town is one ray scene. Each mesh that moves is another, in its own frame: rays are turned into that frame, so that
moving costs nothing, and only rays that pass near it are cast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Material, Mesh, Part, vertex_normals
from simulator.embedded.render.description import Hits, Placed
from simulator.embedded.render.rays import Floats, Indices, Rays, Surface, image_box, unit

Raw = dict[str, NDArray[Any]]
NO_TAG = -1


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


@dataclass(frozen=True)
class _Piece:
    part: Part
    matrix: NDArray[np.float64]
    tag: int
    instance: int


class RayScene:
    """Triangles that rays can be cast against, with their labels."""

    def __init__(self, pieces: Sequence[_Piece], materials: MaterialTable) -> None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        parts = [piece.part for piece in pieces]
        self._tags = np.array([p.tag if p.part.tag is None else p.part.tag for p in pieces], np.int16)
        self._instances = np.array([p.instance for p in pieces], np.uint32)
        self._materials = np.array([materials.index(p.material) for p in parts], np.int32)
        self._smooth = np.array([p.smooth for p in parts], bool)
        self._textured = np.array([p.uv is not None and p.material.texture is not None for p in parts], bool)
        self._piece = np.repeat(np.arange(len(parts), dtype=np.int32), [len(p.faces) for p in parts])
        offsets = np.cumsum([0, *(len(p.vertices) for p in parts)])
        self._faces = _stack([p.faces + o for p, o in zip(parts, offsets[:-1], strict=True)], 3, np.int32)
        self._uv = _stack([_uv(p) for p in parts], 2, np.float32)
        self._normals = _stack([_normals(p.part, p.matrix) for p in pieces], 3, np.float32)
        vertices = _stack([_moved(p.part, p.matrix) for p in pieces], 3, np.float32)
        self._scene = EmbreeScene() if parts else None
        if self._scene is not None:
            self._mesh = TriangleMesh(self._scene, vertices, self._faces)
            self._scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))

    def hit(self, origins: Floats, directions: Floats) -> Raw | None:
        """Embree's raw answer, or None if there is nothing to hit or to cast."""
        if self._scene is None or not len(origins):
            return None
        raw: Raw = self._scene.run(origins, directions, output=1)
        return raw

    def labels(self, triangles: NDArray[np.int32]) -> tuple[NDArray[np.int16], NDArray[np.uint32], NDArray[np.int32]]:
        """Tag, instance and material of triangles ``(n,)``."""
        piece = self._piece[triangles]
        return self._tags[piece], self._instances[piece], self._materials[piece]

    def interpolate(self, raw: Raw, rows: Indices) -> tuple[Floats, Floats]:
        """Texture coordinates (zero where there is no texture) and normals (of any length) at some of the hits."""
        triangles, normal = raw["primID"][rows], raw["Ng"][rows]
        uv, piece = np.zeros((len(rows), 2), np.float32), self._piece[triangles]
        textured, smooth = np.flatnonzero(self._textured[piece]), np.flatnonzero(self._smooth[piece])
        uv[textured] = _blend(self._uv, self._faces[triangles[textured]], raw, rows[textured])
        normal[smooth] = _blend(self._normals, self._faces[triangles[smooth]], raw, rows[smooth])
        return uv, normal


def _stack(arrays: list[NDArray[Any]], columns: int, dtype: type) -> NDArray[Any]:
    if not arrays:
        return np.zeros((0, columns), dtype)
    return np.ascontiguousarray(np.concatenate(arrays), dtype=dtype)


def _uv(part: Part) -> Floats:
    return part.uv if part.uv is not None else np.zeros((len(part.vertices), 2), np.float32)


def _moved(part: Part, matrix: NDArray[np.float64]) -> Floats:
    moved: Floats = (part.vertices @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)
    return moved


def _normals(part: Part, matrix: NDArray[np.float64]) -> Floats:
    if not part.smooth:
        return np.zeros((len(part.vertices), 3), np.float32)
    return unit((vertex_normals(part) @ np.linalg.inv(matrix[:3, :3])).astype(np.float32))


def _blend(values: Floats, corners: NDArray[np.int32], raw: Raw, rows: Indices) -> Floats:
    """Values at the corners ``(n, 3)`` of triangles, blended at the hits."""
    u, v = raw["u"][rows, None], raw["v"][rows, None]
    out: Floats = values[corners[:, 0]] * (1 - u - v)
    out += values[corners[:, 1]] * u
    out += values[corners[:, 2]] * v
    return out


class _Mover:
    """A mesh's ray scene at a place."""

    def __init__(self, scene: RayScene, placed: Placed) -> None:
        self.scene, self.tag, self.instance = scene, placed.tag, placed.instance_id
        self._inverse = np.linalg.inv(placed.world_from_mesh).astype(np.float32)
        low, high = placed.mesh.bounds
        box = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        self._corners = box @ placed.world_from_mesh[:3, :3].T + placed.world_from_mesh[:3, 3]
        self._center = self._corners.mean(0).astype(np.float32)
        self._radius = float(np.linalg.norm(self._corners - self._corners.mean(0), axis=1).max())

    def near(self, rays: Rays) -> Indices:
        """Indices of the rays that may meet the mesh."""
        if rays.camera is not None:
            box = image_box(self._corners, rays.camera)
            return np.zeros(0, np.intp) if box is None else rays.within(box)
        away = self._center - rays.origins
        along = np.einsum("ij,ij->i", away, rays.directions)
        squared = np.einsum("ij,ij->i", rays.directions, rays.directions)
        gap = np.einsum("ij,ij->i", away, away) - along * along / squared
        return np.flatnonzero((gap <= self._radius**2 * 1.01 + 1e-6) & (along >= -self._radius * np.sqrt(squared)))

    def local(self, rays: Rays, rows: Indices) -> tuple[Floats, Floats]:
        """Some of the rays in the mesh's frame; distances along them stay the same."""
        turn = self._inverse[:3, :3].T
        origins = rays.origins[rows] @ turn + self._inverse[:3, 3]
        return np.ascontiguousarray(origins), np.ascontiguousarray(rays.directions[rows] @ turn)

    def turn_normals(self, normals: Floats) -> Floats:
        """Normals ``(n, 3)`` of the mesh in the world."""
        out: Floats = normals @ self._inverse[:3, :3]
        return out


class Caster:
    """Rays against the town and what moves in it."""

    def __init__(self) -> None:
        self.table = MaterialTable()
        self._static = RayScene((), self.table)
        self._scenes: dict[int, tuple[Mesh, RayScene]] = {}
        self._movers: list[_Mover] = []

    def load(self, statics: Sequence[Placed]) -> None:
        """Replace the town."""
        self._static = RayScene(
            [_Piece(q, p.world_from_mesh, p.tag, p.instance_id) for p in statics for q in p.mesh.parts if len(q.faces)],
            self.table,
        )

    def set_moving(self, actors: Sequence[Placed]) -> None:
        """Replace what moves; the ray scenes of meshes no longer placed are dropped."""
        shown = [a for a in actors if a.mesh.triangles]
        kept = {id(a.mesh): self._scenes.get(id(a.mesh)) or (a.mesh, self._of(a.mesh)) for a in shown}
        self._scenes = kept
        self._movers = [_Mover(kept[id(a.mesh)][1], a) for a in shown]

    def _of(self, mesh: Mesh) -> RayScene:
        return RayScene([_Piece(q, np.eye(4), NO_TAG, 0) for q in mesh.parts if len(q.faces)], self.table)

    def first(self, rays: Rays, *, detail: bool = False) -> Surface:
        """First hits; ``uv`` and ``normal`` are filled only with ``detail``."""
        out = Surface.sky(len(rays))
        for scene, raw, rows, hits, mover in self._answers(rays, out.distance):
            tag, instance, material = scene.labels(raw["primID"][hits])
            out.distance[rows], out.material[rows] = raw["tfar"][hits], material
            out.tag[rows] = tag if mover is None else np.where(tag == NO_TAG, mover.tag, tag)
            out.instance[rows] = instance if mover is None else mover.instance
            if detail:
                out.uv[rows], normal = scene.interpolate(raw, hits)
                normal = unit(normal if mover is None else mover.turn_normals(normal))
                normal[np.einsum("ij,ij->i", normal, rays.directions[rows]) > 0] *= -1
                out.normal[rows] = normal
        return out

    def _answers(self, rays: Rays, nearest: Floats) -> Iterator[tuple[RayScene, Raw, Indices, Indices, _Mover | None]]:
        """For town and movers: scene, raw answer, the rays it is nearest for so far, their rows in it, and the mover.

        ``nearest`` ``(n,)`` holds the distances found so far; the caller updates it between answers.
        """
        raw = self._static.hit(rays.origins, rays.directions)
        if raw is not None:
            rows = np.flatnonzero(raw["primID"] >= 0)
            yield self._static, raw, rows, rows, None
        for mover in self._movers:
            candidates = mover.near(rays)
            raw = mover.scene.hit(*mover.local(rays, candidates)) if len(candidates) else None
            if raw is not None:
                hits = np.flatnonzero((raw["primID"] >= 0) & (raw["tfar"] < nearest[candidates]))
                yield mover.scene, raw, candidates[hits], hits, mover

    def static_occluded(self, origins: Floats, directions: Floats) -> NDArray[np.bool_]:
        """Whether the town alone blocks each ray."""
        raw = self._static.hit(origins, directions)
        return np.zeros(len(origins), bool) if raw is None else np.asarray(raw["primID"] >= 0)

    def static_first(self, rays: Rays) -> tuple[Floats, Floats, NDArray[np.int32]]:
        """Distance, face normal (of any length) and material of first hits on the town alone."""
        n, raw = len(rays), self._static.hit(rays.origins, rays.directions)
        if raw is None:
            return np.full(n, np.inf, np.float32), np.zeros((n, 3), np.float32), np.full(n, -1, np.int32)
        distance = np.where(raw["primID"] >= 0, raw["tfar"], np.inf).astype(np.float32)
        return distance, raw["Ng"], self._static.labels(np.maximum(raw["primID"], 0))[2]

    def cast(self, origins: NDArray[np.floating[Any]], directions: NDArray[np.floating[Any]]) -> Hits:
        """First hits of any rays, with the outward normals of the faces they meet."""
        o, d = (np.ascontiguousarray(a, dtype=np.float32).reshape(-1, 3) for a in (origins, directions))
        rays = Rays(o, d)
        out, normal = Surface.sky(len(rays)), np.zeros((len(rays), 3), np.float32)
        for scene, raw, rows, hits, mover in self._answers(rays, out.distance):
            tag, instance, _ = scene.labels(raw["primID"][hits])
            out.distance[rows] = raw["tfar"][hits]
            out.tag[rows] = tag if mover is None else np.where(tag == NO_TAG, mover.tag, tag)
            out.instance[rows] = instance if mover is None else mover.instance
            face = raw["Ng"][hits]
            normal[rows] = unit(face if mover is None else mover.turn_normals(face))
        return Hits(out.distance, out.tag, out.instance, normal)
