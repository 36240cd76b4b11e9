"""Meshes as Mitsuba shapes, each stored once and placed by instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part, join, vertex_normals
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.render.path_tracing import backend
from caos.simulator.embedded.render.path_tracing.materials import Surfaces

KEPT_TRIANGLES = 1_500_000
"""Limit on triangles of cached meshes that are not in the scene; about a hundred vehicles."""


class Shapes:
    """Builds shape groups for meshes and caches them, least recently used last."""

    def __init__(self, mi: ModuleType, surfaces: Surfaces) -> None:
        self._mi, self._surfaces = mi, surfaces
        self._groups: dict[int, tuple[Mesh, Any]] = {}
        self._wettable: dict[int, list[tuple[Any, Part]]] = {}

    def group(self, mesh: Mesh) -> Any:
        """Return the shape group of ``mesh``."""
        key = id(mesh)
        if key not in self._groups:
            parts = [part for part in _fused(mesh).parts if len(part.faces)]
            shapes = [self._shape(part) for part in parts]
            self._wettable[key] = [(s, p) for s, p in zip(shapes, parts, strict=True) if p.material.wettable]
            named = {f"part{i}": shape for i, shape in enumerate(shapes)}
            self._groups[key] = (mesh, backend.make(self._mi, {"type": "shapegroup", **named}))
        return self._groups[key][1]

    def keep(self, meshes: Iterable[Mesh]) -> None:
        """Set the meshes in the scene; of the others, the most recently used stay cached, up to ``KEPT_TRIANGLES``."""
        shown = {id(mesh) for mesh in meshes}
        others = {key: value for key, value in self._groups.items() if key not in shown}
        excess = sum(mesh.triangles for mesh, _ in others.values()) - KEPT_TRIANGLES
        for key, (mesh, _) in list(others.items()):
            if excess <= 0:
                break
            excess -= mesh.triangles
            del others[key]
        # Meshes in the scene come last, so that they are evicted last.
        self._groups = others | {key: value for key, value in self._groups.items() if key in shown}
        self._wettable = {key: value for key, value in self._wettable.items() if key in self._groups}
        self._surfaces.keep_only(part.material for mesh, _ in self._groups.values() for part in mesh.parts)

    def soak(self) -> None:
        """Rebuild the surfaces of wettable parts for the current wetness."""
        for pairs in self._wettable.values():
            for shape, part in pairs:
                shape.set_bsdf(self._surfaces.bsdf(part.material))

    def instance(self, mesh: Mesh, matrix: NDArray[np.float64]) -> Any:
        """Return an instance of ``mesh`` with a pose ``(4, 4)``."""
        to_world = self._mi.ScalarTransform4f(np.asarray(matrix, dtype=np.float64))
        return backend.make(self._mi, {"type": "instance", "to_world": to_world, "group": self.group(mesh)})

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
    """Merge the parts of a mesh that share a material; tags do not influence light."""
    return join([mesh.tagged(None)])


def split(statics: Sequence[Placed]) -> tuple[Mesh, list[Placed]]:
    """Split static meshes into one merged mesh of all that are placed once, and placements of repeated meshes."""
    counts: dict[int, int] = {}
    for placed in statics:
        counts[id(placed.mesh)] = counts.get(id(placed.mesh), 0) + 1
    repeated = [p for p in statics if counts[id(p.mesh)] > 1 and p.mesh.parts]
    single = [p.mesh.tagged(None).transformed(p.world_from_mesh) for p in statics if counts[id(p.mesh)] == 1]
    return join(single), repeated
