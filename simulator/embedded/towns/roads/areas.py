"""Areas of the road network (carriageways, sidewalks, medians) as sampled borders and as polygons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from caos.simulator.embedded.towns.roads.network import GREEN, WALKABLE, Network, Strip
from caos.simulator.embedded.towns.streetscape.surface_builder import polygons, union

Points = NDArray[np.float64]

KERB_HEIGHT = 0.14
NARROW_M = 1.0
ADDED_WALK_M = 2.4
WALK_SPEED_KMH = 65.0
BRIDGE_CLEARANCE_M = 3.0


@dataclass(frozen=True, eq=False)
class Band:
    """Adjacent lanes of one use in a strip: columns ``first`` to ``last`` of its edges."""

    strip: Strip
    use: str
    first: int
    last: int

    @property
    def edges(self) -> Points:
        """Borders ``(n, last - first + 1, 3)`` of the lanes in it."""
        return self.strip.edges[:, self.first : self.last + 1]

    @property
    def left(self) -> Points:
        """Left border ``(n, 3)``."""
        return self.strip.edges[:, self.first]

    @property
    def right(self) -> Points:
        """Right border ``(n, 3)``."""
        return self.strip.edges[:, self.last]

    @cached_property
    def polygon(self) -> Any:
        """Its outline in the plane."""
        return outline(self.left, self.right)


def outline(left: Points, right: Points) -> Any:
    """The valid polygon between two borders ``(n, 3)``."""
    ring = np.concatenate([left[:, :2], right[::-1, :2]])
    shape = shapely.Polygon(ring)
    if shape.is_valid and shape.area > 0:
        return shape
    a, b, c, d = left[:-1, :2], left[1:, :2], right[1:, :2], right[:-1, :2]
    quads = [q if q.is_valid else q.convex_hull for q in shapely.polygons(np.stack([a, b, c, d, a], 1))]
    return union([q for q in quads if q.geom_type == "Polygon"])


def bands(strip: Strip) -> list[Band]:
    """The strip's lanes grouped by use (``road``, ``walk``, ``green``); unused outer lanes are left to the terrain."""
    widths = np.linalg.norm(np.diff(strip.edges[:, :, :2], axis=1), axis=2).max(axis=0)
    uses = [_use(kind, float(width)) for kind, width in zip(strip.lane_types, widths, strict=True)]
    for outer in (0, -1):
        if uses and strip.lane_types[outer] == "none":
            uses[outer] = ""
    for k in range(1, len(uses) - 1):
        if (uses[k] == "green" and "road" not in uses[:k]) or (uses[k] == "green" and "road" not in uses[k + 1 :]):
            uses[k] = "road" if "road" in (uses[k - 1], uses[k + 1]) and widths[k] < 2.0 else ""
    out, k = [], 0
    while k < len(uses):
        end = k
        while end + 1 < len(uses) and uses[end + 1] == uses[k]:
            end += 1
        if uses[k]:
            out.append(Band(strip, uses[k], k, end + 1))
        k = end + 1
    return out


def _use(kind: str, width: float) -> str:
    if kind in WALKABLE:
        return "walk"
    if kind in GREEN:
        return "road" if width < NARROW_M else "green"
    return "road"


class Areas:
    """Ground areas of a network, input of the mesh builder.

    Attributes:
        road_bands, walk_bands, green_bands: Bands outside junctions.
        junction_roads: Asphalt of each junction.
        carriageway: Union of all asphalt.
        walks: Sidewalks that are not a plain band: around junctions, and those added where the file has none.
        covered: Union of all areas that lie on the ground and not on a bridge.
    """

    def __init__(self, network: Network, *, add_walks: bool = True, water: Any = None) -> None:
        self.network = network
        self.water = water
        rows = [(strip, band) for strip in network.strips for band in bands(strip)]
        free = [band for strip, band in rows if strip.junction < 0]
        inside = [band for strip, band in rows if strip.junction >= 0]
        self.road_bands = [b for b in free if b.use == "road"]
        self.walk_bands = [b for b in free if b.use == "walk"]
        self.green_bands = [b for b in free if b.use == "green"]
        self._samples(inside)
        self._high = self._elevated()
        self.junction_roads = self._junctions([b for b in inside if b.use == "road"])
        self.carriageway = union([b.polygon for b in self.road_bands] + list(self.junction_roads.values()))
        self.walks = self._walks([b for b in inside if b.use == "walk"], add=add_walks)
        self.covered = self._covered()

    def _samples(self, inside: list[Band]) -> None:
        every = [*self.road_bands, *self.walk_bands, *self.green_bands, *inside]
        points = np.concatenate([b.edges.reshape(-1, 3) for b in every])
        self._points = np.unique(np.round(points, 3), axis=0)
        self._tree = cKDTree(self._points[:, :2])
        self._tree3 = cKDTree(self._points * (1, 1, 3))

    def height(self, flat: Points) -> Points:
        """Height ``(n,)`` of the road surface near points ``(n, 2)``; the lowest road where several cross."""
        return _interpolate(self._tree, self._points, flat)

    def height_near(self, z: float) -> Any:
        """Return a height function for the surfaces near level ``z`` only."""
        near = np.abs(self._points[:, 2] - z) < 6.0
        points = self._points[near] if near.any() else self._points
        tree = cKDTree(points[:, :2])
        return lambda flat: _interpolate(tree, points, flat)

    def _elevated(self) -> NDArray[np.bool_]:
        """Which samples lie over a lower road or over water."""
        pairs = self._tree.query_ball_point(self._points[:, :2], 7.0)
        z = self._points[:, 2]
        lowest = np.array([z[row].min() for row in pairs])
        high = z - lowest > BRIDGE_CLEARANCE_M
        if self.water is not None:
            high = high | shapely.contains_xy(self.water, self._points[:, 0], self._points[:, 1])
        out: NDArray[np.bool_] = high
        return out

    def is_elevated(self, points: Points) -> NDArray[np.bool_]:
        """Whether points ``(n, 3)`` of the network belong to a bridge."""
        if not self._high.any():
            return np.zeros(len(points), bool)
        _, index = self._tree3.query(points * (1, 1, 3))
        out: NDArray[np.bool_] = self._high[index]
        return out

    def _junctions(self, inside: Sequence[Band]) -> dict[int, Any]:
        groups: dict[int, list[Any]] = {}
        for band in inside:
            groups.setdefault(band.strip.junction, []).append(band.polygon)
        return {number: _closed(union(shapes)) for number, shapes in groups.items()}

    def _walks(self, inside: list[Band], *, add: bool) -> Any:
        """Sidewalk areas beyond the plain bands."""
        plain = union([b.polygon for b in self.walk_bands])
        corner = union([b.polygon for b in inside])
        corner = shapely.difference(corner, union([self.carriageway, plain]))
        wanted = (self._bare() + self._bare_junctions(inside)) if add else []
        if not wanted:
            return self._snug(corner)
        reach = union(wanted).buffer(ADDED_WALK_M, join_style="round", quad_segs=4)
        lanes = union([b.polygon for b in self.green_bands])
        added = shapely.difference(reach, union([self.carriageway, plain, lanes]))
        return self._snug(union([corner, added]))

    def _snug(self, shape: Any) -> Any:
        """Remove slivers, and overlap neighbouring bands by a few centimetres, so that no gap remains."""
        grown = _tidy(shape).buffer(0.03, join_style="mitre")
        return shapely.difference(grown, self.carriageway)

    def _bare(self) -> list[Any]:
        """Carriageways without a sidewalk that should have one."""
        sided = {b.strip.road_id for b in self.walk_bands}
        slow = [b for b in self.road_bands if b.strip.speed_kmh <= WALK_SPEED_KMH]
        bare = [b for b in slow if b.strip.road_id not in sided and not self.is_elevated(b.left).any()]
        shapes = [b.polygon for b in bare]
        near = union(shapes)
        return shapes + [s for s in self.junction_roads.values() if shapes and shapely.dwithin(s, near, 0.5)]

    def _bare_junctions(self, inside: list[Band]) -> list[Any]:
        """Junctions without a sidewalk between roads that have one."""
        sided = {b.strip.junction for b in inside}
        ends = union([b.polygon for b in self.walk_bands])
        return [s for n, s in self.junction_roads.items() if n not in sided and shapely.dwithin(s, ends, 0.5)]

    def _covered(self) -> Any:
        shapes = [*self.junction_roads.values(), *polygons(self.walks)]
        for band in (*self.road_bands, *self.walk_bands, *self.green_bands):
            high = self.is_elevated(band.left) | self.is_elevated(band.right)
            if not high.any():
                shapes.append(band.polygon)
                continue
            for start, stop in runs(~high):
                if stop - start > 1:
                    shapes.append(outline(band.left[start:stop], band.right[start:stop]))
        # Closing seals thin gaps between neighbours, which would otherwise show terrain.
        return union(shapes).buffer(0.05, join_style="mitre").buffer(-0.05, join_style="mitre")

    def ground_border(self) -> tuple[Points, Points]:
        """Points ``(n, 3)`` where terrain meets the network, and 1.0 where a sidewalk ends there, 0.0 for asphalt."""
        ring = shapely.segmentize(self.covered.boundary, 4.0)
        flat = shapely.get_coordinates(ring)
        walks = union([b.polygon for b in self.walk_bands] + polygons(self.walks)).buffer(0.06)
        shapely.prepare(walks)
        paved = shapely.contains_xy(walks, flat[:, 0], flat[:, 1]).astype(float)
        return np.column_stack([flat, self.height(flat)]), paved


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Start and end of each run of True."""
    padded = np.concatenate([[False], flags, [False]]).astype(int)
    change = np.flatnonzero(np.diff(padded))
    return list(zip(change[::2].tolist(), change[1::2].tolist(), strict=True))


def _interpolate(tree: cKDTree, points: Points, flat: Points) -> Points:
    distance, index = tree.query(flat, k=min(6, len(points)))
    z = points[index, 2]
    # Under a bridge the lower road counts: samples far above the lowest neighbour get no weight.
    weight = np.where(z - z.min(axis=1, keepdims=True) < BRIDGE_CLEARANCE_M, 1.0, 0.0) / (distance + 0.05) ** 3
    out: Points = (weight * z).sum(axis=1) / weight.sum(axis=1)
    return out


def _closed(shape: Any, island_m2: float = 110.0) -> Any:
    """The shape with slits sealed and small holes filled; larger islands stay."""
    sealed = shape.buffer(0.6, join_style="mitre").buffer(-0.6, join_style="mitre")
    sealed = union([shape, sealed])
    filled = [
        shapely.Polygon(p.exterior, [r for r in p.interiors if shapely.Polygon(r).area > island_m2])
        for p in polygons(sealed)
    ]
    return union(filled)


def _tidy(shape: Any) -> Any:
    """Remove slivers thinner than half a metre."""
    opened = shape.buffer(-0.25, join_style="mitre").buffer(0.25, join_style="mitre")
    return shapely.intersection(opened, shape)
