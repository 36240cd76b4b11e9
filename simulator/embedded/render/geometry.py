"""Meshes of the house as Mitsuba shapes, each stored once and placed by instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part, join, vertex_normals
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.render.materials import Surfaces


class Shapes:
    """Makes shape groups for meshes and keeps them as long as they are used."""

    def __init__(self, mi: ModuleType, surfaces: Surfaces) -> None:
        self._mi, self._surfaces = mi, surfaces
        self._groups: dict[int, tuple[Mesh, Any]] = {}
        self._wettable: dict[int, list[tuple[Any, Part]]] = {}

    def group(self, mesh: Mesh) -> Any:
        """The shape group of ``mesh``."""
        key = id(mesh)
        if key not in self._groups:
            parts = [part for part in _fused(mesh).parts if len(part.faces)]
            shapes = [self._shape(part) for part in parts]
            self._wettable[key] = [(s, p) for s, p in zip(shapes, parts, strict=True) if p.material.wettable]
            named = {f"part{i}": shape for i, shape in enumerate(shapes)}
            self._groups[key] = (mesh, self._mi.load_dict({"type": "shapegroup", **named}))
        return self._groups[key][1]

    def keep_only(self, meshes: Iterable[Mesh]) -> None:
        """Forget the groups of all other meshes."""
        wanted = {id(mesh) for mesh in meshes}
        self._groups = {key: value for key, value in self._groups.items() if key in wanted}
        self._wettable = {key: value for key, value in self._wettable.items() if key in wanted}
        self._surfaces.keep_only(part.material for mesh, _ in self._groups.values() for part in mesh.parts)

    def soak(self) -> None:
        """Give the wettable parts the surfaces of the present wetness."""
        for pairs in self._wettable.values():
            for shape, part in pairs:
                shape.set_bsdf(self._surfaces.bsdf(part.material, metres_per_uv(part)))

    def instance(self, mesh: Mesh, matrix: NDArray[np.float64]) -> Any:
        """``mesh`` at a place."""
        to_world = self._mi.ScalarTransform4f(np.asarray(matrix, dtype=np.float64))
        return self._mi.load_dict({"type": "instance", "to_world": to_world, "group": self.group(mesh)})

    def _shape(self, part: Part) -> Any:
        mi = self._mi
        properties = mi.Properties()
        uv_m = metres_per_uv(part) if part.material.wettable else 1.0
        properties["mesh_bsdf"] = self._surfaces.bsdf(part.material, uv_m)
        if not part.smooth:
            properties["face_normals"] = True
        shape = mi.Mesh(
            part.material.name,
            len(part.vertices),
            len(part.faces),
            props=properties,
            has_vertex_normals=part.smooth,
            has_vertex_texcoords=part.uv is not None,
        )
        values = mi.traverse(shape)
        values["vertex_positions"] = np.ravel(part.vertices).astype(np.float32)
        values["faces"] = np.ravel(part.faces).astype(np.uint32)
        if part.smooth:
            values["vertex_normals"] = np.ravel(vertex_normals(part)).astype(np.float32)
        if part.uv is not None:
            values["vertex_texcoords"] = np.ravel(part.uv).astype(np.float32)
        values.update()
        return shape


def metres_per_uv(part: Part) -> float:
    """How many metres one unit of the part's UV covers, from the largest triangles; 1 where it has no UV."""
    if part.uv is None or not len(part.faces):
        return 1.0
    faces = part.faces[:: max(len(part.faces) // 500, 1)]
    a, b, c = (part.vertices[faces[:, k]].astype(np.float64) for k in range(3))
    u, v, w = (part.uv[faces[:, k]].astype(np.float64) for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    e, f = v - u, w - u
    flat = np.abs(e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0]).sum()
    return float(np.sqrt(area / flat)) if flat > 1e-12 else 1.0


def _fused(mesh: Mesh) -> Mesh:
    """The mesh with as few parts as its materials allow; tags do not matter to light."""
    return join([mesh.tagged(None)])


def split(statics: Sequence[Placed]) -> tuple[Mesh, list[Placed]]:
    """One joined mesh of all that is placed once, and the placements of meshes that are repeated."""
    counts: dict[int, int] = {}
    for placed in statics:
        counts[id(placed.mesh)] = counts.get(id(placed.mesh), 0) + 1
    repeated = [p for p in statics if counts[id(p.mesh)] > 1 and p.mesh.parts]
    single = [p.mesh.tagged(None).transformed(p.world_from_mesh) for p in statics if counts[id(p.mesh)] == 1]
    return join(single), repeated
