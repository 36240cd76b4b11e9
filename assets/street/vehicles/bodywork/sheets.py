"""Curved sheets with drawings on them, so that body panels, windows and lamps form one surface without gaps.

A sheet maps a flat rectangle (its chart, in metres) into space. Regions are drawn on the chart as polygons; the chart
is cut along grid lines and region borders, so that borders are sharp and the surface stays closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from caos.assets.mesh import Material, Part, scaling

Points = NDArray[np.float64]
Lift = Callable[[Points, Points], Points]
_SLIVER_M2 = 1e-10


@dataclass(frozen=True, eq=False)
class Region:
    """A drawing on a chart: everything inside ``shape`` has ``material``; later regions cover earlier ones."""

    shape: Any
    material: Material


@dataclass(frozen=True, eq=False)
class Sheet:
    """Mapping of a rectangle (the chart) to a curved surface in space.

    Attributes:
        lift: Maps chart coordinates ``a`` and ``b``, both ``(n,)``, to points ``(n, 3)``; outward is ``da x db``.
        a_lines: Ascending grid lines across the first coordinate.
        b_lines: Ascending grid lines across the second.
    """

    lift: Lift
    a_lines: Points
    b_lines: Points

    def skin(self, base: Material, regions: Sequence[Region] = (), holes: Any = None) -> list[Part]:
        """The sheet as smooth parts, one for each material; ``holes`` (a polygon) is left out."""
        cells = self._cells()
        free = shapely.box(self.a_lines[0], self.b_lines[0], self.a_lines[-1], self.b_lines[-1])
        if holes is not None:
            free = free.difference(holes)
        pieces: dict[int, tuple[Material, list[Any]]] = {}
        for region in reversed(regions):
            shape = region.shape.buffer(0)
            pieces.setdefault(id(region.material), (region.material, []))[1].append(free.intersection(shape))
            free = free.difference(shape)
        pieces.setdefault(id(base), (base, []))[1].append(free)
        parts = [self._mesh(cells, shapes, material) for material, shapes in pieces.values()]
        return [part for part in parts if len(part.faces)]

    def _cells(self) -> NDArray[np.object_]:
        a, b = self.a_lines, self.b_lines
        a0, b0 = np.meshgrid(a[:-1], b[:-1], indexing="ij")
        a1, b1 = np.meshgrid(a[1:], b[1:], indexing="ij")
        out: NDArray[np.object_] = shapely.box(a0.ravel(), b0.ravel(), a1.ravel(), b1.ravel())
        return out

    def _mesh(self, cells: NDArray[np.object_], shapes: Sequence[Any], material: Material) -> Part:
        flat: list[Points] = []
        faces: list[NDArray[np.int64]] = []
        count = 0
        for shape in shapes:
            whole, cut = _clipped(cells, shape)
            for points, triangles in (_fill_boxes(whole), *(_fill(polygon) for polygon in cut)):
                flat.append(points)
                faces.append(triangles + count)
                count += len(points)
        if not count:
            return Part(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32), material, smooth=True)
        chart: Points = np.round(np.concatenate(flat), 6).astype(np.float64)
        points = self.lift(chart[:, 0], chart[:, 1])
        return weld(Part(points.astype(np.float32), np.concatenate(faces).astype(np.int32), material, smooth=True))


def _clipped(cells: NDArray[np.object_], shape: Any) -> tuple[NDArray[np.object_], list[Any]]:
    """Cells of the grid inside a shape, and the clipped polygons of those on its border."""
    if shape.is_empty:
        return cells[:0], []
    shapely.prepare(shape)
    whole = shapely.contains_properly(shape, cells) | shapely.covers(shape, cells)
    cut = shapely.intersects(shape, cells) & ~whole
    pieces = shapely.get_parts(shapely.intersection(cells[cut], shape))
    polygons = [p for p in pieces if p.geom_type == "Polygon" and p.area > _SLIVER_M2]
    return cells[whole], polygons


def _fill_boxes(boxes: NDArray[np.object_]) -> tuple[Points, NDArray[np.int64]]:
    """Vertices and counter-clockwise triangles of many boxes."""
    low_a, low_b, high_a, high_b = shapely.bounds(boxes).T.reshape(4, -1)
    corners = [(low_a, low_b), (high_a, low_b), (high_a, high_b), (low_a, high_b)]
    points = np.stack([np.stack(corner, 1) for corner in corners], 1).reshape(-1, 2)
    quads = 4 * np.arange(len(boxes))[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])
    return points, quads.reshape(-1, 3)


def _fill(polygon: Any) -> tuple[Points, NDArray[np.int64]]:
    """Vertices and counter-clockwise triangles of one polygon."""
    import mapbox_earcut

    rings = [np.asarray(r.coords)[:-1] for r in (polygon.exterior, *polygon.interiors)]
    flat = np.concatenate(rings)
    ends = np.cumsum([len(r) for r in rings]).astype(np.uint32)
    triangles = mapbox_earcut.triangulate_float64(flat, ends).reshape(-1, 3).astype(np.int64)
    u, v = flat[triangles[:, 1]] - flat[triangles[:, 0]], flat[triangles[:, 2]] - flat[triangles[:, 0]]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    triangles[area < 0] = triangles[area < 0][:, ::-1]
    return flat, triangles


def weld(part: Part, *, tolerance_m: float = 2e-4) -> Part:
    """The part with coincident vertices merged (normals flow across) and collapsed triangles removed."""
    keys = np.round(part.vertices / tolerance_m).astype(np.int64)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = inverse.reshape(-1)[part.faces].astype(np.int32)
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return replace(part, vertices=part.vertices[first], faces=faces[distinct], uv=None)


def mirrored(part: Part) -> Part:
    """The part reflected to the other side of the vehicle."""
    return part.transformed(scaling(1, -1, 1))


def both_sides(parts: Sequence[Part]) -> list[Part]:
    """The parts of the right half and their mirror images, welded along the middle."""
    out = []
    for part in parts:
        other = mirrored(part)
        vertices = np.concatenate([part.vertices, other.vertices])
        faces = np.concatenate([part.faces, other.faces + len(part.vertices)]).astype(np.int32)
        out.append(weld(replace(part, vertices=vertices, faces=faces, uv=None)))
    return out


def spread_lines(points: Points, *, step_m: float, turn_deg: float) -> Points:
    """Arc lengths of grid lines along a polyline, closer together where it bends."""
    steps = np.diff(points, axis=0)
    length = np.linalg.norm(steps, axis=1)
    heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    turn = np.abs(np.diff(heading, prepend=heading[0]))
    weight = np.concatenate([[0], np.cumsum(length / step_m + np.degrees(turn) / turn_deg)])
    arc = np.concatenate([[0], np.cumsum(length)])
    count = max(int(np.ceil(weight[-1])), 4)
    return np.asarray(np.interp(np.linspace(0, weight[-1], count + 1), weight, arc))
