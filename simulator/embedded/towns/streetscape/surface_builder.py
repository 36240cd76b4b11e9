"""Surface builder: collects triangles by finish and tag, and triangulates polygons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part
from caos.assets.modelling.shapes import triangulate
from caos.assets.street.canvas import Finish

Points = NDArray[np.float64]
Faces = NDArray[np.int32]
Height = Callable[[Points], Points]


class SurfaceBuilder:
    """Triangles grouped by finish, tag and smoothness."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, int, bool], tuple[Finish, list[tuple[Points, Faces, Points]]]] = {}

    def add(
        self,
        finish: Finish,
        tag: int,
        vertices: Points,
        faces: Faces,
        uv_m: Points | None = None,
        *,
        smooth: bool = False,
    ) -> None:
        """Add triangles; ``uv_m`` are metres along the surface, by default world x and y."""
        if not len(faces):
            return
        uv = (vertices[:, :2] if uv_m is None else uv_m) / finish.tile_m
        self._rows.setdefault((id(finish.material), tag, smooth), (finish, []))[1].append((vertices, faces, uv))

    def grid(self, finish: Finish, tag: int, rows: Points, uv_m: Points | None = None, *, smooth: bool = False) -> None:
        """Add a grid ``(n, k, 3)``; it faces up when columns run to the right of the rows' direction."""
        n, k = rows.shape[:2]
        a = (np.arange(n - 1)[:, None] * k + np.arange(k - 1)[None]).ravel()
        faces = np.concatenate([np.stack([a, a + k, a + k + 1], 1), np.stack([a, a + k + 1, a + 1], 1)]).astype(
            np.int32
        )
        self.add(finish, tag, rows.reshape(-1, 3), faces, None if uv_m is None else uv_m.reshape(-1, 2), smooth=smooth)

    def mesh(self) -> Mesh:
        """Return everything collected as a mesh, one part per finish, tag and smoothness."""
        parts = []
        for (_, tag, smooth), (finish, pieces) in self._rows.items():
            offsets = np.cumsum([0, *(len(v) for v, _, _ in pieces[:-1])])
            parts.append(
                Part(
                    np.concatenate([v for v, _, _ in pieces]).astype(np.float32),
                    np.concatenate([f + o for (_, f, _), o in zip(pieces, offsets, strict=True)]).astype(np.int32),
                    finish.material,
                    np.concatenate([u for _, _, u in pieces]).astype(np.float32),
                    smooth,
                    tag,
                )
            )
        return Mesh(tuple(parts))


def polygons(shape: Any) -> list[Any]:
    """Polygons of any shapely geometry, without slivers."""
    parts = shapely.get_parts(shapely.get_parts(shape, return_index=False))
    return [p for p in np.atleast_1d(parts) if p.geom_type == "Polygon" and p.area > 1e-4]


def fill(shape: Any, lines: tuple[Points, Points] | None = None) -> tuple[Points, Faces]:
    """Triangulate polygons, cut along grid ``lines`` (x values, y values), with shared vertices.

    Returns:
        Points ``(n, 2)`` and upward triangles ``(m, 3)``.
    """
    pieces = polygons(shape) if lines is None else _cut(shape, *lines)
    vertices: list[Points] = []
    faces: list[Faces] = []
    count = 0
    for piece in pieces:
        flat, triangles = triangulate(
            np.asarray(piece.exterior.coords)[:-1], [np.asarray(r.coords)[:-1] for r in piece.interiors]
        )
        vertices.append(flat)
        faces.append(triangles + count)
        count += len(flat)
    if not faces:
        return np.zeros((0, 2)), np.zeros((0, 3), np.int32)
    return weld(np.concatenate(vertices), np.concatenate(faces))


def _cut(shape: Any, xs: Points, ys: Points) -> list[Any]:
    x0, y0 = np.meshgrid(xs[:-1], ys[:-1], indexing="ij")
    x1, y1 = np.meshgrid(xs[1:], ys[1:], indexing="ij")
    boxes = shapely.box(x0.ravel(), y0.ravel(), x1.ravel(), y1.ravel())
    shapely.prepare(shape)
    inside = shapely.contains_properly(shape, boxes)
    touching = shapely.intersects(shape, boxes) & ~inside
    cut = shapely.intersection(boxes[touching], shape)
    return list(boxes[inside]) + [p for row in cut for p in polygons(row)]


def weld(vertices: Points, faces: Faces) -> tuple[Points, Faces]:
    """Merge equal vertices; degenerate triangles are dropped."""
    keys, index = np.unique(np.round(vertices, 4), axis=0, return_inverse=True)
    joined = index.reshape(-1)[faces].astype(np.int32)
    whole = (joined[:, 0] != joined[:, 1]) & (joined[:, 1] != joined[:, 2]) & (joined[:, 0] != joined[:, 2])
    return keys, joined[whole]


def grid_lines(low: float, high: float, cell: float) -> Points:
    """Grid lines at multiples of ``cell`` that cover an interval."""
    return np.arange(np.floor(low / cell), np.ceil(high / cell) + 1) * cell


def lifted(flat: Points, height: Height, offset: float = 0.0) -> Points:
    """Add heights to points ``(n, 2)``."""
    return np.column_stack([flat, height(flat) + offset])


def ring_walls(shape: Any, top: Height, rise: float, drop: float) -> tuple[Points, Faces, Points]:
    """Vertical walls around polygons, facing outwards, from ``rise`` above to ``drop`` below the height function.

    Returns:
        Vertices, faces, and UV in metres (along, up).
    """
    vertices, faces, uv, count = [], [], [], 0
    for polygon in polygons(shape):
        oriented = shapely.geometry.polygon.orient(polygon)
        for ring in (oriented.exterior, *oriented.interiors):
            flat = np.asarray(shapely.segmentize(ring, 3.0).coords)
            z = top(flat)
            along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(flat, axis=0), axis=1))])
            n = len(flat)
            vertices.append(np.concatenate([np.column_stack([flat, z - drop]), np.column_stack([flat, z + rise])]))
            a = np.arange(n - 1)
            faces.append(
                np.concatenate([np.stack([a, a + 1, a + 1 + n], 1), np.stack([a, a + 1 + n, a + n], 1)]) + count
            )
            uv.append(np.concatenate([np.stack([along, np.full(n, -drop)], 1), np.stack([along, np.full(n, rise)], 1)]))
            count += 2 * n
    if not faces:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros((0, 2))
    return np.concatenate(vertices), np.concatenate(faces).astype(np.int32), np.concatenate(uv)


def union(shapes: Sequence[Any]) -> Any:
    """The valid union of polygons."""
    valid = [s if s.is_valid else s.buffer(0) for s in shapes]
    return shapely.union_all(valid, grid_size=1e-4) if valid else shapely.Polygon()
