"""Logs, fallen branches and mushrooms."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Points, Rng, curve, moved, noise3, painted, scaled, whole
from caos.assets.modelling.bodies import Body
from caos.assets.modelling.shapes import ellipsoid, lathe, sweep


def _bark(rng: Rng) -> Material:
    return f.fur(rng, (98, 78, 58), 0.75)


def repeated_around(part: Part, times: float) -> np.ndarray:
    """Repeat the texture ``times`` around by scaling u."""
    assert part.uv is not None
    return part.uv * np.array((times, 1), np.float32)


def _trunk(rng: Rng, path: np.ndarray, radii: np.ndarray, *, rough: float = 0.08) -> Parts:
    """A log along a path with rough bark and pale cut ends."""
    skin = sweep(path, radii, _bark(rng), detail=22, caps=False)
    wobble = noise3(rng, 0.16)
    v = skin.vertices.astype(np.float64)
    axis = np.repeat(path, 23, 0)
    v = axis + (v - axis) * (1 + rough * wobble(v))[:, None]
    log_skin = Part(v.astype(np.float32), skin.faces, skin.material, repeated_around(skin, 3), smooth=True)
    ring = f.from_image("end grain", _rings(rng))
    rows = v.reshape(len(path), 23, 3)
    ends: Parts = []
    for k, order in ((0, -1), (-1, 1)):
        loop, center = rows[k][:-1], rows[k][:-1].mean(0)
        points = np.concatenate([loop, center[None]])
        faces = np.array([(i, (i + 1) % 22, 22) for i in range(22)])[:, ::order]
        a = np.linspace(0, 2 * np.pi, 22, endpoint=False)
        uv = np.concatenate([0.5 + 0.48 * np.stack([np.cos(a), np.sin(a)], 1), [[0.5, 0.5]]])
        ends.append(Part(points.astype(np.float32), faces.astype(np.int32), ring, uv.astype(np.float32)))
    return [log_skin, *ends]


def _rings(rng: Rng) -> np.ndarray:
    y, x = np.mgrid[-1:1:96j, -1:1:96j]
    wave = 0.5 + 0.5 * np.sin(46 * np.hypot(x + 0.03, y) + 1.5 * rng.random())
    dark, light = np.array([0.3, 0.17, 0.08]), np.array([0.58, 0.4, 0.22])
    out: np.ndarray = (dark + wave[..., None] * (light - dark)).astype(np.float32)
    return out


@kind(4)
def log(variant: int, rng: Rng) -> Mesh:
    """A felled trunk, a pile of firewood, a hollow mossy log, a birch log with branch stubs."""
    if variant == 1:
        parts: Parts = []
        for row in range(4):
            for i in range(5 - row):
                x = (i - (4 - row) / 2) * 0.25
                r = float(rng.uniform(0.1, 0.125))
                path = np.array(
                    [
                        (x, -0.5, r + row * 0.21),
                        (x, 0, r + row * 0.21),
                        (x, 0.5 + float(rng.uniform(-0.05, 0.05)), r + row * 0.21),
                    ]
                )
                parts += _trunk(rng, path, np.full(3, r), rough=0.03)
        return whole(parts)
    length, radius = ((3.2, 0.28), (0, 0), (2.2, 0.38), (2.0, 0.2))[variant]
    path = curve([(-length / 2, 0, radius), (0, 0.08, radius), (length / 2, 0.0, radius)], 14)
    parts = _trunk(rng, path, np.linspace(radius, radius * 0.82, 14))
    if variant == 2:
        moss = Body()
        for _ in range(30):
            x, a = rng.uniform(-1.0, 1.0), rng.uniform(0.2, 2.9)
            moss.ball((x, 0.36 * np.cos(a), radius + 0.34 * np.sin(a)), (0.14, 0.1, 0.06))
        parts = [
            parts[0],
            moss.skin(f.fur(rng, (90, 120, 40), 0.5), cell_m=0.045, soft=0.05),
            moved(
                lathe([(0.1, 0), (0.3, 0.0), (0.3, 0.01), (0, 0.012)], f.matt((30, 22, 16))).transformed(_lay()),
                length / 2 - 0.02,
                0,
                radius,
            ),
            moved(
                lathe([(0, 0), (0.34, 0.0), (0.0, 0.012)], f.matt((30, 22, 16))).transformed(_lay()),
                -length / 2 + 0.01,
                0,
                radius,
            ),
        ]
    stubs = [
        sweep([(x, 0.05, radius), (x + 0.12, 0.1 + s * 0.3, radius + 0.34)], [0.06, 0.035], _bark(rng))
        for x, s in ((-0.6, 1), (0.3, -1), (0.8, 0.4))
    ]
    if variant == 3:
        white = f.coat(rng, [(0, (40, 36, 32)), (0.2, (60, 54, 48)), (0.3, (226, 222, 212)), (1, (236, 232, 224))])
        spots = noise3(rng, 0.12)
        body = parts[0]
        assert isinstance(body, Part)

        def dashes(p: Points) -> Points:
            out: Points = 0.75 - 0.6 * spots(p * (2.2, 0.8, 0.8))
            return out

        parts = [painted(body, white, dashes), *parts[1:]]
    return whole([*parts, *(stubs if variant in (0, 3) else [])])


def _lay() -> np.ndarray:
    return np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])


@kind(4)
def mushroom(variant: int, rng: Rng) -> Mesh:
    """A giant fly agaric, a cluster of brown mushrooms, a tall parasol, a bracket on a stump."""
    stem_color = f.leather(rng, (230, 220, 200))
    if variant == 1:
        return whole(
            [
                moved(scaled(_mushroom((150, 96, 54), stem_color, rng), s), x, y)
                for s, x, y in ((0.9, 0, 0), (0.6, 0.4, 0.15), (0.5, -0.3, 0.3), (0.4, 0.15, -0.4), (0.7, -0.25, -0.3))
            ]
        )
    if variant == 3:
        path = np.array([(0, 0, 0.0), (0, 0, 0.3), (0, 0, 0.6)])
        trunk = _trunk(rng, path, np.array([0.36, 0.3, 0.28]))
        shelves = [
            moved(ellipsoid((0, 0, 0), (0.2, 0.24, 0.05), f.leather(rng, (200, 130, 60)), detail=18), 0.28, y, z)
            for y, z in ((0.0, 0.45), (0.12, 0.3), (-0.1, 0.18))
        ]
        return whole([*trunk, *shelves])
    big = _mushroom((190, 26, 22) if variant == 0 else (196, 176, 140), stem_color, rng)
    if variant == 2:
        return scaled(big, 0.7, 0.7, 1.25)
    a = rng.uniform(0, 2 * np.pi, 34)
    t = rng.uniform(0.1, 1.35, 34)
    dots = [
        ellipsoid(
            (0.47 * np.cos(q) * np.cos(p), 0.47 * np.cos(q) * np.sin(p), 0.62 + 0.29 * np.sin(q)),
            0.035 + 0.015 * (k % 3),
            f.matt((244, 240, 230)),
            detail=10,
        )
        for k, (p, q) in enumerate(zip(a, t, strict=True))
    ]
    return whole([big, *dots])


def _mushroom(color: f.Color, stem: Material, rng: Rng) -> Mesh:
    cap = lathe(
        [(0.1, 0.58), (0.46, 0.6), (0.48, 0.63), (0.42, 0.78), (0.25, 0.88), (0, 0.92)],
        f.leather(rng, color),
        detail=36,
    )
    gills = lathe([(0.0, 0.6), (0.1, 0.57), (0.46, 0.6)], f.matt((226, 214, 190)), detail=36)
    foot = lathe([(0, 0), (0.17, 0.0), (0.19, 0.06), (0.12, 0.25), (0.1, 0.6)], stem)
    skirt = lathe([(0.1, 0.46), (0.2, 0.38), (0.19, 0.385), (0.1, 0.45)], stem)
    return whole([cap, gills, foot, skirt])


@kind(3)
def fallen_branch(variant: int, rng: Rng) -> Mesh:
    """A forked bare branch, a root plate, a driftwood piece."""
    stuff = _bark(rng) if variant != 2 else f.wood(rng, "weathered")
    parts: Parts = []

    def grow(start: np.ndarray, way: np.ndarray, length: float, radius: float, depth: int) -> None:
        bend = rng.normal(0, 0.16, 3) * length
        end = start + way * length
        points = np.array([start, start + way * length * 0.5 + bend * 0.5, end])
        points[:, 2] = np.maximum(points[:, 2], radius)
        parts.append(sweep(curve(points, 7), np.linspace(radius, radius * 0.55, 7), stuff, detail=9))
        if depth == 0:
            return
        for _ in range(int(rng.integers(2, 4))):
            side = way + rng.normal(0, 0.5, 3) * (1, 1, 0.55) + (0, 0, 0.1)
            at = points[1] + (points[2] - points[1]) * rng.uniform(0.1, 1.0)
            grow(at, side / np.linalg.norm(side), length * rng.uniform(0.55, 0.75), radius * 0.55, depth - 1)

    if variant == 1:
        for a in np.linspace(0, 2 * np.pi, 9, endpoint=False):
            way = np.array([-0.25, np.cos(a), np.sin(a)])
            grow(np.array([0.0, 0, 0.55]), way / np.linalg.norm(way), 0.4, 0.1, 1)
        parts += _trunk(rng, np.array([(0.0, 0, 0.55), (0.5, 0, 0.45), (1.1, 0, 0.35)]), np.array([0.3, 0.24, 0.2]))
        return whole(parts)
    grow(
        np.array([-1.1, 0, 0.1]),
        np.array([1.0, 0.05, 0.03]),
        1.2 if variant == 0 else 1.0,
        0.085 if variant == 0 else 0.14,
        3 if variant == 0 else 2,
    )
    return whole(parts)
