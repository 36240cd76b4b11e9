"""Shapes of props that are neither hazards nor street furniture; each fills a box of the given size.

Every function takes length (x), width (y) and height (z) in metres; the front faces +x.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.assembly import block, legs, moved, noise3, pad, turned, whole
from caos.assets.modelling.shapes import (
    ball,
    blend,
    blob,
    box,
    cylinder,
    ellipsoid,
    extrude,
    lathe,
    quad,
    rounded_box,
    sweep,
)
from caos.assets.street.furniture.parts import posters

Points = NDArray[np.float64]
Shape = Callable[[float, float, float], Mesh]

_ORANGE = Material("traffic orange", (0.75, 0.14, 0.02), "plastic", 0.5)
_WHITE = Material("reflective white", (0.75, 0.75, 0.72), "plastic", 0.4)
_RED = Material("reflective red", (0.55, 0.02, 0.02), "plastic", 0.4)
_YELLOW = Material("warning yellow", (0.75, 0.45, 0.02), "plastic", 0.4)
_RUBBER = Material("black rubber", (0.02, 0.02, 0.02), "plastic", 0.7)
_STEEL = Material("steel", (0.4, 0.41, 0.42), "plastic", 0.4)
_IRON = Material("rusty plate", (0.17, 0.1, 0.07), "plastic", 0.7)
_GLASS = Material("screen", (0.03, 0.04, 0.05), "glass", 0.1)
_BLUE = Material("blue shell", (0.03, 0.1, 0.28), "plastic", 0.4)
_GREEN = Material("green shell", (0.03, 0.16, 0.07), "plastic", 0.4)
_WOOD = Material("planks", (0.3, 0.17, 0.08), "diffuse")
_CARD = Material("cardboard", (0.38, 0.25, 0.13), "diffuse")
_LEATHER = Material("leather", (0.07, 0.035, 0.02), "plastic", 0.5)
_CLOTH = Material("canvas", (0.62, 0.56, 0.42), "diffuse")
_STONE = Material("stone", (0.42, 0.4, 0.36), "diffuse")
_WATER = Material("water", (0.05, 0.09, 0.1), "glass", 0.1)
_LAMP = Material("lamp glass", (0.7, 0.68, 0.6), "plastic", 0.3)
_FOIL = Material("black foil", (0.025, 0.025, 0.028), "plastic", 0.3)
_EARTH = Material("earth", (0.12, 0.085, 0.055), "diffuse")
_TILE = Material("fired clay", (0.42, 0.16, 0.09), "diffuse")


def _bar(x: float, y: float, z: float, dx: float, dy: float, dz: float, material: Material) -> Part:
    """A box with bevelled edges, centred."""
    return block(x, y, z - dz / 2, dx, dy, dz, material)


def _cone(x: float, y: float, z: float) -> Mesh:
    foot, r = 0.05 * z, 0.36 * min(x, y)
    rings = [(r, foot), (0.66 * r, 0.4 * z), (0.45 * r, 0.62 * z), (0.27 * r, 0.82 * z), (0.1 * r, z)]
    finishes = (_ORANGE, _WHITE, _ORANGE, _ORANGE)
    parts = [lathe([a, b], finish, detail=20) for a, b, finish in zip(rings, rings[1:], finishes, strict=False)]
    top = cylinder((0, 0, z - 0.002), (0, 0, z), 0.1 * r, _ORANGE, detail=12)
    return whole([box((-x / 2, -y / 2, 0), (x / 2, y / 2, foot), _RUBBER), *parts, top])


def _striped(length: float, height: float, thick: float, other: Material = _RED) -> Mesh:
    """A board along x with upright stripes, its lower edge at z = 0."""
    count = max(4, round(length / 0.15))
    step = length / count
    return whole(
        [
            _bar(-length / 2 + (k + 0.5) * step, 0, height / 2, step, thick, height, _WHITE if k % 2 else other)
            for k in range(count)
        ]
    )


def _trestle(x: float, y: float, z: float) -> Mesh:
    feet = [
        sweep([(u, -y / 2 + 0.02, 0), (u, 0, z - 0.1), (u, y / 2 - 0.02, 0)], 0.02, _STEEL)
        for u in (-x / 2 + 0.06, x / 2 - 0.06)
    ]
    boards = [moved(_striped(x, 0.2, 0.03), z=level) for level in (z - 0.2, 0.42 * z)]
    return whole([*boards, *feet])


def _warning(x: float, y: float, z: float) -> Mesh:
    """A triangle with a red rim on a folding stand."""
    side = x * 0.98
    half, tall = side / 2, min(side * 0.866, z * 0.7)
    low = z - tall
    corners = np.array([(-half, 0, low), (half, 0, low), (0, 0, z)])
    inner = corners * 0.7 + corners.mean(axis=0) * 0.3
    rim = [sweep([corners[k], corners[(k + 1) % 3]], 0.035, _RED) for k in range(3)]
    face = _sheet(inner, _YELLOW, 0.012)
    bar = _bar(0, 0.02, low + 0.38 * tall, 0.06, 0.03, 0.22 * tall, _RUBBER)
    stand = [
        sweep([(0, 0, low), (u, v, 0.02)], 0.02, _STEEL) for u in (-half * 0.7, half * 0.7) for v in (-y / 2, y / 2)
    ]
    return whole([*rim, face, bar, *stand])


def _sheet(corners: Points, material: Material, thick: float) -> Part:
    """A flat triangle across y with both faces."""
    off = np.array([0, thick, 0])
    front, back = corners - off, corners + off
    vertices = np.concatenate([front, back]).astype(np.float32)
    return Part(vertices, np.array([[0, 1, 2], [5, 4, 3]], np.int32), material)


def _arrow_board(x: float, y: float, z: float) -> Mesh:
    """A trailer with a tall board of stripes and an arrow of lamps."""
    wheels = [
        moved(turned(cylinder((0, 0, -0.09), (0, 0, 0.09), 0.3, _RUBBER), "x", 90), -0.1 * x, v, 0.3)
        for v in (-y / 2 + 0.1, y / 2 - 0.1)
    ]
    bed = _bar(0, 0, 0.55, x * 0.7, y * 0.75, 0.12, _STEEL)
    bar = sweep([(0.3 * x, 0, 0.5), (x / 2, 0, 0.45)], 0.05, _STEEL)
    board = box((-0.08, -y / 2, 1.0), (0.08, y / 2, z), _YELLOW)
    stripes = moved(turned(_striped(y, 0.3, 0.18), "z", 90), z=0.75)
    lamps = [
        ellipsoid((0.1, v, level), 0.07, _LAMP)
        for v, level in _arrow_dots(y * 0.7, 1.0 + 0.5 * (z - 1.0), 0.3 * (z - 1.0))
    ]
    end = _bar(-x / 2 + 0.05, 0, 0.55, 0.1, y * 0.5, 0.1, _STEEL)
    link = _bar(-x / 4, 0, 0.5, x / 2, 0.1, 0.06, _STEEL)
    return whole([*wheels, bed, bar, board, stripes, *lamps, end, link])


def _arrow_dots(width: float, middle: float, tall: float) -> list[tuple[float, float]]:
    shaft = [(float(v), middle) for v in np.linspace(-width / 2, width / 2, 7)]
    head = [(width / 2 - k * width / 8, middle + sign * k * tall / 3) for k in (1, 2, 3) for sign in (-1, 1)]
    return shaft + head


def _chain(x: float, y: float, z: float) -> Mesh:
    r = y / 2
    posts = [
        whole([cylinder((u, 0, 0), (u, 0, 0.05), r, _RUBBER), cylinder((u, 0, 0), (u, 0, z), 0.03, _WHITE)])
        for u in (-x / 2 + r, x / 2 - r)
    ]
    t = np.linspace(-1, 1, 13)
    sag = np.stack([t * (x / 2 - r), np.zeros_like(t), z * 0.92 - 0.25 * (1 - t**2)], 1)
    return whole([*posts, sweep(sag, 0.014, _RED)])


def _machine(x: float, y: float, z: float) -> Mesh:
    """A cabinet with a lit window and a slot."""
    shell = rounded_box((-x / 2, -y / 2, 0), (x / 2 - 0.02, y / 2, z), 0.03, _BLUE)
    window = box((x / 2 - 0.03, -0.38 * y, 0.4 * z), (x / 2, 0.2 * y, 0.9 * z), _GLASS)
    keys = box((x / 2 - 0.03, 0.26 * y, 0.5 * z), (x / 2 - 0.005, 0.42 * y, 0.75 * z), _STEEL)
    slot = box((x / 2 - 0.03, -0.3 * y, 0.12 * z), (x / 2 - 0.01, 0.3 * y, 0.24 * z), _RUBBER)
    return whole([shell, window, keys, slot])


def _poster(x: float, y: float, z: float) -> Mesh:
    """A poster case on two feet, printed on both sides."""
    frame = rounded_box((-x / 2, -y / 2, 0.2 * z), (x / 2, y / 2, z), 0.04, _STEEL)
    feet = [_bar(u, 0, 0.11 * z, 0.12, y * 0.8, 0.22 * z, _STEEL) for u in (-0.3 * x, 0.3 * x)]
    print_ = posters().material
    edge, low, tall = x * 0.44, 0.24 * z, 0.72 * z
    near = quad((-edge, -y / 2 - 0.002, low), (2 * edge, 0, 0), (0, 0, tall), print_)
    far = quad((edge, y / 2 + 0.002, low), (-2 * edge, 0, 0), (0, 0, tall), print_)
    return whole([frame, *feet, _first_picture(near), _first_picture(far)])


def _first_picture(part: Part) -> Part:
    """Map one of the eight posters of the atlas onto the whole part."""
    uv = np.array([[0.25, 0.5], [0, 0.5], [0, 1.0], [0.25, 1.0]], np.float32)
    return Part(part.vertices, part.faces, part.material, uv=uv)


def _kettle(x: float, y: float, z: float) -> Mesh:
    """A round grill with a lid on three legs, and a shelf."""
    r, middle = min(x, y) / 2, 0.68 * z
    bowl = ellipsoid((0, 0, middle), (r, r, 0.26 * z), _RUBBER)
    ways = [np.array([np.cos(a), np.sin(a), 0.0]) * r for a in (0.5, 2.6, 4.7)]
    feet = [sweep([0.5 * way + (0, 0, middle), way], 0.015, _STEEL) for way in ways]
    shelf = [_bar(s * (x / 2 - 0.12), 0, 0.7 * z, 0.24, y * 0.7, 0.02, _WOOD) for s in (-1, 1)]
    knob = cylinder((0, 0, 0.93 * z), (0, 0, z), 0.03, _WOOD)
    return whole([bowl, *feet, *shelf, knob])


def _helmet(x: float, y: float, z: float) -> Mesh:
    shell = blob(
        blend(ball((0, 0, 0.5 * z), (x / 2, y / 2, z / 2)), ball((0, 0, 0.3 * z), (x / 2.2, y / 2.1, 0.3 * z))),
        (-x, -y, 0), (x, y, 1.2 * z), _BLUE, cell_m=0.012,
    )  # fmt: skip
    visor = box((0.3 * x, -0.3 * y, 0.25 * z), (x / 2, 0.3 * y, 0.55 * z), _GLASS)
    return whole([shell, visor])


def _carton(x: float, y: float, z: float) -> Mesh:
    tape = Material("tape", (0.5, 0.4, 0.24), "plastic", 0.3)
    body = rounded_box((-x / 2, -y / 2, 0), (x / 2, y / 2, z - 0.002), 0.01, _CARD)
    strips = [box((-0.03, -y / 2 - 0.001, 0.7 * z), (0.03, y / 2 + 0.001, z), tape)]
    return whole([body, *strips])


def _cardboard(x: float, y: float, z: float) -> Mesh:
    """A box that lies flat: two leaves, one lifted at its end."""
    t = max(0.006, 0.2 * z)
    flat = box((-x / 2, -y / 2, 0), (x / 2, y / 2, t), _CARD)
    lift = max(z - t, 0.004)
    corners = np.array([(-x / 2, -y / 2, t), (x / 2, -y / 2, t + lift), (x / 2, y / 2, t + lift), (-x / 2, y / 2, t)])
    return whole([flat, _leaf(corners, _CARD)])


def _leaf(corners: Points, material: Material) -> Part:
    """A flat piece between four corners, seen from both sides."""
    faces = np.array([[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]], np.int32)
    return Part(corners.astype(np.float32), faces, material)


def _case(x: float, y: float, z: float) -> Mesh:
    top = 0.88 * z if z > 0.25 else z
    body = rounded_box((-x / 2, -y / 2, 0), (x / 2, y / 2, top), 0.2 * min(x, y, z), _LEATHER)
    if top == z:
        return whole([body])
    u = 0.12 * x
    handle = sweep([(-u, 0, top - 0.01), (-u, 0, z - 0.012), (u, 0, z - 0.012), (u, 0, top - 0.01)], 0.012, _RUBBER)
    return whole([body, handle])


def _handbag(x: float, y: float, z: float) -> Mesh:
    top = 0.62 * z
    body = pad(0, 0, 0, x, y, top, _LEATHER, 0.25)
    along_x = x > y
    span = 0.3 * max(x, y)
    t = np.linspace(0, np.pi, 11)
    arch = np.stack([span * np.cos(t), np.zeros_like(t), top - 0.02 + (z - top + 0.01) * np.sin(t)], 1)
    handle = whole([sweep(arch, 0.01, _RUBBER)])
    return whole([body, handle if along_x else turned(handle, "z", 90)])


def _sack(x: float, y: float, z: float) -> Mesh:
    belly = ball((0, 0, 0.36 * z), (x / 2, y / 2, 0.36 * z))
    neck = ball((0, 0, 0.8 * z), (0.14 * x, 0.14 * y, 0.2 * z))
    body = blob(blend(belly, neck, softness=0.08), (-x, -y, 0), (x, y, 1.1 * z), _FOIL, cell_m=0.025)
    return whole([body])


def _crumple(x: float, y: float, z: float) -> Mesh:
    rough = noise3(np.random.default_rng(5), 0.08)
    lump = ellipsoid((0, 0, z / 2), (x / 2, y / 2, z / 2), _CLOTH)
    factor = 1.0 + 0.25 * rough(lump.vertices.astype(np.float64))[:, None]
    return whole([Part((lump.vertices * factor).astype(np.float32), lump.faces, _CLOTH)])


def _can(x: float, y: float, z: float) -> Mesh:
    r = min(x, y) / 2
    return whole(
        [cylinder((0, 0, 0), (0, 0, z), r, _RED, detail=14), cylinder((0, 0, z), (0, 0, z + 0.001), 0.9 * r, _STEEL)]
    )


def _tile(x: float, y: float, z: float) -> Mesh:
    outline = np.array([(-0.5, -0.3), (-0.1, -0.5), (0.5, -0.2), (0.35, 0.5), (-0.4, 0.4)]) * (x, y)
    return whole([extrude(outline, 0.0, z, _TILE)])


def _dirt(x: float, y: float, z: float) -> Mesh:
    """Earth, stones and scraps spread over the road: thin at its rim, a few lumps inside."""
    rng = np.random.default_rng(3)
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    rim = 1.0 - 0.3 * rng.random(40)
    rings = [np.stack([s * rim * np.cos(angle) * x / 2, s * rim * np.sin(angle) * y / 2, np.full(40, level)], 1)
             for s, level in ((1.0, 0.004), (0.6, 0.02), (0.3, 0.03))]  # fmt: skip
    vertices = np.concatenate([*rings, [[0.0, 0.0, 0.03]]]).astype(np.float32)
    k, n = np.arange(40), (np.arange(40) + 1) % 40
    bands = [np.concatenate([np.stack([40 * i + k, 40 * i + n, 40 * i + 40 + n], 1),
                             np.stack([40 * i + k, 40 * i + 40 + n, 40 * i + 40 + k], 1)]) for i in (0, 1)]  # fmt: skip
    top = np.stack([80 + k, 80 + n, np.full(40, 120)], 1)
    patch = Part(vertices, np.concatenate([*bands, top]).astype(np.int32), _EARTH)
    return whole([patch, *_lumps(rng, x, y, z)])


def _lumps(rng: np.random.Generator, x: float, y: float, z: float) -> list[Part]:
    kinds = (_EARTH, _STONE, _TILE, _WOOD)
    lumps = []
    for k in range(26):
        r, a = 0.42 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
        size = rng.uniform(0.02, 0.07, 3)
        lumps.append(ellipsoid((r * x * np.cos(a), r * y * np.sin(a), 0.3 * size[2]), size, kinds[k % 4], detail=8))
    lumps.append(ellipsoid((0.0, 0.0, z / 2), (0.09, 0.07, z / 2), _STONE, detail=10))
    return lumps


def _plate(x: float, y: float, z: float) -> Mesh:
    return whole([box((-x / 2, -y / 2, 0), (x / 2, y / 2, z), _IRON)])


def _chequers(x: float, y: float, z: float) -> Mesh:
    """A checkerboard for camera calibration."""
    columns, rows = 9, 4
    dx, dy = x / columns, y / rows
    squares = [
        box((-x / 2 + i * dx, -y / 2 + j * dy, 0), (-x / 2 + (i + 1) * dx, -y / 2 + (j + 1) * dy, z), mat)
        for i in range(columns) for j in range(rows) for mat in ((_WHITE, _RUBBER)[(i + j) % 2],)
    ]  # fmt: skip
    return whole(squares)


def _skip(x: float, y: float, z: float) -> Mesh:
    """A steel bin for clothes: a slanting front with a flap."""
    shell = rounded_box((-x / 2, -y / 2, 0.04), (x / 2 - 0.03, y / 2, z), 0.04, _GREEN)
    flap = box((x / 2 - 0.05, -0.35 * y, 0.68 * z), (x / 2, 0.35 * y, 0.86 * z), _STEEL)
    text = box((x / 2 - 0.04, -0.3 * y, 0.3 * z), (x / 2 - 0.02, 0.3 * y, 0.55 * z), _WHITE)
    feet = box((-x / 2 + 0.05, -y / 2 + 0.05, 0), (x / 2 - 0.1, y / 2 - 0.05, 0.05), _RUBBER)
    return whole([shell, flap, text, feet])


def _dome(x: float, y: float, z: float) -> Mesh:
    """A bell for bottles, with round openings."""
    r = min(x, y) / 2
    bell = lathe([(r, 0), (r, 0.55 * z), (0.85 * r, 0.8 * z), (0.5 * r, 0.95 * z), (0, z)], _GREEN, detail=28)
    holes = [ellipsoid((0.9 * r * c, 0.9 * r * s, 0.68 * z), 0.12 * r, _RUBBER) for c, s in ((1, 0), (-1, 0), (0, 1))]
    return whole([bell, *holes])


def _hut(x: float, y: float, z: float) -> Mesh:
    """A kennel: walls, a door and a gabled roof."""
    wall, ridge = 0.6 * z, z
    body = box((-0.42 * x, -0.42 * y, 0), (0.42 * x, 0.42 * y, wall), _WOOD)
    door = box((0.42 * x, -0.18 * y, 0.02), (0.43 * x, 0.18 * y, 0.45 * z), _RUBBER)
    ends = [(-x / 2, s * y / 2, wall - 0.03) for s in (-1, 1)] + [(x / 2, s * y / 2, wall - 0.03) for s in (-1, 1)]
    tops = [(-x / 2, 0, ridge), (x / 2, 0, ridge)]
    vertices = np.array([*ends, *tops], np.float32)
    faces = np.array([[0, 2, 5], [0, 5, 4], [3, 1, 4], [3, 4, 5], [1, 0, 4], [2, 3, 5]], np.int32)
    both = np.concatenate([faces, faces[:, ::-1]])
    return whole([body, door, Part(vertices, both, _RED)])


def _fountain(x: float, y: float, z: float) -> Mesh:
    """A basin, a column and two bowls with water."""
    r = min(x, y) / 2
    basin = lathe(
        [(0, 0), (r, 0), (r, 0.1 * z), (0.93 * r, 0.1 * z), (0.93 * r, 0.04 * z), (0, 0.04 * z)], _STONE, detail=48
    )
    pool = cylinder((0, 0, 0.05 * z), (0, 0, 0.085 * z), 0.93 * r, _WATER, detail=48)
    column = lathe(
        [(0.12 * r, 0.04 * z), (0.08 * r, 0.4 * z), (0.1 * r, 0.45 * z), (0.05 * r, 0.8 * z), (0, z)], _STONE
    )
    bowls = [lathe([(0.06 * r, h - 0.08 * z), (w * r, h), (0.92 * w * r, h), (0, h - 0.03 * z)], _STONE, detail=32)
             for w, h in ((0.45, 0.45 * z), (0.25, 0.75 * z))]  # fmt: skip
    return whole([basin, pool, column, *bowls])


def _spout(x: float, y: float, z: float) -> Mesh:
    """A drinking fountain: a pillar, a basin before it and a tap."""
    pillar = rounded_box((-x / 2, -y / 2, 0), (x / 2, 0.05 * y, z), 0.03, _STONE)
    basin = rounded_box((-x / 2, 0, 0.5 * z), (x / 2, y / 2, 0.65 * z), 0.03, _STONE)
    tap = sweep([(0, 0, 0.85 * z), (0, 0.2 * y, 0.85 * z), (0, 0.22 * y, 0.8 * z)], 0.015, _STEEL)
    return whole([pillar, basin, tap])


def _lantern(x: float, y: float, z: float) -> Mesh:
    r = min(x, y) / 2
    foot = cylinder((0, 0, 0), (0, 0, 0.5 * z), 0.3 * r, _RUBBER)
    glass = cylinder((0, 0, 0.5 * z), (0, 0, 0.85 * z), 0.7 * r, _LAMP)
    hat = lathe([(r, 0.85 * z), (r, 0.88 * z), (0, z)], _RUBBER, detail=16)
    return whole([foot, glass, hat])


def _lectern(x: float, y: float, z: float) -> Mesh:
    """A slanting board with a map on two posts."""
    posts = [_bar(u, 0.1 * y, 0.4 * z, 0.08, 0.08, 0.8 * z, _WOOD) for u in (-0.4 * x, 0.4 * x)]
    corners = np.array([(-x / 2, -y / 2, 0.72 * z), (x / 2, -y / 2, 0.72 * z), (x / 2, y / 2, z), (-x / 2, y / 2, z)])
    inner = corners * 0.88 + corners.mean(axis=0) * 0.12 + np.array([0, 0, 0.006])
    return whole([*posts, _leaf(corners, _WOOD), _leaf(inner, _CLOTH)])


def _pergola(x: float, y: float, z: float) -> Mesh:
    posts = [
        _bar(u, v, z * 0.45, 0.14, 0.14, z * 0.9, _WOOD) for u in (-0.42 * x, 0.42 * x) for v in (-0.42 * y, 0.42 * y)
    ]
    beams = [_bar(0, v, 0.92 * z, x, 0.1, 0.16, _WOOD) for v in (-0.42 * y, 0.42 * y)]
    rafters = [_bar(float(u), 0, z - 0.07, 0.07, y, 0.14, _WOOD) for u in np.linspace(-0.46 * x, 0.46 * x, 11)]
    return whole([*posts, *beams, *rafters])


def _parasol(x: float, y: float, z: float) -> Mesh:
    """A table of plastic with four stools and a parasol."""
    r = min(x, y) / 2
    shade = lathe(
        [(r, 0.78 * z), (0.5 * r, 0.9 * z), (0, 0.98 * z), (0.5 * r, 0.885 * z), (r, 0.775 * z)], _CLOTH, detail=8
    )
    pole = cylinder((0, 0, 0), (0, 0, z), 0.025, _STEEL)
    top = cylinder((0, 0, 0.7), (0, 0, 0.74), 0.45 * r, _WHITE, detail=28)
    feet = legs(0.5 * r, 0.5 * r, 0.7, 0.02, _WHITE)
    stools = [cylinder((0.8 * r * c, 0.8 * r * s, 0), (0.8 * r * c, 0.8 * r * s, 0.42), 0.17, _WHITE)
              for c, s in ((1, 0), (-1, 0), (0, 1), (0, -1))]  # fmt: skip
    return whole([shade, pole, top, feet, *stools])


SHAPES: dict[str, Shape] = {
    made.__name__.strip("_"): cache(made)
    for made in (
        _arrow_board, _can, _cardboard, _carton, _case, _chain, _chequers, _cone, _crumple, _dirt, _dome, _fountain,
        _handbag, _helmet, _hut, _kettle, _lantern, _lectern, _machine, _parasol, _pergola, _plate, _poster, _sack,
        _skip, _spout, _tile, _trestle, _warning,
    )
}  # fmt: skip
"""By name; the same size gives the same mesh."""
