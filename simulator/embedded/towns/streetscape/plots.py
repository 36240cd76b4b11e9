"""Land along roads: frontages to build on, and occupied footprints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from caos.simulator.embedded.towns.roads.areas import ADDED_WALK_M, Areas
from caos.simulator.embedded.towns.roads.network import Strip
from caos.simulator.embedded.towns.streetscape.surface_builder import polygons

Points = NDArray[np.float64]

ISLAND_M2 = 1500.0
REACH_M = 9.0
"""Frontages extend past a junction's mouth by this much, so that corners are built on."""


@dataclass(frozen=True, eq=False)
class Frontage:
    """One side of a road: a path along the outer edge of its sidewalk.

    Attributes:
        strip: The road's lane section.
        side: -1 left, 1 right of the road's direction.
        path: ``(n, 3)`` points along the road's direction.
        kerb: ``(n, 3)`` points on the kerb (or the edge of the asphalt) beside them.
        along: ``(n,)`` arc length; the road itself spans 0 to ``length``.
        walk_m: Width of the sidewalk, 0 without one.
        bridge: ``(n,)`` whether the road is a bridge there.
    """

    strip: Strip
    side: int
    path: Points
    kerb: Points
    along: Points
    length: float
    walk_m: float
    bridge: NDArray[np.bool_]

    def at(self, u: float, out: float = 0.0) -> tuple[float, float, float, float]:
        """Point ``out`` metres beyond the sidewalk at arc length ``u``, and the yaw in degrees towards the road."""
        x, y, z = (float(np.interp(u, self.along, self.path[:, i])) for i in range(3))
        nx, ny = self.outward(u)
        return x + nx * out, y + ny * out, z, math.degrees(math.atan2(-ny, -nx))

    def outward(self, u: float) -> tuple[float, float]:
        """Unit vector away from the road."""
        i = int(np.clip(np.searchsorted(self.along, u), 1, len(self.along) - 1))
        dx, dy = self.path[i, :2] - self.path[i - 1, :2]
        norm = math.hypot(dx, dy) or 1.0
        return -dy / norm * self.side, dx / norm * self.side

    def on_bridge(self, u: float) -> bool:
        """Whether the road is a bridge near ``u``."""
        i = int(np.clip(np.searchsorted(self.along, u), 0, len(self.along) - 1))
        return bool(self.bridge[max(i - 1, 0) : i + 2].any())


def frontages(areas: Areas) -> Iterator[Frontage]:
    """Yield both sides of every road outside junctions."""
    walks = shapely.union_all([areas.walks])
    for strip in areas.network.roads:
        columns = strip.edges.shape[1] - 1
        for side, outer, step in ((-1, 0, 1), (1, columns, -1)):
            inner = _kerb_column(strip, outer, step)
            path, kerb = strip.edges[:, outer].copy(), strip.edges[:, inner]
            walk = float(np.median(np.linalg.norm((path - kerb)[:, :2], axis=1)))
            if walk < 0.5 and _has_added(walks, path, side):
                path = _pushed(path, side, ADDED_WALK_M)
                walk = ADDED_WALK_M
            yield _frontage(areas, strip, side, path, kerb, walk)


def _kerb_column(strip: Strip, outer: int, step: int) -> int:
    """Column of the outer border of the asphalt."""
    column = outer
    kinds = strip.lane_types
    while 0 <= (lane := column if step > 0 else column - 1) < len(kinds) and kinds[lane] in ("sidewalk", "none"):
        column += step
    return int(np.clip(column, 0, len(kinds)))


def _has_added(walks: Any, path: Points, side: int) -> bool:
    middle = _pushed(path, side, ADDED_WALK_M / 2)[len(path) // 2]
    return bool(shapely.contains_xy(walks, middle[0], middle[1]))


def _pushed(path: Points, side: int, out: float) -> Points:
    step = np.gradient(path[:, :2], axis=0)
    step /= np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-9)
    moved: Points = path + np.column_stack([-step[:, 1] * side * out, step[:, 0] * side * out, np.zeros(len(path))])
    return moved


def _frontage(areas: Areas, strip: Strip, side: int, path: Points, kerb: Points, walk: float) -> Frontage:
    bridge = areas.is_elevated(kerb)
    first, last = path[0] - path[1], path[-1] - path[-2]
    first, last = (v / max(float(np.linalg.norm(v[:2])), 1e-9) * (1, 1, 0) * REACH_M for v in (first, last))
    path = np.concatenate([[path[0] + first], path, [path[-1] + last]])
    kerb = np.concatenate([[kerb[0] + first], kerb, [kerb[-1] + last]])
    bridge = np.concatenate([bridge[:1], bridge, bridge[-1:]])
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1))]) - REACH_M
    return Frontage(strip, side, path, kerb, along, float(along[-1] - REACH_M), walk, bridge)


def rectangle(x: float, y: float, yaw_deg: float, depth: float, width: float) -> Any:
    """Footprint polygon: ``depth`` along its heading, ``width`` across, around its centre."""
    c, s = math.cos(math.radians(yaw_deg)), math.sin(math.radians(yaw_deg))
    corners = [(a * depth / 2, b * width / 2) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return shapely.Polygon([(x + a * c - b * s, y + a * s + b * c) for a, b in corners])


class Land:
    """Occupied land: the network, the water, and the footprints of all placed objects."""

    CELL_M = 25.0

    def __init__(self, areas: Areas) -> None:
        high = shapely.union_all([b.polygon for b in (*areas.road_bands, *areas.walk_bands)])
        self._roads = shapely.union_all(
            [areas.covered, high] + ([areas.water.buffer(4.0)] if areas.water is not None else [])
        )
        # Roundabout islands and gores between lanes are not building land.
        islands = [shapely.Polygon(r) for p in polygons(self._roads) for r in p.interiors]
        self._islands = shapely.union_all([island for island in islands if island.area < ISLAND_M2])
        shapely.prepare(self._roads)
        shapely.prepare(self._islands)
        self._cells: dict[tuple[int, int], list[Any]] = {}

    def clear_of_roads(self, shape: Any, margin: float = 0.1) -> bool:
        """Whether a footprint keeps ``margin`` from all pavement and water."""
        return not shapely.dwithin(self._roads, shape, margin)

    def is_free(self, shape: Any, margin: float = 0.1) -> bool:
        """Whether a footprint is unoccupied, roads included."""
        return self.clear_of_roads(shape, margin) and self.is_vacant(shape)

    def is_buildable(self, shape: Any, margin: float = 0.1) -> bool:
        """Whether a building may stand there: unoccupied, and not on a traffic island."""
        return self.is_free(shape, margin) and not self._islands.intersects(shape)

    def is_vacant(self, shape: Any) -> bool:
        """Whether a footprint overlaps no placed object."""
        return not any(other.intersects(shape) for key in self._keys(shape) for other in self._cells.get(key, ()))

    def take(self, shape: Any) -> None:
        """Mark a footprint as occupied."""
        for key in self._keys(shape):
            self._cells.setdefault(key, []).append(shape)

    def _keys(self, shape: Any) -> list[tuple[int, int]]:
        x0, y0, x1, y1 = (int(v // self.CELL_M) for v in shape.bounds)
        return [(x, y) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)]
