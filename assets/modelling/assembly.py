"""Assembly of meshes from parts: transforms, copies, patterned materials, and compound parts such as wheels."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caos.assets.mesh import Material, Mesh, Part, join, rotation, scaling, translation
from caos.assets.modelling.shapes import cylinder, grid_faces, lathe, sweep

Points = NDArray[np.float64]
Pattern = Callable[[Points], Points]
Pieces = Iterable[Mesh | Part]
Parts = list[Mesh | Part]
Rng = np.random.Generator


def whole(pieces: Mesh | Part | Pieces) -> Mesh:
    """Join one piece or many into one mesh."""
    return join([pieces] if isinstance(pieces, (Mesh, Part)) else pieces)


def moved(pieces: Mesh | Part | Pieces, x: float = 0, y: float = 0, z: float = 0) -> Mesh:
    """Translate the pieces by metres."""
    return whole(pieces).transformed(translation(x, y, z))


def turned(
    pieces: Mesh | Part | Pieces, axis: Literal["x", "y", "z"], angle_deg: float, about: Sequence[float] = (0, 0, 0)
) -> Mesh:
    """Rotate the pieces about an axis through the point ``about``."""
    x, y, z = about
    return whole(pieces).transformed(translation(x, y, z) @ rotation(axis, angle_deg) @ translation(-x, -y, -z))


def scaled(pieces: Mesh | Part | Pieces, x: float, y: float | None = None, z: float | None = None) -> Mesh:
    """Scale the pieces about the origin."""
    return whole(pieces).transformed(scaling(x, y, z))


def mirrored(pieces: Mesh | Part | Pieces, axis: Literal["x", "y"] = "y") -> Mesh:
    """Join the pieces with their mirror image across the plane where ``axis`` is zero."""
    mesh = whole(pieces)
    flip = scaling(-1, 1, 1) if axis == "x" else scaling(1, -1, 1)
    return join([mesh, mesh.transformed(flip)])


def ringed(pieces: Mesh | Part | Pieces, count: int, start_deg: float = 0) -> Mesh:
    """Join ``count`` copies of the pieces, spaced evenly around the z axis."""
    mesh = whole(pieces)
    return join([mesh.transformed(rotation("z", start_deg + 360 * i / count)) for i in range(count)])


def rested(mesh: Mesh) -> Mesh:
    """Centre the mesh over the origin with its lowest point on the plane z = 0."""
    low, high = mesh.bounds
    return mesh.transformed(translation(-float(low[0] + high[0]) / 2, -float(low[1] + high[1]) / 2, -float(low[2])))


def tidied(mesh: Mesh) -> Mesh:
    """Remove degenerate triangles (zero area), as at the poles of ellipsoids and the caps of tubes."""
    parts = []
    for part in mesh.parts:
        a, b, c = (part.vertices[part.faces[:, k]].astype(np.float64) for k in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        parts.append(replace(part, faces=part.faces[area > 1e-10]))
    return Mesh(tuple(part for part in parts if len(part.faces)))


def arc(
    center: Sequence[float], radius: float, start_deg: float, end_deg: float, plane: str = "xz", count: int = 12
) -> Points:
    """``(count, 3)`` points on a circle, from the first axis of ``plane`` towards the second."""
    angle = np.radians(np.linspace(start_deg, end_deg, count))
    points = np.tile(np.asarray(center, dtype=np.float64), (count, 1))
    points[:, "xyz".index(plane[0])] += radius * np.cos(angle)
    points[:, "xyz".index(plane[1])] += radius * np.sin(angle)
    return points


def curve(points: ArrayLike, count: int = 16) -> Points:
    """``(count, k)`` points on a smooth curve (Catmull-Rom) through the given ones."""
    p = np.asarray(points, dtype=np.float64)
    padded = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    t = np.linspace(0, len(p) - 1, count)
    i = np.minimum(t.astype(int), len(p) - 2)
    f = (t - i)[:, None]
    a, b, c, d = (padded[i + k] for k in range(4))
    out: Points = 0.5 * (2 * b + (c - a) * f + (2 * a - 5 * b + 4 * c - d) * f**2 + (3 * b - a - 3 * c + d) * f**3)
    return out


def noise3(rng: np.random.Generator, cell_m: float, waves: int = 10) -> Pattern:
    """Smooth random function of position, values about -1..1, with features of about ``cell_m`` metres."""
    direction = rng.normal(size=(waves, 3))
    direction *= (np.pi / cell_m) * rng.uniform(0.6, 1.4, (waves, 1)) / np.linalg.norm(direction, axis=1, keepdims=True)
    phase = rng.uniform(0, 2 * np.pi, waves)

    def value(p: Points) -> Points:
        out: Points = np.sin(p @ direction.T + phase).sum(1) / np.sqrt(waves)
        return out

    return value


def painted(part: Part, material: Material, pattern: Pattern) -> Part:
    """Give the part a ``material`` whose texture is a colour ramp, indexed at vertex p by ``pattern(p)`` in 0..1."""
    p = part.vertices.astype(np.float64)
    u = 0.02 + 0.96 * np.clip(pattern(p), 0, 1)
    uv = np.stack([u, 1.3 * (p[:, 0] + p[:, 1]) + 0.9 * p[:, 2]], 1).astype(np.float32)
    return replace(part, material=material, uv=uv)


def cushion(
    low: ArrayLike, high: ArrayLike, material: Material, *, soft: float = 0.4, detail: int = 20, uv_per_m: float = 1.0
) -> Part:
    """A padded block that fills a box: ``soft`` 0.1 is nearly a box, 1 an ellipsoid."""
    lo, hi = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    theta, phi = np.linspace(-np.pi / 2, np.pi / 2, detail // 2 + 1), np.linspace(-np.pi, np.pi, detail + 1)
    t, p = np.meshgrid(theta, phi, indexing="ij")
    around = _power(np.cos(t), soft)
    unit = np.stack([around * _power(np.cos(p), soft), around * _power(np.sin(p), soft), _power(np.sin(t), soft)], -1)
    vertices = (lo + hi) / 2 + unit * (hi - lo) / 2
    uv = np.stack([vertices[..., 0] + vertices[..., 1], vertices[..., 2] + vertices[..., 1]], -1) * uv_per_m
    faces = grid_faces(detail // 2 + 1, detail + 1)
    return Part(
        vertices.reshape(-1, 3).astype(np.float32), faces, material, uv.reshape(-1, 2).astype(np.float32), smooth=True
    )


def _power(x: Points, exponent: float) -> Points:
    out: Points = np.sign(x) * np.abs(x) ** exponent
    return out


def block(x: float, y: float, z: float, dx: float, dy: float, dz: float, material: Material) -> Part:
    """A box with bevelled edges, of size ``dx, dy, dz``, centred at ``x, y`` with its bottom at ``z``."""
    return slab((x - dx / 2, y - dy / 2, z), (x + dx / 2, y + dy / 2, z + dz), material)


def pad(x: float, y: float, z: float, dx: float, dy: float, dz: float, material: Material, soft: float = 0.35) -> Part:
    """A cushion of size ``dx, dy, dz`` centred at ``x, y`` with its bottom at ``z``."""
    return cushion((x - dx / 2, y - dy / 2, z), (x + dx / 2, y + dy / 2, z + dz), material, soft=soft)


def legs(dx: float, dy: float, height: float, radius: float, material: Material, *, taper: float = 1.0) -> Mesh:
    """Four round legs at the corners of a ``dx`` by ``dy`` rectangle; ``taper`` is the ratio of foot to top radius."""
    one = sweep([(dx / 2, dy / 2, 0), (dx / 2, dy / 2, height)], [radius * taper, radius], material, detail=10)
    return mirrored(mirrored(one), "x")


def wheel(radius: float, width: float, tyre: Material, hub: Material, *, spokes: int = 0) -> Mesh:
    """A wheel about the y axis, centred at the origin: a tyre, and a disc or ``spokes``."""
    r, w = radius, width / 2
    rim = [(0.68 * r, -w), (0.92 * r, -w), (r, -0.55 * w), (r, 0.55 * w), (0.92 * r, w), (0.68 * r, w), (0.68 * r, -w)]
    parts: list[Mesh | Part] = [lathe(rim, tyre, detail=24)]
    if spokes:
        parts.append(cylinder((0, 0, -w * 0.9), (0, 0, w * 0.9), 0.16 * r, hub, detail=10))
        parts.append(ringed(cylinder((0, 0, 0), (0.7 * r, 0, 0), 0.04 * r, hub, detail=6), spokes))
    else:
        parts.append(cylinder((0, 0, -w * 0.7), (0, 0, w * 0.7), 0.7 * r, hub, detail=20))
    return turned(parts, "x", 90)


def slab(low: ArrayLike, high: ArrayLike, material: Material, *, bevel: float = 0.006) -> Part:
    """A box with bevelled edges, which catch highlights; the wood grain runs along the longest side."""
    lo, hi = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    size = hi - lo
    b = min(bevel, float(size.min()) / 5)
    signs, owner, triangles = _slab_topology()
    corner = (lo + hi) / 2 + signs * size / 2
    inset = np.where(np.arange(3) == owner[:, None], 0, b)
    vertices = (corner - signs * inset)[triangles].reshape(-1, 3)
    return Part(
        vertices.astype(np.float32),
        np.arange(len(vertices), dtype=np.int32).reshape(-1, 3),
        material,
        _grain_uv(vertices, np.repeat(owner[triangles[:, 0]], 3), int(np.argmax(size))),
    )


def _grain_uv(vertices: Points, axis: NDArray[np.int64], longest: int) -> NDArray[np.float32]:
    """UV in metres on faces perpendicular to ``axis``, with v along the longest side if the face contains it."""
    uv = np.empty((len(vertices), 2), np.float32)
    for k in range(3):
        first, second = [i for i in range(3) if i != k]
        if first == longest:
            first, second = second, first
        uv[axis == k] = vertices[axis == k][:, [first, second]]
    return uv


@functools.cache
def _slab_topology() -> tuple[Points, NDArray[np.int64], NDArray[np.int64]]:
    """Corner signs ``(24, 3)`` of the vertices, the axis ``(24,)`` normal to their faces, and triangles ``(44, 3)``."""
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    signs, owner = np.repeat(corners, 3, 0), np.tile(np.arange(3), 8)
    rounded = signs - 0.2 * signs * (np.arange(3) != owner[:, None])
    polygons = [[3 * c, 3 * c + 1, 3 * c + 2] for c in range(8)]
    for k in range(3):
        for s in (-1.0, 1.0):
            ring = [3 * c + k for c in range(8) if corners[c, k] == s]
            polygons.append([ring[0], ring[1], ring[3], ring[2]])
    for a in range(8):
        for k in range(3):
            b = a + 4 // 2**k
            if corners[a, k] < 0:
                i, j = [n for n in range(3) if n != k]
                polygons.append([3 * a + i, 3 * a + j, 3 * b + j, 3 * b + i])
    triangles = np.array([t for p in polygons for t in ([p[:3]] if len(p) == 3 else [p[:3], [p[0], p[2], p[3]]])])
    v = rounded[triangles]
    inward = np.einsum("ij,ij->i", np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]), v.mean(1)) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return signs, owner, triangles
