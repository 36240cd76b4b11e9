"""Ground of a town: heights and normals below points, by ray casts against road, sidewalk and terrain triangles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.render.ray_casting.caster import Caster

GROUND_TAGS = frozenset(
    {
        SemanticTag.ROAD,
        SemanticTag.SIDEWALK,
        SemanticTag.TERRAIN,
        SemanticTag.WATER,
        SemanticTag.ROAD_LINE,
        SemanticTag.GROUND,
        SemanticTag.BRIDGE,
        SemanticTag.RAIL_TRACK,
    }
)
"""Tags of surfaces that support actors."""
REACH_UP_M = 1.2
"""Maximum height of ground above a point: more than a kerb, less than a bridge."""

Points = NDArray[np.float64]


class Ground:
    """Ground lookup by ray casting."""

    def __init__(self, statics: Iterable[Placed]) -> None:
        parts = [_ground_of(placed) for placed in statics]
        self._caster = Caster()
        self._caster.load([placed for placed in parts if placed.mesh.parts])

    def below(self, points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Heights ``(n,)`` of the ground below points ``(n, 3)``, minus infinity without ground, and normals."""
        origins = np.ascontiguousarray(points, dtype=np.float32).reshape(-1, 3).copy()
        origins[:, 2] += REACH_UP_M
        down = np.zeros_like(origins)
        down[:, 2] = -1.0
        hits = self._caster.cast(origins, down)
        heights = origins[:, 2].astype(np.float64) - hits.distance
        normals = np.where(np.isfinite(heights)[:, None], hits.normal, (0.0, 0.0, 1.0)).astype(np.float64)
        normals *= np.where(normals[:, 2:] < 0, -1.0, 1.0)
        return heights, normals

    def height(self, x: float, y: float, z: float) -> float:
        """Height of the ground below one point."""
        return float(self.below(np.array([[x, y, z]]))[0][0])


def _ground_of(placed: Placed) -> Placed:
    parts = tuple(part for part in placed.mesh.parts if (placed.tag if part.tag is None else part.tag) in GROUND_TAGS)
    return replace(placed, mesh=Mesh(parts))
