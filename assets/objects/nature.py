"""Nature: what storms, fields and shores leave behind (nothing that grows along a road)."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from assets import finishes as f
from assets.bodies import Body, horn
from assets.craft import Points, arc, curve, mirrored, moved, noise3, painted, scaled, turned, whole
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import blob, ellipsoid, lathe, loft, sweep

Rng = np.random.Generator
Parts = list[Mesh | Part]


def _bark(rng: Rng) -> Material:
    return f.fur(rng, (98, 78, 58), 0.75)


def _stretched(part: Part, times: float) -> np.ndarray:
    """The part's texture coordinates with u repeated ``times`` around."""
    assert part.uv is not None
    return part.uv * np.array((times, 1), np.float32)


def _trunk(rng: Rng, path: np.ndarray, radii: np.ndarray, *, rough: float = 0.08) -> Parts:
    """A log along a path with rough bark and pale cut ends."""
    skin = sweep(path, radii, _bark(rng), detail=22, caps=False)
    wobble = noise3(rng, 0.16)
    v = skin.vertices.astype(np.float64)
    axis = np.repeat(path, 23, 0)
    v = axis + (v - axis) * (1 + rough * wobble(v))[:, None]
    log_skin = Part(v.astype(np.float32), skin.faces, skin.material, _stretched(skin, 3), smooth=True)
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


@kind("nature", 4)
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


@kind("nature", 5)
def boulder(variant: int, rng: Rng) -> Mesh:
    """A granite boulder, a flat slab, a mossy rock, a heap of stones, a red desert rock."""
    color = ((146, 142, 138), (120, 124, 128), (128, 124, 116), (160, 156, 148), (170, 96, 60))[variant]
    stuff = f.stone(rng, color)
    if variant == 3:
        rocks = [
            moved(_rock(rng, (0.3, 0.26, 0.2), stuff, 9), x, y, z)
            for x, y, z in (
                (0, 0, 0.16),
                (0.45, 0.1, 0.14),
                (-0.4, 0.2, 0.15),
                (0.1, -0.45, 0.14),
                (0.1, 0.42, 0.14),
                (0.05, 0.02, 0.44),
            )
        ]
        return whole(rocks)
    radii = ((0.75, 0.65, 0.55), (1.1, 0.8, 0.26), (0.6, 0.7, 0.5), (0, 0, 0), (0.5, 0.55, 0.85))[variant]
    rock = _rock(rng, radii, stuff)
    if variant == 2:
        look = f.coat(rng, [(0, color), (0.5, color), (0.62, (84, 112, 40)), (1, (104, 132, 50))])
        patch = noise3(rng, 0.3)

        def moss(p: Points) -> Points:
            out: Points = 0.5 + 0.9 * (p[:, 2] / 0.5 - 0.35) + 0.35 * patch(p)
            return out

        rock = painted(rock, look, moss)
    return whole(rock)


def _rock(rng: Rng, radii: tuple[float, float, float], stuff: Material, cells: float = 15) -> Part:
    planes = rng.normal(size=(16, 3))
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    depth = rng.uniform(0.78, 0.98, 16)
    fine = noise3(rng, 0.35)
    r = np.array(radii)

    def distance(p: Points) -> Points:
        q = p / r
        ball = np.linalg.norm(q, axis=1) - 1
        cut = (q @ planes.T - depth).max(1)
        out: Points = (np.maximum(ball, cut) + 0.05 * fine(q)) * float(r.min())
        flat: Points = np.maximum(out, -p[:, 2] - 0.55 * r[2])
        return flat

    return blob(distance, -1.15 * r, 1.15 * r, stuff, cell_m=float(r.max()) / cells)


@kind("nature", 3)
def pumpkin(variant: int, rng: Rng) -> Mesh:
    """A pumpkin, a carved lantern, a pile of gourds."""
    return _pumpkin_family(variant, rng)


@kind("nature", 1)
def watermelon(_variant: int, rng: Rng) -> Mesh:
    """A giant watermelon."""
    return _pumpkin_family(3, rng)


def _pumpkin_family(variant: int, rng: Rng) -> Mesh:
    """A pumpkin, a carved lantern, a pile of gourds, a giant watermelon."""
    if variant == 3:
        look = f.coat(
            rng, [(0, (30, 80, 36)), (0.4, (36, 96, 40)), (0.6, (120, 170, 80)), (1, (140, 186, 96))], shiny=True
        )
        wave = noise3(rng, 0.1)
        melon = ellipsoid((0, 0, 0), (0.42, 0.32, 0.32), look, detail=48, rings=32)

        def bands(p: Points) -> Points:
            out: Points = 0.5 + 0.9 * np.sin(9 * np.arctan2(p[:, 2], p[:, 1]) + 0.7 * wave(p))
            return out

        return whole(painted(melon, look, bands))
    if variant == 2:
        colors = ((232, 130, 30), (236, 190, 60), (90, 130, 60), (220, 100, 40))
        return whole(
            [
                moved(scaled(_pumpkin(rng, c, 8 + k), s), x, y, z)
                for k, (c, s, x, y, z) in enumerate(
                    zip(
                        (*colors, colors[0]),
                        (0.8, 0.6, 0.55, 0.65, 0.5),
                        (0, 0.5, -0.4, 0.05, 0.05),
                        (0, 0.1, 0.3, -0.55, 0.0),
                        (0, 0, 0, 0, 0.42),
                        strict=True,
                    )
                )
            ]
        )
    fruit = _pumpkin(rng, (230, 112, 24), 12 if variant == 0 else 10)
    if variant == 0:
        return fruit
    glow = Material("glow", (1.0, 0.55, 0.12), "emissive")
    black = f.matt((24, 14, 8))
    face: Parts = []
    for inner, stuff in ((0.0, black), (0.012, glow)):
        s = 1.0 if stuff is black else 0.75
        for y in (0.15, -0.15):
            face.append(
                moved(
                    turned(lathe([(0, 0), (0.075 * s, 0), (0, 0.01)], stuff, detail=3), "y", 90), 0.385 + inner, y, 0.34
                )
            )
        face.append(sweep(arc((0.37 + inner, 0, 0.32), 0.2, 215, 325, "yz", 14), 0.035 * s, stuff, detail=6))
    return scaled([fruit, *face], 1.1)


def _pumpkin(rng: Rng, color: f.Color, ribs: int) -> Mesh:
    a, t = np.linspace(0, 2 * np.pi, 61), np.linspace(-np.pi / 2, np.pi / 2, 21)
    tt, aa = np.meshgrid(t, a, indexing="ij")
    r = 0.42 * (1 - 0.09 * np.abs(np.cos(ribs * aa / 2)) ** 0.6 * np.cos(tt)) * np.cos(tt) ** 0.75
    z = (
        0.3
        + 0.3 * np.sin(tt) * (1 - 0.25 * (np.abs(np.sin(tt)) > 0.9))
        - 0.08 * np.exp(-((np.cos(tt) / 0.3) ** 2)) * np.sign(tt)
    )
    grid = np.stack([r * np.cos(aa), r * np.sin(aa), z], -1)
    stem = sweep(
        curve([(0, 0, 0.48), (0.02, 0, 0.6), (0.08, 0, 0.68)], 8),
        np.linspace(0.05, 0.028, 8),
        f.wood(rng, "oak"),
        detail=6,
        smooth=False,
    )
    return whole([loft(grid, f.leather(rng, color), closed=False, caps=False), stem])


@kind("nature", 4)
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


@kind("nature", 3)
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


@kind("nature", 4)
def hay_bale(variant: int, rng: Rng) -> Mesh:
    """A round bale, a square bale, a stack of three, a wrapped silage bale."""
    straw = f.straw(rng)
    if variant in (0, 3):
        r, w = (0.75, 1.2) if variant == 0 else (0.6, 1.1)
        stuff = straw if variant == 0 else f.plastic((206, 226, 206), 0.25)
        bale = lathe(
            [(0, -w / 2), (r * 0.9, -w / 2), (r, -w / 2 + 0.08), (r, w / 2 - 0.08), (r * 0.9, w / 2), (0, w / 2)],
            stuff,
            detail=40,
        )
        rough = noise3(rng, 0.1)
        v = bale.vertices.astype(np.float64)
        v += 0.012 * rough(v)[:, None] * v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 0.1)
        bale = Part(v.astype(np.float32), bale.faces, stuff, _stretched(bale, 4), smooth=True)
        spiral = (
            [
                sweep(
                    arc((0, 0, s * (w / 2 + 0.005)), q * r, 0, 360, "xy", 30),
                    0.012,
                    f.matt((150, 116, 56)),
                    detail=5,
                    caps=False,
                )
                for s in (1, -1)
                for q in (0.25, 0.5, 0.75)
            ]
            if variant == 0
            else []
        )
        net = [
            sweep(arc((0, 0, z), r + 0.008, 0, 360, "xy", 40), 0.006, f.matt((236, 236, 226)), detail=4, caps=False)
            for z in np.linspace(-0.4, 0.4, 6)
        ]
        return turned([bale, *spiral, *(net if variant == 0 else [])], "x", 90)

    def square() -> Mesh:
        block_mesh = _shaggy_box(rng, (0.9, 0.45, 0.38), straw)
        strings = [
            sweep(
                [(x, -0.23, 0), (x, 0.23, 0), (x, 0.23, 0.385), (x, -0.23, 0.385), (x, -0.23, 0)],
                0.007,
                f.matt((200, 60, 40)),
                detail=4,
            )
            for x in (-0.2, 0.2)
        ]
        return whole([block_mesh, *strings])

    if variant == 1:
        return square()
    return whole([moved(square(), y=0.24), moved(square(), y=-0.24), moved(turned(square(), "z", 82), z=0.38)])


def _shaggy_box(rng: Rng, size: tuple[float, float, float], stuff: Material) -> Part:
    from assets.craft import cushion

    part = cushion(
        (-size[0] / 2, -size[1] / 2, 0), (size[0] / 2, size[1] / 2, size[2]), stuff, soft=0.12, detail=48, uv_per_m=2.5
    )
    rough = noise3(rng, 0.05)
    v = part.vertices.astype(np.float64)
    v[:, :2] *= 1 + 0.03 * rough(v)[:, None]
    return Part(v.astype(np.float32), part.faces, stuff, part.uv, smooth=False)


@kind("nature", 2)
def seashell(variant: int, rng: Rng) -> Mesh:
    """A giant snail shell, a scallop."""
    return _seashell_family(variant, rng)


@kind("nature", 1)
def starfish(_variant: int, rng: Rng) -> Mesh:
    """A starfish."""
    return _seashell_family(2, rng)


def _seashell_family(variant: int, rng: Rng) -> Mesh:
    """A giant snail shell, a scallop, a starfish."""
    if variant == 2:
        body = Body().ball((0, 0, 0.1), (0.25, 0.25, 0.12))
        for k in range(5):
            a = 2 * np.pi * k / 5
            body.chain(
                [
                    (0.1 * np.cos(a), 0.1 * np.sin(a), 0.1),
                    (0.45 * np.cos(a), 0.45 * np.sin(a), 0.08),
                    (0.75 * np.cos(a + 0.1), 0.75 * np.sin(a + 0.1), 0.05),
                ],
                (0.16, 0.11, 0.04),
            )
        dots = [
            ellipsoid((r * np.cos(a), r * np.sin(a), 0.23 - 0.12 * r), 0.025, f.matt((246, 200, 150)), detail=8)
            for a in np.linspace(0, 2 * np.pi, 5, endpoint=False)
            for r in np.linspace(0.1, 0.6, 6)
        ]
        return whole([body.skin(f.leather(rng, (220, 96, 50)), cell_m=0.035, soft=0.06), *dots])
    if variant == 1:
        fan = np.linspace(-1.15, 1.15, 61)
        rows = []
        for s in np.linspace(0.06, 1, 16):
            r = 0.75 * s
            bulge = 0.24 * np.sin(np.pi * min(s * 0.75, 1)) * np.cos(fan) + 0.025 * s * np.cos(26 * fan)
            rows.append(np.stack([r * np.cos(fan), r * np.sin(fan), bulge + 0.08], 1))
        shell = np.array(rows)
        stuff = f.ceramic((240, 190, 160))
        lower = shell * (1, 1, -0.15) + (0, 0, 0.1)
        return turned(
            [
                loft(shell[::-1], stuff, closed=False, caps=False),
                loft(lower, stuff, closed=False, caps=False),
                ellipsoid((0.02, 0, 0.1), (0.08, 0.2, 0.06), stuff, detail=14),
            ],
            "y",
            -24,
        )
    t = np.linspace(0.0, 5 * 2 * np.pi, 110)
    grow = np.exp(0.115 * t) / np.exp(0.115 * t[-1])
    path = np.stack([0.4 * grow * np.cos(t), 0.4 * grow * np.sin(t), -0.9 * grow], 1)
    shell_part = sweep(path, 0.3 * grow + 0.004, f.marble(rng, (226, 190, 150), (150, 90, 50)), detail=18)
    return turned(shell_part, "y", 70)


@kind("nature", 3)
def crystal(variant: int, rng: Rng) -> Mesh:
    """A cluster of violet crystals, blocks of ice, a green geode."""
    if variant == 1:
        ice = Material("ice", (0.62, 0.76, 0.82), "plastic", 0.06)
        large = [(0.4, 0.0, 0.0), (0.3, 0.5, 0.2), (0.26, -0.4, 0.35), (0.22, 0.15, -0.5)]
        chips = [(0.07, 0.75 * np.cos(a), 0.75 * np.sin(a)) for a in (0.1, 1.2, 2.0, 3.1, 3.9, 5.2, 5.8)]
        return whole(
            [
                moved(turned(_prism(6 if k % 2 else 5, s, s * 1.2, ice, 0.75), "z", 37 * k), x, y)
                for k, (s, x, y) in enumerate((*large, *chips))
            ]
        )
    stuff = Material("crystal", f.srgb_to_linear((130, 70, 170) if variant == 0 else (60, 170, 110)), "plastic", 0.05)
    spikes: Parts = []
    for k in range(14):
        a, lean = 2.4 * k, 6 + 4.2 * k
        s = float(rng.uniform(0.05, 0.13))
        spikes.append(
            turned(
                turned(_prism(6, s, float(rng.uniform(0.5, 1.1)) * (1 - 0.035 * k), stuff, 1.0), "y", min(lean, 62)),
                "z",
                float(np.degrees(a)),
            )
        )
    return whole([*spikes, _rock(rng, (0.4, 0.4, 0.14), f.stone(rng, (96, 92, 96)))])


def _prism(sides: int, radius: float, height: float, stuff: Material, waist: float) -> Part:
    return lathe(
        [(0, 0), (radius * 0.85, 0), (radius, height * 0.1), (radius * waist, height * 0.78), (0, height)],
        stuff,
        detail=sides,
        smooth=False,
    )


@kind("nature", 1)
def skull(_variant: int, rng: Rng) -> Mesh:
    """A steer's skull."""
    return _skull_family(0, rng)


@kind("nature", 2)
def bones(variant: int, rng: Rng) -> Mesh:
    """A giant animal's rib cage, a big bone."""
    return _skull_family((1, 2)[variant], rng)


def _skull_family(variant: int, rng: Rng) -> Mesh:
    """A steer's skull, a giant animal rib cage, a big bone."""
    bone = f.leather(rng, (226, 216, 190))
    if variant == 2:
        body = (
            Body()
            .rod((-0.4, 0, 0.1), (0.4, 0, 0.1), 0.07)
            .ball((0.45, 0.08, 0.11), 0.11, both=True)
            .ball((-0.45, 0.08, 0.11), 0.11, both=True)
        )
        return whole(body.skin(bone, cell_m=0.03, soft=0.05))
    if variant == 1:
        spine = curve([(-1.2, 0, 0.9), (0, 0, 1.05), (1.2, 0, 0.8)], 14)
        ribs = [
            mirrored(
                sweep(
                    curve([p, p + (0.05, 0.45, -0.1), p + (0.12, 0.55, -0.5), p + (0.1, 0.25, -p[2] + 0.03)], 14),
                    np.linspace(0.05, 0.02, 14),
                    bone,
                    detail=8,
                )
            )
            for p in spine[1:-1:1]
        ]
        return whole(
            [sweep(spine, 0.07, bone), *[ellipsoid(p, (0.07, 0.1, 0.11), bone, detail=10) for p in spine], *ribs]
        )
    body = (
        Body()
        .ball((-0.05, 0, 0.25), (0.24, 0.2, 0.16))
        .rod((0.0, 0, 0.22), (0.45, 0, 0.1), 0.14, 0.075)
        .ball((0.06, 0.17, 0.26), (0.09, 0.06, 0.07), both=True)
    )
    dark = f.matt((34, 26, 20))
    sockets = mirrored(
        [
            ellipsoid((0.1, 0.2, 0.28), (0.055, 0.04, 0.05), dark, detail=12),
            ellipsoid((0.49, 0.035, 0.13), (0.04, 0.02, 0.03), dark, detail=8),
        ]
    )
    horns = mirrored(
        horn(
            [(-0.1, 0.15, 0.35), (-0.12, 0.42, 0.42), (-0.02, 0.62, 0.62), (0.05, 0.6, 0.8)],
            0.065,
            f.wood(rng, "walnut"),
        )
    )
    return whole([body.skin(bone, cell_m=0.03, soft=0.05), sockets, horns])
