"""Meshes of the house as Mitsuba shapes, each stored once and placed by instances."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Mesh, Part, join, vertex_normals
from simulator.embedded.render.description import Placed
from simulator.embedded.render.materials import Surfaces


class Shapes:
    """Makes shape groups for meshes and keeps them as long as they are used."""

    def __init__(self, mi: ModuleType, surfaces: Surfaces) -> None:
        self._mi, self._surfaces = mi, surfaces
        self._groups: dict[int, tuple[Mesh, Any]] = {}

    def group(self, mesh: Mesh) -> Any:
        """The shape group of ``mesh``."""
        if id(mesh) not in self._groups:
            shapes = {f"part{i}": self._shape(part) for i, part in enumerate(_fused(mesh).parts) if len(part.faces)}
            self._groups[id(mesh)] = (mesh, self._mi.load_dict({"type": "shapegroup", **shapes}))
        return self._groups[id(mesh)][1]

    def keep_only(self, meshes: Sequence[Mesh]) -> None:
        """Forget the groups of all other meshes."""
        wanted = {id(mesh) for mesh in meshes}
        self._groups = {key: value for key, value in self._groups.items() if key in wanted}

    def instance(self, mesh: Mesh, matrix: NDArray[np.float64]) -> Any:
        """``mesh`` at a place."""
        to_world = self._mi.ScalarTransform4f(np.asarray(matrix, dtype=np.float64))
        return self._mi.load_dict({"type": "instance", "to_world": to_world, "group": self.group(mesh)})

    def _shape(self, part: Part) -> Any:
        mi = self._mi
        properties = mi.Properties()
        properties["mesh_bsdf"] = self._surfaces.bsdf(part.material)
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


def _fused(mesh: Mesh) -> Mesh:
    """The mesh with as few parts as its materials allow; tags do not matter to light."""
    return join([mesh.tagged(None)])


def split(statics: Sequence[Placed]) -> tuple[Mesh, list[Placed]]:
    """One joined mesh of all that is placed once, and the placements of meshes that are repeated."""
    counts: dict[int, int] = {}
    for placed in statics:
        counts[id(placed.mesh)] = counts.get(id(placed.mesh), 0) + 1
    repeated = [p for p in statics if counts[id(p.mesh)] > 1]
    single = [p.mesh.tagged(None).transformed(p.world_from_mesh) for p in statics if counts[id(p.mesh)] == 1]
    return join(single), repeated
