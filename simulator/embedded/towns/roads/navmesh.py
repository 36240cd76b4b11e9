"""A walkers' navigation mesh in the file format that CARLA's client reads (Recast/Detour, one tile).

Layout: an "MSET" container around one Detour tile of version 7. Detour's axes are (x, height, y).
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from caos.simulator.embedded.towns.roads.areas import KERB_HEIGHT, Areas
from caos.simulator.embedded.towns.streetscape.surface_builder import fill, grid_lines, polygons, union, weld

Points = NDArray[np.float64]

SIDEWALK, CROSSWALK = 1, 2
_FLAGS = {SIDEWALK: 2, CROSSWALK: 4}
_CELL_M = 10.0
_MAX_INDEX = 0xFFFF
_AGENT = (1.8, 0.3, 0.5)
"""Height, radius and climb of a walker in metres."""


def walk_navmesh(areas: Areas) -> bytes:
    """Navigation mesh of sidewalks and crossings; empty bytes without any."""
    walk = shapely.simplify(union([b.polygon for b in areas.walk_bands] + polygons(areas.walks)).buffer(0.02), 0.03)
    crossings = union([shapely.Polygon(c[:, :2]).buffer(0.35, join_style="mitre") for c in areas.network.crossings])
    flat, triangles, kinds = _triangles(walk, shapely.difference(crossings, walk))
    if not len(triangles):
        return b""
    shapely.prepare(walk)
    paved = shapely.dwithin(shapely.points(flat), walk, 0.01)
    vertices = np.column_stack([flat, areas.height(flat) + np.where(paved, KERB_HEIGHT, 0.02)])
    return encode(vertices, triangles, kinds)


def _triangles(walk: Any, crossing: Any) -> tuple[Points, NDArray[np.int32], NDArray[np.int64]]:
    """Triangles that share whole edges, and the area of each.

    All borders are cut at each other first, so neighbours meet vertex to vertex.
    """
    whole = union([walk, crossing])
    if whole.is_empty:
        return np.zeros((0, 2)), np.zeros((0, 3), np.int32), np.zeros(0, np.int64)
    x0, y0, x1, y1 = whole.bounds
    cuts = [shapely.LineString([(x, y0 - 1), (x, y1 + 1)]) for x in grid_lines(x0, x1, _CELL_M)]
    cuts += [shapely.LineString([(x0 - 1, y), (x1 + 1, y)]) for y in grid_lines(y0, y1, _CELL_M)]
    inner = shapely.intersection(shapely.MultiLineString(cuts), whole)
    borders = [walk.boundary, crossing.boundary, inner]
    pieces = list(shapely.polygonize([shapely.union_all(borders, grid_size=1e-3)]).geoms)
    shapely.prepare(whole)
    flats, faces, count = [], [], 0
    for piece in pieces:
        if not whole.contains(piece.representative_point()):
            continue
        flat, triangles = fill(piece)
        flats.append(flat)
        faces.append(triangles + count)
        count += len(flat)
    if not faces:
        return np.zeros((0, 2)), np.zeros((0, 3), np.int32), np.zeros(0, np.int64)
    flat, joined = weld(np.concatenate(flats), np.concatenate(faces))
    middle = flat[joined].mean(axis=1)
    paved = shapely.contains_xy(walk, middle[:, 0], middle[:, 1])
    return flat, joined, np.where(paved, SIDEWALK, CROSSWALK).astype(np.int64)


def encode(vertices: Points, triangles: NDArray[np.int32], areas: NDArray[np.int64]) -> bytes:
    """Encode triangles as a navigation mesh file; triangles beyond the 16-bit index limit are dropped."""
    # Detour's polygons have the opposite winding order of our upward triangles.
    triangles = triangles[: _MAX_INDEX - 1, ::-1]
    keep = np.flatnonzero((triangles < _MAX_INDEX).all(axis=1))
    triangles, areas = triangles[keep], areas[keep]
    neighbours = _neighbours(triangles)
    polygons_, details, corners = bytearray(), bytearray(), bytearray()
    for i, (row, near, area) in enumerate(zip(triangles.tolist(), neighbours.tolist(), areas.tolist(), strict=True)):
        polygons_ += struct.pack("<I6H6HHBB", 0xFFFFFFFF, *row, 0, 0, 0, *near, 0, 0, 0, _FLAGS[area], 3, area)
        details += struct.pack("<IIBBxx", 0, i, 0, 1)
        # All three edges of the detail triangle are borders; without these bits the client crashes.
        corners += bytes([0, 1, 2, 0x01 | 0x04 | 0x10])
    links = int((neighbours > 0).sum())
    low, high = vertices.min(axis=0) - np.array([0, 0, 1]), vertices.max(axis=0) + np.array([0, 0, 3])
    box = (low[0], low[2], low[1], high[0], high[2], high[1])
    n = len(triangles)
    header = struct.pack(
        "<4siiiiIiiiiiiiii3f3f3ff",
        b"VAND",
        7,
        0,
        0,
        0,
        0,
        n,
        len(vertices),
        links,
        n,
        0,
        n,
        0,
        0,
        n,
        *_AGENT,
        *box,
        0.0,
    )
    points = vertices[:, [0, 2, 1]].astype("<f4").tobytes()
    data = header + points + bytes(polygons_) + bytes(12 * links) + bytes(details) + bytes(corners)
    bits = max(1, (n - 1).bit_length())
    params = struct.pack("<3f2f2i", *box[:3], box[3] - box[0], box[5] - box[2], 1, 1 << bits)
    return struct.pack("<4sii", b"TESM", 1, 1) + params + struct.pack("<Ii", 1 << bits, len(data)) + data


def _neighbours(triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each edge ``(n, 3)`` the index of the triangle beyond it plus one, 0 at a border."""
    owner = {}
    for i, (a, b, c) in enumerate(triangles.tolist()):
        owner[a, b] = owner[b, c] = owner[c, a] = i + 1
    rows = [[owner.get((b, a), 0), owner.get((c, b), 0), owner.get((a, c), 0)] for a, b, c in triangles.tolist()]
    return np.array(rows, np.int64).reshape(-1, 3)
