"""Primitive shapes for procedural meshes: boxes, sweeps, surfaces of revolution, lofts, extrusions, implicit surfaces.

Every function returns one :class:`~caos.assets.mesh.Part` whose faces point outward. ``detail`` is the number of
segments around.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caos.assets.mesh import Material, Part

Points = NDArray[np.float64]
Distance = Callable[[Points], Points]


def _part(
    vertices: ArrayLike, faces: ArrayLike, material: Material, uv: ArrayLike | None = None, *, smooth: bool = False
) -> Part:
    return Part(
        np.asarray(vertices, dtype=np.float32).reshape(-1, 3),
        np.asarray(faces, dtype=np.int32).reshape(-1, 3),
        material,
        None if uv is None else np.asarray(uv, dtype=np.float32).reshape(-1, 2),
        smooth,
    )


def grid_faces(rows: int, columns: int, *, wrap: bool = False) -> NDArray[np.int32]:
    """Triangles over a row-major grid of vertices; ``wrap`` joins the last column to the first.

    The outward normal is the numeric cross product of the column step and the row step.
    """
    span = columns if wrap else columns - 1
    r, c = np.meshgrid(np.arange(rows - 1), np.arange(span), indexing="ij")
    a = (r * columns + c).ravel()
    b = (r * columns + (c + 1) % columns).ravel()
    return np.concatenate([np.stack([a, b, b + columns], 1), np.stack([a, b + columns, a + columns], 1)]).astype(
        np.int32
    )


def quad(corner: ArrayLike, edge_u: ArrayLike, edge_v: ArrayLike, material: Material, *, uv_per_m: float = 1.0) -> Part:
    """A parallelogram that faces along ``edge_u x edge_v``; UV in metres times ``uv_per_m``."""
    p, u, v = (np.asarray(a, dtype=np.float64) for a in (corner, edge_u, edge_v))
    lu, lv = (float(np.linalg.norm(edge)) * uv_per_m for edge in (u, v))
    return _part(
        np.stack([p, p + u, p + u + v, p + v]),
        [[0, 1, 2], [0, 2, 3]],
        material,
        np.array([[0, 0], [lu, 0], [lu, lv], [0, lv]]),
    )


def box(low: ArrayLike, high: ArrayLike, material: Material, *, uv_per_m: float = 1.0) -> Part:
    """An axis-aligned box with flat faces and metric UV on each."""
    lo, hi = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    dx, dy, dz = np.diag(hi - lo)
    faces = [
        quad(lo, dy, dx, material, uv_per_m=uv_per_m),
        quad(lo + dz, dx, dy, material, uv_per_m=uv_per_m),
        quad(lo, dx, dz, material, uv_per_m=uv_per_m),
        quad(lo + dx + dy, -dx, dz, material, uv_per_m=uv_per_m),
        quad(lo + dx, dy, dz, material, uv_per_m=uv_per_m),
        quad(lo + dy, -dy, dz, material, uv_per_m=uv_per_m),
    ]
    vertices = np.concatenate([f.vertices for f in faces])
    triangles = np.concatenate([f.faces + 4 * i for i, f in enumerate(faces)])
    return _part(vertices, triangles, material, np.concatenate([f.uv for f in faces if f.uv is not None]))


def rounded_box(low: ArrayLike, high: ArrayLike, radius: float, material: Material, *, detail: int = 3) -> Part:
    """A box with all edges rounded by ``radius``: cushions, appliances, cases."""
    lo, hi = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    r = min(radius, float((hi - lo).min()) / 2 * 0.999)
    part = ellipsoid((0, 0, 0), (1, 1, 1), material, detail=8 * detail, rings=4 * detail)
    unit = part.vertices.astype(np.float64)
    # The epsilon sends the poles' and equator's exact zeros to one side, so the flat faces stay closed.
    inner = np.where(unit + 1e-9 * np.array([1, 1, 1]) > 0, hi - r, lo + r)
    vertices = inner + unit * r
    uv = np.stack([vertices[:, 0] + vertices[:, 1], vertices[:, 2] + vertices[:, 1]], 1)
    return _part(vertices, part.faces, material, uv, smooth=True)


def ellipsoid(
    center: ArrayLike, radii: ArrayLike, material: Material, *, detail: int = 24, rings: int | None = None
) -> Part:
    """A smooth ellipsoid; u runs around the z axis, v from bottom to top."""
    rows = (rings or detail // 2) + 1
    theta = np.linspace(-np.pi / 2, np.pi / 2, rows)
    phi = np.linspace(0, 2 * np.pi, detail + 1)
    t, p = np.meshgrid(theta, phi, indexing="ij")
    unit = np.stack([np.cos(t) * np.cos(p), np.cos(t) * np.sin(p), np.sin(t)], -1)
    vertices = np.asarray(center) + unit * np.asarray(radii)
    uv = np.stack([p / (2 * np.pi), (t / np.pi) + 0.5], -1)
    return _part(vertices, grid_faces(rows, detail + 1), material, uv, smooth=True)


def lathe(profile: ArrayLike, material: Material, *, detail: int = 32, smooth: bool = True) -> Part:
    """Surface of revolution about z of a profile of ``(radius, z)`` points, listed from bottom to top."""
    p = np.asarray(profile, dtype=np.float64)
    phi = np.linspace(0, 2 * np.pi, detail + 1)
    ring = np.stack([np.cos(phi), np.sin(phi)], -1)
    vertices = np.concatenate([p[:, None, :1] * ring[None], np.repeat(p[:, None, 1:], detail + 1, 1)], -1)
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    uv = np.stack(np.broadcast_arrays(phi / (2 * np.pi), along[:, None]), -1)
    return _part(vertices, grid_faces(len(p), detail + 1), material, uv, smooth=smooth)


def cylinder(base: ArrayLike, top: ArrayLike, radius: float, material: Material, *, detail: int = 20) -> Part:
    """A closed cylinder between two points, with sharp rims."""
    return sweep([base, base, top, top], [0, radius, radius, 0], material, detail=detail, smooth=False)


def capsule(base: ArrayLike, top: ArrayLike, radius: float, material: Material, *, detail: int = 16) -> Part:
    """A cylinder with hemispheres on both ends: limbs, handles, the piping of cushions."""
    a, b = np.asarray(base, dtype=np.float64), np.asarray(top, dtype=np.float64)
    axis = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    turn = np.linspace(0, np.pi / 2, 6)
    points = [a - axis * radius * np.cos(t) for t in turn] + [b + axis * radius * np.sin(t) for t in turn]
    radii = [radius * float(np.sin(t)) for t in turn] + [radius * float(np.cos(t)) for t in turn]
    return sweep(points, radii, material, detail=detail)


def sweep(
    path: Sequence[ArrayLike] | ArrayLike,
    radii: ArrayLike,
    material: Material,
    *,
    detail: int = 12,
    smooth: bool = True,
    caps: bool = True,
) -> Part:
    """A tube along a path of points with a radius at each: pipes, legs, branches, horns."""
    points = np.asarray(path, dtype=np.float64)
    radius = np.broadcast_to(np.asarray(radii, dtype=np.float64), (len(points),))
    frames = _frames(points)
    phi = np.linspace(0, 2 * np.pi, detail + 1)
    circle = np.cos(phi)[:, None] * frames[:, None, 0] + np.sin(phi)[:, None] * frames[:, None, 1]
    rings = points[:, None] + radius[:, None, None] * circle
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    uv = np.stack(np.broadcast_arrays(phi / (2 * np.pi), along[:, None]), -1)
    if caps:
        rings = np.concatenate(
            [np.repeat(points[:1, None], detail + 1, 1), rings, np.repeat(points[-1:, None], detail + 1, 1)]
        )
        uv = np.concatenate([uv[:1], uv, uv[-1:]])
    return _part(rings, grid_faces(len(rings), detail + 1), material, uv, smooth=smooth)


def _frames(points: Points) -> Points:
    """Two unit vectors normal to the path at each point, ``u x v`` along it, with least rotation between points."""
    steps = np.diff(points, axis=0)
    moving = np.linalg.norm(steps, axis=1) > 1e-9
    if not moving.any():
        raise ValueError("a sweep needs at least two different points")
    filled = steps.copy()
    movers = np.flatnonzero(moving)
    for still in np.flatnonzero(~moving):
        filled[still] = steps[movers[np.argmin(np.abs(movers - still))]]
    filled /= np.linalg.norm(filled, axis=1, keepdims=True)
    tangents = np.concatenate([filled[:1], filled[:-1] + filled[1:], filled[-1:]])
    tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-9)
    u = np.cross(tangents[0], (0, 0, 1) if abs(tangents[0, 2]) < 0.9 else (1, 0, 0))
    out = np.empty((len(points), 2, 3))
    for i, t in enumerate(tangents):
        u = u - t * (u @ t)
        u = u / max(float(np.linalg.norm(u)), 1e-9)
        out[i] = u, np.cross(t, u)
    return out


def loft(
    sections: ArrayLike, material: Material, *, closed: bool = True, caps: bool = True, smooth: bool = True
) -> Part:
    """Lofted surface through cross-sections ``(k, n, 3)``: car bodies, hulls, fuselages.

    Each section lists its points counter-clockwise as seen from the next section (numeric cross product towards the
    next one); ``closed`` joins the last point of a section to its first.
    """
    s = np.asarray(sections, dtype=np.float64)
    if closed:
        s = np.concatenate([s, s[:, :1]], 1)
    k, n = s.shape[:2]
    if caps:
        s = np.concatenate(
            [np.repeat(s[:1].mean(1, keepdims=True), n, 1), s, np.repeat(s[-1:].mean(1, keepdims=True), n, 1)]
        )
        k += 2
    around = np.concatenate([np.zeros((k, 1)), np.cumsum(np.linalg.norm(np.diff(s, axis=1), axis=2), 1)], 1)
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(s.mean(1), axis=0), axis=1))])
    uv = np.stack(np.broadcast_arrays(around, along[:, None]), -1)
    return _part(s, grid_faces(k, n), material, uv, smooth=smooth)


def extrude(outline: ArrayLike, low: float, high: float, material: Material, *, uv_per_m: float = 1.0) -> Part:
    """A prism over a simple polygon ``(n, 2)`` in x and y, from height ``low`` to ``high``, with caps."""
    from shapely.geometry import Polygon, polygon

    ring = np.asarray(polygon.orient(Polygon(np.asarray(outline))).exterior.coords, dtype=np.float64)
    edges = np.linalg.norm(np.diff(ring, axis=0), axis=1)
    starts = np.concatenate([[0], np.cumsum(edges)])
    vertices, faces, uv = [], [], []
    for i, (a, b) in enumerate(itertools.pairwise(ring)):
        vertices += [[*a, low], [*b, low], [*b, high], [*a, high]]
        faces += [[4 * i, 4 * i + 1, 4 * i + 2], [4 * i, 4 * i + 2, 4 * i + 3]]
        uv += [[starts[i], low], [starts[i + 1], low], [starts[i + 1], high], [starts[i], high]]
    flat, triangles = triangulate(ring[:-1])
    base = len(vertices)
    for z, turn in ((high, 1), (low, -1)):
        vertices += [[*p, z] for p in flat]
        uv += [list(p) for p in flat]
        faces += (triangles[:, ::turn] + base).tolist()
        base += len(flat)
    return _part(vertices, faces, material, np.asarray(uv) * uv_per_m)


def triangulate(outline: ArrayLike, holes: Sequence[ArrayLike] = ()) -> tuple[Points, NDArray[np.int32]]:
    """Triangulate a polygon with holes: vertices ``(n, 2)`` and counter-clockwise triangles ``(m, 3)``."""
    import mapbox_earcut
    from shapely.geometry import Polygon, polygon

    shape = polygon.orient(Polygon(np.asarray(outline), [np.asarray(h) for h in holes]))
    rings = [np.asarray(r.coords)[:-1] for r in (shape.exterior, *shape.interiors)]
    flat = np.concatenate(rings)
    ends = np.cumsum([len(r) for r in rings]).astype(np.uint32)
    triangles = mapbox_earcut.triangulate_float64(flat, ends).reshape(-1, 3).astype(np.int32)
    a, b, c = (flat[triangles[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    triangles[area < 0] = triangles[area < 0][:, ::-1]
    return flat, triangles


def blob(distance: Distance, low: ArrayLike, high: ArrayLike, material: Material, *, cell_m: float = 0.02) -> Part:
    """The surface where a distance function is zero (negative inside), by marching cubes: animals, people, rocks.

    Args:
        distance: Maps points ``(n, 3)`` to ``(n,)`` signed distances in metres.
        low: Lowest corner of the region searched.
        high: Highest corner.
        material: Material of the part; UV is a box projection in metres.
        cell_m: Size of a cell; features thinner than it vanish.
    """
    from skimage.measure import marching_cubes

    lo, hi = np.asarray(low, dtype=np.float64) - 2 * cell_m, np.asarray(high, dtype=np.float64) + 2 * cell_m
    axes = [np.arange(a, b + cell_m, cell_m) for a, b in zip(lo, hi, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    field = distance(grid.reshape(-1, 3)).reshape(grid.shape[:3])
    vertices, faces, _, _ = marching_cubes(field.astype(np.float32), 0.0, spacing=(cell_m,) * 3)
    vertices = vertices + lo
    uv = np.stack([vertices[:, 0] + vertices[:, 1], vertices[:, 2]], 1)
    part = _part(vertices, faces, material, uv, smooth=True)
    return _outward(part)


def _outward(part: Part) -> Part:
    """Orient the faces of a closed part outward, so that its signed volume is positive."""
    a, b, c = (part.vertices[part.faces[:, k]].astype(np.float64) for k in range(3))
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())
    return part if volume >= 0 else Part(part.vertices, part.faces[:, ::-1].copy(), part.material, part.uv, part.smooth)


def _lengths(vectors: Points) -> Points:
    """Lengths of vectors ``(n, 3)``; ``np.linalg.norm`` takes several times as long for so few components."""
    out: Points = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return out


def rod(start: ArrayLike, end: ArrayLike, radius_start: float, radius_end: float | None = None) -> Distance:
    """Distance to a round cone from ``start`` to ``end``: a limb for :func:`blob`."""
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    r1 = radius_start if radius_end is None else radius_end

    axis = b - a
    length_2 = max(float(axis @ axis), 1e-12)

    def distance(p: Points) -> Points:
        away = p - a
        t = np.clip((away @ axis) / length_2, 0, 1)
        gap: Points = _lengths(away - t[:, None] * axis) - (radius_start + t * (r1 - radius_start))
        return gap

    return distance


def ball(center: ArrayLike, radii: ArrayLike) -> Distance:
    """Approximate distance to an ellipsoid, for :func:`blob`."""
    c = np.asarray(center, dtype=np.float64)
    r = np.broadcast_to(np.asarray(radii, dtype=np.float64), (3,))

    def distance(p: Points) -> Points:
        out: Points = (_lengths((p - c) / r) - 1) * float(r.min())
        return out

    return distance


def blend(*shapes: Distance, softness: float = 0.05) -> Distance:
    """Smooth union of distance functions, blended over about ``softness`` metres."""

    def distance(p: Points) -> Points:
        total = shapes[0](p)
        for shape in shapes[1:]:
            other = shape(p)
            h = np.clip(0.5 + 0.5 * (other - total) / softness, 0, 1)
            total = other * (1 - h) + total * h - softness * h * (1 - h)
        return total

    return distance
