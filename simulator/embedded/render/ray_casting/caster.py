"""Ray caster: casts rays against the rendered triangles, with Embree.

The town is one ray scene. The mesh of each actor is another, in its own frame: rays are transformed into that frame, so
that moving an actor costs nothing, and only rays that pass near an actor are cast against it.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part
from caos.simulator.embedded.render.description import Camera, Hits, Placed
from caos.simulator.embedded.render.ray_casting.embree import placed_scene
from caos.simulator.embedded.render.ray_casting.ray_scene import (
    MaterialTable,
    Piece,
    Raw,
    RayScene,
    occluded,
    pieces_of,
)
from caos.simulator.embedded.render.ray_casting.rays import Floats, Indices, Rays, Surface, image_boxes, unit

NO_TAG = -1
"""Tag of triangles that take the tag of their actor."""
SPHERE_TESTS = 4_000_000
FAR = 1e30
KEPT_RAYS = 10_000
KEPT_TRIANGLES = 2_000_000
"""Limit on cached triangles of actors' meshes; about a hundred vehicles."""


class _PlacedMesh:
    """A placed actor mesh; its ray scene is built when a ray first comes near it."""

    def __init__(self, solids: _RaySceneCache, placed: Placed) -> None:
        self._scenes, self._mesh = solids, placed.mesh
        self._scene: RayScene | None = None
        self.tag, self.instance, self.world_from_mesh = placed.tag, placed.instance_id, placed.world_from_mesh
        self._inverse = np.linalg.inv(placed.world_from_mesh).astype(np.float32)
        low, high = placed.mesh.bounds
        box = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        self.corners = box @ placed.world_from_mesh[:3, :3].T + placed.world_from_mesh[:3, 3]

    @property
    def scene(self) -> RayScene:
        """Its triangles, in the mesh's frame."""
        if self._scene is None:
            self._scene = self._scenes.scene(self._mesh)
        return self._scene

    def local(self, rays: Rays, rows: Indices) -> tuple[Floats, Floats]:
        """Transform some of the rays into the mesh's frame; distances along them stay the same."""
        turn = self._inverse[:3, :3]
        # einsum, not @: for such thin matrices BLAS threads cost more than they save.
        origins = np.einsum("ij,kj->ik", rays.origins[rows], turn) + self._inverse[:3, 3]
        return origins, np.einsum("ij,kj->ik", rays.directions[rows], turn)

    def turn_normals(self, normals: Floats) -> Floats:
        """Transform normals ``(n, 3)`` of the mesh to world axes."""
        out: Floats = np.einsum("ij,jk->ik", normals, self._inverse[:3, :3])
        return out


@dataclass(frozen=True)
class _Answer:
    """Result of one scene: raw hits, the rays for which it is the nearest so far, and their rows in the raw hits."""

    scene: RayScene
    raw: Raw
    rays: Indices
    rows: Indices
    thing: _PlacedMesh | None = None
    index: int = -1

    def write(self, out: Surface) -> None:
        """Write distance and labels into ``out``."""
        tag, instance, material = self.scene.labels(self.raw["primID"][self.rows])
        out.distance[self.rays], out.material[self.rays] = self.raw["tfar"][self.rows], material
        out.thing[self.rays] = self.index
        if self.thing is None:
            out.tag[self.rays], out.instance[self.rays] = tag, instance
        else:
            out.tag[self.rays] = np.where(tag == NO_TAG, self.thing.tag, tag)
            out.instance[self.rays] = self.thing.instance

    def in_world(self, normals: Floats) -> Floats:
        """Transform to unit normals in world axes."""
        return unit(normals if self.thing is None else self.thing.turn_normals(normals))


class _RaySceneCache:
    """LRU cache of meshes' ray scenes; meshes with equal geometry and different materials share a search tree."""

    def __init__(self, materials: MaterialTable) -> None:
        self._materials = materials
        self._kept: dict[tuple[int, ...], tuple[Mesh, RayScene]] = {}

    def scene(self, mesh: Mesh) -> RayScene:
        """Return the mesh's triangles in its own frame."""
        parts = [part for part in mesh.parts if len(part.faces)]
        shape = tuple(id(part.vertices) for part in parts)
        first, scene = self._kept.pop(shape) if shape in self._kept else (mesh, self._made(parts))
        self._kept[shape] = first, scene
        self._evict()
        return scene if first is mesh else scene.painted(parts, self._materials)

    def _made(self, parts: Sequence[Part]) -> RayScene:
        return RayScene([Piece(part, np.eye(4), NO_TAG, 0) for part in parts], self._materials)

    def _evict(self) -> None:
        excess = sum(scene.triangles for _, scene in self._kept.values()) - KEPT_TRIANGLES
        for shape in list(self._kept)[:-1]:
            if excess <= 0:
                return
            excess -= self._kept.pop(shape)[1].triangles


class Caster:
    """Casts rays against the town and its actors."""

    def __init__(self) -> None:
        self.table = MaterialTable()
        self._town = RayScene((), self.table)
        self._scenes = _RaySceneCache(self.table)
        self._things: list[_PlacedMesh] = []
        self._kept: tuple[Camera, Raw] | None = None
        self.set_moving(())

    def load(self, statics: Sequence[Placed]) -> None:
        """Replace the town."""
        self._kept = None
        self._town = RayScene([piece for placed in statics for piece in pieces_of(placed)], self.table)

    def set_moving(self, actors: Sequence[Placed]) -> None:
        """Replace all actors."""
        self._move([_PlacedMesh(self._scenes, actor) for actor in actors if actor.mesh.triangles])

    def without(self, instances: Collection[int]) -> Caster:
        """Return a caster for the same town and actors, without those with the given instance ids."""
        other = copy.copy(self)
        other._move([thing for thing in self._things if thing.instance not in instances])  # noqa: SLF001 (its own class)
        return other

    def corners(self, instances: Collection[int]) -> list[NDArray[np.float64]]:
        """Corners ``(8, 3)`` of the bounding boxes of the actors with the given ids; the last axis varies fastest."""
        return [thing.corners for thing in self._things if thing.instance in instances]

    def _move(self, things: list[_PlacedMesh]) -> None:
        self._things = things
        self._corners = np.array([thing.corners for thing in self._things]).reshape(-1, 8, 3)
        centers = self._corners.mean(1).astype(np.float32)
        reach = np.linalg.norm(self._corners - centers[:, None], axis=2).max(1, initial=0).astype(np.float32)
        self._spheres = centers, reach * 1.01 + 1e-3
        self._moving: Any = None

    def first(self, rays: Rays, *, detail: bool = False, only: NDArray[np.int32] | None = None) -> Surface:
        """First hits; ``uv`` and ``normal`` are computed only with ``detail``; ``only`` limits the actors tested."""
        out = Surface.sky(len(rays))
        for answer in self._answers(rays, out.distance, only):
            answer.write(out)
            if detail and len(answer.rays):
                out.uv[answer.rays], normal = answer.scene.interpolate(answer.raw, answer.rows)
                normal = answer.in_world(normal)
                away = np.einsum("ij,ij->i", normal, rays.directions[answer.rays]) > 0
                out.normal[answer.rays] = np.negative(normal, out=normal, where=away[:, None])
        return out

    def _answers(self, rays: Rays, nearest: Floats, only: NDArray[np.int32] | None = None) -> Iterator[_Answer]:
        """Results of the town and of each actor near the rays; the caller updates ``nearest`` between them."""
        raw = self._town_hit(rays)
        if raw is not None:
            rows = np.flatnonzero(raw["primID"] >= 0)
            yield _Answer(self._town, raw, rows, rows)
        for index, candidates in self._candidates(rays, nearest, only):
            thing = self._things[index]
            raw = thing.scene.hit(*thing.local(rays, candidates))
            if raw is not None:
                rows = np.flatnonzero((raw["primID"] >= 0) & (raw["tfar"] < nearest[candidates]))
                yield _Answer(thing.scene, raw, candidates[rows], rows, thing, index)

    def _town_hit(self, rays: Rays) -> Raw | None:
        """The town's raw hits; those of all pixels of a camera are cached, because a view is cast more than once."""
        if rays.camera is None or rays.pixels is not None or len(rays) < KEPT_RAYS:
            return self._town.hit(rays.origins, rays.directions)
        if self._kept is None or self._kept[0] != rays.camera:
            raw = self._town.hit(rays.origins, rays.directions)
            self._kept = None if raw is None else (rays.camera, raw)
        return None if self._kept is None else self._kept[1]

    def town_points(self, rays: Rays) -> Floats:
        """Points ``(m, 3)`` where rays hit the town, actors ignored."""
        raw = self._town_hit(rays)
        if raw is None:
            return np.zeros((0, 3), np.float32)
        rows = np.flatnonzero(raw["primID"] >= 0)
        out: Floats = rays.origins[rows] + rays.directions[rows] * raw["tfar"][rows, None]
        return out

    def _candidates(self, rays: Rays, nearest: Floats, only: NDArray[np.int32] | None) -> Iterator[tuple[int, Indices]]:
        """Actors and the rays that may hit them, nearest actors first."""
        if not self._things:
            return
        # Bounding boxes in pixels are valid only where straight lines are projected to straight lines.
        if rays.camera is None or not rays.camera.lens.is_pinhole:
            if only is None or len(only):
                meeting = np.flatnonzero(self._moving_blocks(rays.origins, rays.directions))
                some = Rays(rays.origins[meeting], rays.directions[meeting])
                yield from ((i, meeting[rows]) for i, rows in self._passing(some) if only is None or i in only)
            return
        boxes, depth = image_boxes(self._corners, rays.camera)
        seen = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
        order = np.argsort(depth, kind="stable")
        wanted = None if only is None else set(only.tolist())
        for index in order[seen[order]]:
            if wanted is None or int(index) in wanted:
                rows = rays.within(boxes[index])
                rows = rows[nearest[rows] > depth[index]]
                if len(rows):
                    yield int(index), rows

    def _passing(self, rays: Rays) -> Iterator[tuple[int, Indices]]:
        """Actors and the rays that pass their bounding spheres, for rays of any origin."""
        centers, radii = self._spheres
        directions = unit(rays.directions)
        step = max(SPHERE_TESTS // max(len(centers), 1), 1)
        found: dict[int, list[Indices]] = {}
        for start in range(0, len(rays), step):
            o, d = rays.origins[start : start + step], directions[start : start + step]
            along = d @ centers.T - np.einsum("ij,ij->i", o, d)[:, None]
            squared = np.einsum("ij,ij->i", o, o)[:, None] - 2 * o @ centers.T + np.einsum("ij,ij->i", centers, centers)
            near = (squared - along * along <= radii**2 + 1e-3 * np.abs(squared)) & (along >= -radii)
            for index in np.flatnonzero(near.any(0)):
                found.setdefault(int(index), []).append(np.flatnonzero(near[:, index]) + start)
        for number, pieces in found.items():
            yield number, np.concatenate(pieces)

    def blocks(self, origins: Floats, directions: Floats, reach: float = FAR) -> NDArray[np.bool_]:
        """Whether the town or an actor blocks each ray within ``reach`` times the length of its direction."""
        out = self.town_blocks(origins, directions, reach)
        free = np.flatnonzero(~out)
        out[free] = self._moving_blocks(origins[free], directions[free], reach)
        return out

    def _moving_blocks(self, origins: Floats, directions: Floats, reach: float = FAR) -> NDArray[np.bool_]:
        """Whether an actor blocks each ray."""
        if not self._things:
            return np.zeros(len(origins), bool)
        if self._moving is None:
            self._moving = placed_scene([(t.scene.embree, t.world_from_mesh) for t in self._things])
        if self._moving is not None:
            return occluded(self._moving, origins, directions, reach)
        rays, out = Rays(origins, directions), np.zeros(len(origins), bool)
        for index, rows in self._passing(rays):
            thing = self._things[index]
            raw = thing.scene.hit(*thing.local(rays, rows))
            out[rows] |= False if raw is None else (raw["primID"] >= 0) & (raw["tfar"] < reach)
        return out

    def town_distance(self, origins: Floats, directions: Floats) -> Floats:
        """Distance of the first hit on the town, actors ignored."""
        return self.first(Rays(origins, directions), only=np.zeros(0, np.int32)).distance

    def town_blocks(self, origins: Floats, directions: Floats, reach: float = FAR) -> NDArray[np.bool_]:
        """Whether the town alone blocks each ray within ``reach`` times the length of its direction."""
        scene = self._town.embree
        return np.zeros(len(origins), bool) if scene is None else occluded(scene, origins, directions, reach)

    def town_first(self, rays: Rays) -> tuple[Floats, Floats, NDArray[np.int32]]:
        """Distance, face normal (not normalized) and material of first hits on the town alone."""
        n, raw = len(rays), self._town.hit(rays.origins, rays.directions)
        if raw is None:
            return np.full(n, np.inf, np.float32), np.zeros((n, 3), np.float32), np.full(n, -1, np.int32)
        distance = np.where(raw["primID"] >= 0, raw["tfar"], np.inf).astype(np.float32)
        return distance, raw["Ng"], self._town.labels(np.maximum(raw["primID"], 0))[2]

    def cast(self, origins: NDArray[np.floating[Any]], directions: NDArray[np.floating[Any]]) -> Hits:
        """First hits of arbitrary rays, with outward face normals."""
        o, d = (np.ascontiguousarray(a, dtype=np.float32).reshape(-1, 3) for a in (origins, directions))
        rays = Rays(o, d)
        out = Surface.sky(len(rays))
        for answer in self._answers(rays, out.distance):
            answer.write(out)
            out.normal[answer.rays] = answer.in_world(answer.raw["Ng"][answer.rows])
        return Hits(out.distance, out.tag, out.instance, out.normal)
