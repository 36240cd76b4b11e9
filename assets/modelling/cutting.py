"""Cutting of meshes: connected components of a mesh, and clipping of a part at an axis-aligned plane."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Mesh, Part

Axis = Literal["x", "y", "z"]
SAME_POINT_DIGITS: Final = 5
"""Decimals, in metres, to which vertex positions are rounded before equal ones count as one vertex."""


def connected(mesh: Mesh) -> Iterator[Part]:
    """Yield the connected components of a mesh, in the order of its parts."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    for part in mesh.parts:
        _, point = np.unique(np.round(part.vertices, SAME_POINT_DIGITS), axis=0, return_inverse=True)
        faces = point.ravel()[part.faces]
        edges = np.concatenate([faces[:, :2], faces[:, 1:]])
        count = int(faces.max()) + 1
        graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
        piece = connected_components(graph, directed=False)[1][faces[:, 0]]
        for number in dict.fromkeys(piece.tolist()):
            yield _kept(part, part.faces[piece == number])


def clipped(part: Part, axis: Axis, at: float, side: Literal[-1, 1]) -> Part | None:
    """Clip a part to one side of a plane; None if nothing remains. The cut is left open (no cap)."""
    height = side * (part.vertices[:, "xyz".index(axis)].astype(np.float64) - at)
    inside = (height >= 0)[part.faces]
    whole = part.faces[inside.all(1)]
    crossing = part.faces[inside.any(1) & ~inside.all(1)]
    if not len(crossing):
        return _kept(part, whole) if len(whole) else None
    vertices, uv, faces = _cut_triangles(part, crossing, height)
    offset = len(part.vertices)
    return _kept(
        replace(
            part,
            vertices=np.concatenate([part.vertices, vertices]).astype(np.float32),
            uv=None if part.uv is None or uv is None else np.concatenate([part.uv, uv]).astype(np.float32),
        ),
        np.concatenate([whole, faces + offset]).astype(np.int32),
    )


def _cut_triangles(
    part: Part, crossing: NDArray[np.int32], height: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.int64]]:
    """Clip the triangles that cross height zero: vertices, texture coordinates and triangles of what lies above."""
    carried = part.vertices if part.uv is None else np.concatenate([part.vertices, part.uv], 1)
    points: list[NDArray[np.float64]] = []
    faces = []
    for triangle in crossing:
        polygon = []
        for a, b in zip(triangle, np.roll(triangle, -1), strict=True):
            if height[a] >= 0:
                polygon.append(carried[a].astype(np.float64))
            if (height[a] >= 0) != (height[b] >= 0):
                share = height[a] / (height[a] - height[b])
                polygon.append((1 - share) * carried[a] + share * carried[b])
        first = len(points)
        points += polygon
        faces += [(first, first + k, first + k + 1) for k in range(1, len(polygon) - 1)]
    made = np.array(points)
    return made[:, :3], None if part.uv is None else made[:, 3:], np.array(faces, np.int64)


def _kept(part: Part, faces: NDArray[np.int32]) -> Part:
    """Part with a subset of its faces and only the vertices that they use."""
    used, renamed = np.unique(faces, return_inverse=True)
    return replace(
        part,
        vertices=part.vertices[used],
        faces=renamed.reshape(-1, 3).astype(np.int32),
        uv=None if part.uv is None else part.uv[used],
    )
