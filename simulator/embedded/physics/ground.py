"""The ground of a town: heights and normals below points, by rays against its road, sidewalk and terrain triangles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assets.mesh import Mesh
from simulator.embedded.render.description import Placed
from simulator.embedded.render.rays import MaterialTable, RayScene

GROUND_TAGS = frozenset({1, 2, 10, 23, 24, 25, 26, 27})
"""Road, sidewalk, terrain, water, road lines, ground, bridge, rails."""
REACH_UP_M = 1.2
"""How far above a point ground may be and still be stood on: more than a kerb, less than a bridge."""

Points = NDArray[np.float64]


class Ground:
    """Answers what is below."""

    def __init__(self, statics: Iterable[Placed]) -> None:
        parts = [_ground_of(placed) for placed in statics]
        self._scene = RayScene([placed for placed in parts if placed.mesh.parts], MaterialTable())

    def below(self, points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Height ``(n,)`` of the ground under points ``(n, 3)``, minus infinity where there is none, and its normals."""
        origins = np.ascontiguousarray(points, dtype=np.float32).reshape(-1, 3).copy()
        origins[:, 2] += REACH_UP_M
        down = np.zeros_like(origins)
        down[:, 2] = -1.0
        answer = self._scene.hit(origins, down) if len(origins) else None
        heights = np.full(len(origins), -np.inf)
        normals = np.tile((0.0, 0.0, 1.0), (len(origins), 1))
        if answer is None:
            return heights, normals
        met = answer["primID"] >= 0
        heights[met] = origins[met, 2].astype(np.float64) - answer["tfar"][met]
        found = answer["Ng"][met].astype(np.float64)
        found *= np.where(found[:, 2:] < 0, -1.0, 1.0)
        normals[met] = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
        return heights, normals

    def height(self, x: float, y: float, z: float) -> float:
        """Height of the ground under one point."""
        return float(self.below(np.array([[x, y, z]]))[0][0])


def _ground_of(placed: Placed) -> Placed:
    parts = tuple(
        part for part in placed.mesh.parts if (placed.tag if part.tag is None else part.tag) in GROUND_TAGS
    )
    return replace(placed, mesh=Mesh(parts))
