"""Ray scene: triangles with labels in an Embree search tree, and the materials that the labels refer to."""

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material, Part, vertex_normals
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.render.ray_casting.embree import scene_of
from caos.simulator.embedded.render.ray_casting.rays import Floats, Indices

Raw = dict[str, NDArray[Any]]
"""Embree's result: arrays by name."""
Answer = TypeVar("Answer")
PARALLEL_RAYS = 100_000


@functools.cache
def _threads() -> ThreadPoolExecutor:
    """Thread pool for the rays of large images."""
    return ThreadPoolExecutor(os.cpu_count() or 1, "rays")


def _in_parallel(cast: Callable[[Floats, Floats], Answer], origins: Floats, directions: Floats) -> list[Answer]:
    """Cast rays; large batches are split among threads, because Embree releases the GIL."""
    if len(origins) < PARALLEL_RAYS:
        return [cast(origins, directions)]
    count = os.cpu_count() or 1
    shares = zip(np.array_split(origins, count), np.array_split(directions, count), strict=True)
    return list(_threads().map(lambda share: cast(*share), shares))


def occluded(scene: Any, origins: Floats, directions: Floats, reach: float) -> NDArray[np.bool_]:
    """Whether triangles of an Embree scene block each ray within ``reach`` times the length of its direction."""

    def cast(starts: Floats, ways: Floats) -> NDArray[np.bool_]:
        far = np.full(len(starts), reach, np.float32)
        return np.asarray(scene.run(starts, ways, dists=far, query="OCCLUDED") >= 0)

    return np.concatenate(_in_parallel(cast, origins, directions))


class MaterialTable:
    """Numbers materials by identity."""

    def __init__(self) -> None:
        self.materials: list[Material] = []
        self._index: dict[int, int] = {}
        self._columns: dict[Callable[[Material], Any], NDArray[Any]] = {}

    def column(self, of: Callable[[Material], Any], sky: Any, kind: type = np.float32) -> NDArray[Any]:
        """Array of ``of(material)`` for each material, then ``sky``; cached until materials are added."""
        found = self._columns.get(of)
        if found is None or len(found) != len(self.materials) + 1:
            found = self._columns[of] = np.array([*(of(material) for material in self.materials), sky], kind)
        return found

    def index(self, material: Material) -> int:
        """Return the index of ``material``; new materials are added."""
        if id(material) not in self._index:
            self._index[id(material)] = len(self.materials)
            self.materials.append(material)
        return self._index[id(material)]


@dataclass(frozen=True)
class Piece:
    """A placed part with its labels."""

    part: Part
    matrix: NDArray[np.float64]
    tag: int
    instance: int


class _Parts:
    """Vertices, texture coordinates and normals of distinct parts, each stored once however often it is placed."""

    def __init__(self, parts: Sequence[Part]) -> None:
        offsets = np.cumsum([0, *(len(p.vertices) for p in parts)])
        self.first = np.cumsum([0, *(len(p.faces) for p in parts)])[:-1].astype(np.int64)
        self.faces = _stack([p.faces + o for p, o in zip(parts, offsets[:-1], strict=True)], 3, np.int32)
        self.uv = _stack([_uv(p) for p in parts], 2, np.float32)
        self.normals = _stack([_normals(p) for p in parts], 3, np.float32)


class RayScene:
    """Triangles with labels, in a search tree for ray casting."""

    def __init__(self, pieces: Sequence[Piece], materials: MaterialTable) -> None:
        unique = {id(p.part): p.part for p in pieces}
        numbers = {key: k for k, key in enumerate(unique)}
        parts = [p.part for p in pieces]
        counts = np.array([len(p.faces) for p in parts], np.int64)
        self._parts = _Parts(list(unique.values()))
        self._shift = self._parts.first[np.array([numbers[id(p)] for p in parts], np.int64)] - (
            np.cumsum(counts) - counts
        )
        self._piece = np.repeat(np.arange(len(parts), dtype=np.int32), counts)
        self._tags = np.array([p.tag if p.part.tag is None else p.part.tag for p in pieces], np.int16)
        self._instances = np.array([p.instance for p in pieces], np.uint32)
        self._smooth = np.array([p.smooth for p in parts], bool)
        self._paint(parts, materials)
        self._turns = np.array([np.linalg.inv(p.matrix[:3, :3]) for p in pieces], np.float32).reshape(-1, 3, 3)
        self._scene = _embree(pieces) if parts else None

    @property
    def triangles(self) -> int:
        """Number of triangles."""
        return len(self._piece)

    def painted(self, parts: Sequence[Part], materials: MaterialTable) -> RayScene:
        """Return the same triangles with other materials; the search tree is shared."""
        other = copy.copy(self)
        other._paint(parts, materials)  # noqa: SLF001 (its own class)
        return other

    def _paint(self, parts: Sequence[Part], materials: MaterialTable) -> None:
        self._materials = np.array([materials.index(p.material) for p in parts], np.int32)
        self._textured = np.array([p.uv is not None and p.material.texture is not None for p in parts], bool)

    def hit(self, origins: Floats, directions: Floats) -> Raw | None:
        """Return Embree's raw result, or None if there are no triangles or no rays."""
        if self._scene is None or not len(origins):
            return None
        answers = _in_parallel(self._run, origins, directions)
        return {name: np.concatenate([answer[name] for answer in answers]) for name in answers[0]}

    @property
    def embree(self) -> Any | None:
        """Embree's scene, or None if there are no triangles."""
        return self._scene

    def _run(self, origins: Floats, directions: Floats) -> Raw:
        assert self._scene is not None
        raw: Raw = self._scene.run(origins, directions, output=1)
        return raw

    def labels(self, triangles: NDArray[np.int32]) -> tuple[NDArray[np.int16], NDArray[np.uint32], NDArray[np.int32]]:
        """Tag, instance id and material index of triangles ``(n,)``."""
        piece = self._piece[triangles]
        return self._tags[piece], self._instances[piece], self._materials[piece]

    def interpolate(self, raw: Raw, rows: Indices) -> tuple[Floats, Floats]:
        """Texture coordinates (zero without a texture) and normals (not normalized) at some of the hits."""
        triangles, normal = raw["primID"].take(rows), raw["Ng"].take(rows, axis=0)
        uv, piece = np.zeros((len(rows), 2), np.float32), self._piece.take(triangles)
        corners = self._parts.faces.take(triangles + self._shift.take(piece), axis=0)
        textured, smooth = np.flatnonzero(self._textured[piece]), np.flatnonzero(self._smooth[piece])
        uv[textured] = _blend(self._parts.uv, corners.take(textured, axis=0), raw, rows[textured])
        local = _blend(self._parts.normals, corners[smooth], raw, rows[smooth])
        normal[smooth] = np.einsum("ij,ijk->ik", local, self._turns[piece[smooth]])
        return uv, normal


def _embree(pieces: Sequence[Piece]) -> Any:
    """Build an Embree scene of all triangles, in the order of the pieces."""
    corners = np.cumsum([0, *(len(p.part.vertices) for p in pieces)])
    rows = np.cumsum([0, *(len(p.part.faces) for p in pieces)])
    vertices, faces = np.empty((corners[-1], 3), np.float32), np.empty((rows[-1], 3), np.int32)
    for piece, corner, row in zip(pieces, corners, rows, strict=False):
        there = vertices[corner : corner + len(piece.part.vertices)]
        np.matmul(piece.part.vertices, piece.matrix[:3, :3].T.astype(np.float32), out=there)
        there += piece.matrix[:3, 3].astype(np.float32)
        np.add(piece.part.faces, corner, out=faces[row : row + len(piece.part.faces)], casting="unsafe")
    return scene_of(vertices, faces)


def _stack(arrays: list[NDArray[Any]], columns: int, dtype: type) -> NDArray[Any]:
    if not arrays:
        return np.zeros((0, columns), dtype)
    return np.ascontiguousarray(np.concatenate(arrays), dtype=dtype)


def _uv(part: Part) -> Floats:
    return part.uv if part.uv is not None else np.zeros((len(part.vertices), 2), np.float32)


def _normals(part: Part) -> Floats:
    return vertex_normals(part) if part.smooth else np.zeros((len(part.vertices), 3), np.float32)


def _blend(values: Floats, corners: NDArray[np.int32], raw: Raw, rows: Indices) -> Floats:
    """Interpolate values at the triangle corners ``(n, 3)`` to the hits."""
    u, v = raw["u"].take(rows)[:, None], raw["v"].take(rows)[:, None]
    # take is twice as fast as fancy indexing.
    out: Floats = values.take(corners[:, 0], axis=0) * (1 - u - v)
    out += values.take(corners[:, 1], axis=0) * u
    out += values.take(corners[:, 2], axis=0) * v
    return out


def pieces_of(placed: Placed) -> list[Piece]:
    """Return the non-empty parts of a placed mesh."""
    parts = [part for part in placed.mesh.parts if len(part.faces)]
    return [Piece(part, placed.world_from_mesh, placed.tag, placed.instance_id) for part in parts]
