"""Cargo and debris: what falls from lorries and lies about on building sites."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from assets import finishes as f
from assets.craft import arc, block, curve, mirrored, moved, noise3, pad, ringed, scaled, slab, turned, whole
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import blob, box, cylinder, ellipsoid, lathe, loft, sweep

Rng = np.random.Generator
Parts = list[Mesh | Part]


@kind("cargo_debris", 5, fallen=True)
def barrel(variant: int, rng: Rng) -> Mesh:
    """A wine barrel, a blue oil drum, a rusty drum, a dented yellow one, a stack of three kegs."""
    if variant == 0:
        return _cask(rng, 0.42, 0.95)
    if variant == 4:
        return whole(
            [moved(turned(_cask(rng, 0.24, 0.55), "y", 90), z=0.24, y=y) for y in (-0.25, 0.25)]
            + [moved(turned(_cask(rng, 0.24, 0.55), "y", 90), z=0.65)]
        )
    paint = (f.paint((30, 80, 170)), f.rusty(rng, (120, 110, 90), 0.6), f.paint((236, 180, 30)))[variant - 1]
    rings = [(0, 0.0), (0.285, 0.0), (0.29, 0.02), (0.28, 0.03)]
    for z in (0.29, 0.58):
        rings += [(0.28, z - 0.025), (0.293, z), (0.28, z + 0.025)]
    rings += [(0.28, 0.85), (0.29, 0.86), (0.29, 0.885), (0.27, 0.885), (0.265, 0.86), (0, 0.86)]
    drum = lathe(rings, paint, detail=36)
    if variant in (2, 3):
        dent = noise3(rng, 0.35 if variant == 3 else 0.7)
        v = drum.vertices.astype(np.float64)
        v[:, :2] *= 1 - 0.09 * np.clip(dent(v), 0, 1)[:, None]
        drum = Part(v.astype(np.float32), drum.faces, paint, drum.uv, smooth=True)
    return whole([drum, cylinder((0.18, 0, 0.86), (0.18, 0, 0.885), 0.035, f.steel(), detail=12)])


def _cask(rng: Rng, radius: float, height: float) -> Mesh:
    wood, hoop = f.wood(rng, "oak"), f.metal((96, 92, 86), 0.5)
    z = np.linspace(0, height, 13)
    r = radius * (1 - 0.24 * (2 * z / height - 1) ** 2)
    body = lathe(
        [(0, 0.02), (r[0] - 0.02, 0.02), *zip(r, z, strict=True), (r[-1] - 0.02, height - 0.02), (0, height - 0.02)],
        wood,
        detail=32,
    )
    hoops = []
    for t in (0.04, 0.16, 0.3, 0.66, 0.8, 0.92):
        a, b = t * height, (t + 0.045) * height
        ra, rb = (radius * (1 - 0.24 * (2 * q / height - 1) ** 2) + 0.005 for q in (a, b))
        hoops.append(lathe([(ra - 0.004, a), (ra, a), (rb, b), (rb - 0.004, b)], hoop, detail=32))
    return whole([body, *hoops])


@kind("cargo_debris", 5, fallen=True)
def crate(variant: int, rng: Rng) -> Mesh:
    """A slatted crate, a braced cargo box, a plastic bottle crate, a fruit box with apples, a steel mesh box."""
    if variant == 2:
        return _bottle_crate(rng)
    if variant == 4:
        return _mesh_box()
    wood = f.wood(rng, ("pine", "weathered", "", "birch")[variant])
    x, y, z = ((0.3, 0.4, 0.5), (0.45, 0.6, 0.8), (0, 0, 0), (0.22, 0.32, 0.26))[variant]
    parts: Parts = [box((-x + 0.03, -y + 0.03, 0.03), (x - 0.03, y - 0.03, z - 0.03 if variant == 1 else 0.05), wood)]
    rows = max(round(z / 0.13), 2)
    step = z / rows
    for k in range(rows):
        a, b = k * step + 0.008, (k + 1) * step - 0.008
        parts += [slab((s * x - 0.012, -y, a), (s * x + 0.012, y, b), wood) for s in (1, -1)]
        parts += [slab((-x, s * y - 0.012, a), (x, s * y + 0.012, b), wood) for s in (1, -1)]
    parts.append(mirrored(mirrored(block(x - 0.04, y - 0.04, 0, 0.06, 0.06, z, wood)), "x"))
    if variant == 1:
        parts.append(slab((-x, -y, z - 0.02), (x, y, z + 0.02), wood))
        brace: Parts = [
            turned(
                slab(
                    (x + 0.012, -np.hypot(2 * y, z) / 2, z / 2 - 0.05),
                    (x + 0.036, np.hypot(2 * y, z) / 2, z / 2 + 0.05),
                    wood,
                ),
                "x",
                float(np.degrees(np.arctan2(z, 2 * y))),
                (0, 0, z / 2),
            )
        ]
        frame: Parts = [slab((x + 0.012, -y, q), (x + 0.04, y, q + 0.09), wood) for q in (0, z - 0.09)]
        parts += [*brace, *frame, *[whole(p).transformed(np.diag([-1, 1, 1, 1])) for p in (*brace, *frame)]]
    if variant == 3:
        apples = [f.plastic(c, 0.3) for c in ((190, 30, 34), (150, 180, 50), (210, 60, 40))]
        parts += [
            ellipsoid((float(a), float(b), 0.24 + 0.05 * (i % 2)), 0.05, apples[i % 3], detail=10)
            for i, (a, b) in enumerate((a, b) for a in np.linspace(-0.15, 0.15, 4) for b in np.linspace(-0.25, 0.25, 6))
        ]
    if variant == 0:
        parts += [pad(0, -0.1, 0.3, 0.4, 0.4, 0.25, f.straw(rng), 0.7)]
    return whole(parts)


def _bottle_crate(rng: Rng) -> Mesh:
    red, glass = f.plastic((196, 30, 34), 0.35), f.plastic((60, 40, 20), 0.1)
    parts: Parts = [slab((-0.2, -0.15, 0), (0.2, 0.15, 0.02), red)]
    for z0, z1 in ((0.0, 0.1), (0.2, 0.28)):
        parts += [slab((s * 0.2 - 0.008, -0.15, z0), (s * 0.2 + 0.008, 0.15, z1), red) for s in (1, -1)]
        parts += [slab((-0.2, s * 0.15 - 0.008, z0), (0.2, s * 0.15 + 0.008, z1), red) for s in (1, -1)]
    parts.append(mirrored(mirrored(block(0.19, 0.14, 0, 0.03, 0.03, 0.28, red)), "x"))
    bottle = lathe(
        [(0, 0.02), (0.03, 0.02), (0.03, 0.18), (0.013, 0.23), (0.013, 0.3), (0.015, 0.31), (0, 0.315)],
        glass,
        detail=14,
    )
    parts += [
        moved(bottle, x, y)
        for x in np.linspace(-0.15, 0.15, 5)
        for y in np.linspace(-0.1, 0.1, 4)
        if rng.random() > 0.15
    ]
    return whole(parts).transformed(np.diag([1.4, 1.4, 1.4, 1]))


def _mesh_box() -> Mesh:
    steel, blue = f.steel(), f.paint((40, 80, 150))
    x, y, z = 0.4, 0.6, 0.85
    parts: Parts = [
        slab((-x, -y, 0.1), (x, y, 0.12), steel),
        mirrored(mirrored(block(x, y, 0, 0.05, 0.05, z + 0.05, blue)), "x"),
    ]
    parts += [slab((-x, s * y - 0.02, q), (x, s * y + 0.02, q + 0.04), blue) for s in (1, -1) for q in (0.1, z)]
    parts += [slab((s * x - 0.02, -y, q), (s * x + 0.02, y, q + 0.04), blue) for s in (1, -1) for q in (0.1, z)]
    for t in np.linspace(-1, 1, 13):
        parts += [
            mirrored(cylinder((t * x, y, 0.1), (t * x, y, z), 0.004, steel, detail=4)),
            mirrored(cylinder((x, t * y, 0.1), (x, t * y, z), 0.004, steel, detail=4), "x"),
        ]
    for q in np.linspace(0.2, z - 0.06, 9):
        parts += [
            mirrored(cylinder((-x, y, q), (x, y, q), 0.004, steel, detail=4)),
            mirrored(cylinder((x, -y, q), (x, y, q), 0.004, steel, detail=4), "x"),
        ]
    return whole(parts)


@kind("cargo_debris", 4, fallen=True)
def pallet(variant: int, rng: Rng) -> Mesh:
    """A wooden pallet, a stack of them, a blue one with bricks, a broken one."""
    wood = f.wood(rng, "pine" if variant != 3 else "weathered") if variant != 2 else f.paint((50, 90, 160))
    one = _pallet(wood, rng, broken=variant == 3)
    if variant == 1:
        return whole(
            [
                moved(
                    turned(one, "z", float(rng.uniform(-5, 5))),
                    float(rng.uniform(-0.03, 0.03)),
                    float(rng.uniform(-0.03, 0.03)),
                    0.144 * i,
                )
                for i in range(6)
            ]
        )
    if variant == 2:
        clay = f.stone(rng, (168, 84, 58))
        bricks = [
            block(0.24 * (i - 1.5) + 0.01 * (k % 2), 0.13 * (j - 3.5), 0.144 + 0.075 * k, 0.225, 0.12, 0.07, clay)
            for k in range(6)
            for i in range(4)
            for j in range(8)
            if k < 4 or i > 0
        ]
        return whole([one, *bricks])
    return one


def _pallet(wood: Material, rng: Rng, *, broken: bool) -> Mesh:
    parts: Parts = []
    for k, x in enumerate(np.linspace(-0.55, 0.55, 7)):
        end = 0.05 if broken and k in (2, 5) else 0.4
        board = slab((x - 0.055, -0.4, 0.122), (x + 0.055, end, 0.144), wood)
        parts.append(turned(board, "z", float(rng.uniform(-9, 9)), (x, -0.3, 0)) if broken else board)
    for y in (-0.35, 0, 0.35):
        parts += [
            slab((-0.6, y - 0.05, 0.1), (0.6, y + 0.05, 0.122), wood),
            slab((-0.6, y - 0.05, 0), (0.6, y + 0.05, 0.022), wood),
        ]
        parts += [block(x, y, 0.022, 0.14, 0.1, 0.078, wood) for x in (-0.53, 0, 0.53)]
    return whole(parts)


@kind("cargo_debris", 4)
def tyre_stack(variant: int, rng: Rng) -> Mesh:
    """A stack of four, a single tyre that stands, a heap, a tractor tyre."""
    if variant == 3:
        return turned(_tyre(0.75, 0.45, 26), "x", 82)
    if variant == 1:
        return turned(_tyre(0.34, 0.22, 40), "x", 84)
    if variant == 0:
        return whole(
            [
                moved(
                    _tyre(0.33 + 0.015 * (i % 2), 0.2, 28),
                    float(rng.uniform(-0.04, 0.04)),
                    float(rng.uniform(-0.04, 0.04)),
                    0.1 + 0.2 * i,
                )
                for i in range(4)
            ]
        )
    low = [moved(_tyre(0.33, 0.2, 24), 0.36 * np.cos(a), 0.36 * np.sin(a), 0.1) for a in (0.3, 2.4, 4.5)]
    return whole(
        [
            *low,
            moved(turned(_tyre(0.33, 0.2, 24), "y", 22), 0.02, 0.1, 0.36),
            moved(turned(_tyre(0.31, 0.19, 24), "x", 74), -0.55, 0.5, 0.3),
        ]
    )


def _tyre(radius: float, width: float, treads: int) -> Mesh:
    rubber, w = f.rubber(), width / 2
    r = radius
    section = [
        (0.58 * r, -0.8 * w),
        (0.72 * r, -w),
        (0.92 * r, -0.95 * w),
        (0.98 * r, -0.7 * w),
        (0.98 * r, 0.7 * w),
        (0.92 * r, 0.95 * w),
        (0.72 * r, w),
        (0.58 * r, 0.8 * w),
        (0.64 * r, 0.0),
        (0.58 * r, -0.8 * w),
    ]
    lug = [
        turned(
            slab(
                (0.965 * r, -0.05 * r, s * 0.38 * w - 0.34 * w), (1.01 * r, 0.05 * r, s * 0.38 * w + 0.34 * w), rubber
            ),
            "x",
            s * 18,
        )
        for s in (1, -1)
    ]
    return whole([lathe(section, rubber, detail=32), ringed(lug[0], treads), ringed(lug[1], treads, 180 / treads)])


@kind("cargo_debris", 4)
def cardboard_boxes(variant: int, rng: Rng) -> Mesh:
    """One open box, a pile of three, a crushed one, a tall heap of parcels."""
    board, tape = f.cardboard(rng), f.plastic((200, 170, 120), 0.3)
    if variant == 0:
        return whole(_open_box(0.3, 0.4, 0.45, board))
    if variant == 2:
        crumple = noise3(rng, 0.3)
        flat = pad(0, 0, 0, 0.7, 0.6, 0.3, board, 0.2)
        v = flat.vertices.astype(np.float64)
        v[:, 2] *= 1 - 0.4 * np.clip(crumple(v), -0.2, 1)
        v[:, 0] += 0.1 * crumple(v[:, [1, 2, 0]])
        return whole(
            [
                Part(v.astype(np.float32), flat.faces, board, flat.uv),
                turned(slab((0.25, -0.25, 0.2), (0.5, 0.2, 0.21), board), "y", 25),
            ]
        )
    spots = (
        [(0, -0.3, 0, 0.5, 0.45), (0.05, 0.25, 0, 0.45, 0.5), (0, -0.05, 0.42, 0.4, 0.4)]
        if variant == 1
        else [
            (0, -0.4, 0, 0.5, 0.5),
            (0, 0.15, 0, 0.5, 0.5),
            (-0.4, -0.1, 0, 0.4, 0.5),
            (0.02, -0.2, 0.4, 0.5, 0.45),
            (-0.02, 0.25, 0.4, 0.36, 0.4),
            (0, 0, 0.76, 0.4, 0.4),
        ]
    )
    parts: Parts = []
    for x, y, z, dx, dy in spots:
        h = 0.42 if z == 0 else 0.35
        parts.append(
            turned(
                [
                    block(x, y, z, dx, dy, h, board),
                    block(x, y, z + h - 0.004, 0.06, dy + 0.004, 0.006, tape),
                    block(x + dx / 2, y, z + 0.12, 0.004, 0.12, 0.08, f.matt((236, 236, 232))),
                ],
                "z",
                float(rng.uniform(-12, 12)),
                (x, y, 0),
            )
        )
    return whole(parts)


def _open_box(x: float, y: float, z: float, board: Material) -> Parts:
    thin = 0.008
    walls: Parts = [
        slab((-x, -y, 0), (x, y, thin), board),
        *[slab((s * x - thin, -y, 0), (s * x + thin, y, z), board) for s in (1, -1)],
        *[slab((-x, s * y - thin, 0), (x, s * y + thin, z), board) for s in (1, -1)],
    ]
    for s, tilt in ((1, 35), (-1, 50)):
        walls.append(
            turned(
                slab(
                    (s * x, -y, z) if s > 0 else (s * x - 0.28, -y, z),
                    (s * x + 0.28, y, z + thin) if s > 0 else (s * x, y, z + thin),
                    board,
                ),
                "y",
                s * tilt,
                (s * x, 0, z),
            )
        )
        walls.append(
            turned(
                slab(
                    (-x, s * y, z) if s > 0 else (-x, s * y - 0.28, z),
                    (x, s * y + 0.28, z + thin) if s > 0 else (x, s * y, z + thin),
                    board,
                ),
                "x",
                -s * (tilt - 15),
                (0, s * y, z),
            )
        )
    return walls


@kind("cargo_debris", 3)
def sandbags(variant: int, rng: Rng) -> Mesh:
    """A low wall of sandbags, a heap of cement sacks, a big bulk bag."""
    if variant == 2:
        cloth = f.fabric(rng, (226, 222, 210))
        bag = pad(0, 0, 0, 0.95, 0.95, 0.9, cloth, 0.28)
        loops = [
            sweep(
                curve([(s * 0.36, t * 0.2, 0.85), (s * 0.42, t * 0.28, 1.15), (s * 0.3, t * 0.38, 0.85)], 12),
                0.02,
                f.fabric(rng, (40, 80, 160)),
            )
            for s in (1, -1)
            for t in (1, -1)
        ]
        return whole(
            [bag, *loops, ellipsoid((0, 0, 0.82), (0.36, 0.36, 0.2), f.stone(rng, (190, 160, 110)), detail=20)]
        )
    cloth = f.fabric(rng, (176, 152, 104) if variant == 0 else (196, 190, 180))
    parts: Parts = []
    for row in range(3 if variant == 0 else 4):
        count = 4 - row if variant == 0 else 2
        for i in range(count):
            along = (i - (count - 1) / 2) * 0.62
            sack = pad(0, 0, 0, 0.36, 0.64, 0.17, cloth, 0.5)
            if variant == 0:
                loose = turned(sack, "z", float(rng.uniform(-8, 8)))
                parts.append(moved(loose, float(rng.uniform(-0.03, 0.03)), along, 0.14 * row))
                continue
            crosswise = row % 2
            label = slab((-0.08, -0.15, 0.165), (0.08, 0.15, 0.172), f.matt((60, 90, 150)))
            sack_mesh = turned([sack, label], "z", 90 * crosswise + float(rng.uniform(-8, 8)))
            parts.append(moved(sack_mesh, 0.62 * along * (1 - crosswise), 0.62 * along * crosswise, 0.145 * row))
    return whole(parts)


@kind("cargo_debris", 3)
def pipe_stack(variant: int, rng: Rng) -> Mesh:
    """Concrete pipes, plastic pipes in a bundle, rusty steel tubes."""
    material = (f.stone(rng, (168, 166, 160)), f.plastic((216, 110, 40), 0.4), f.rusty(rng, (100, 96, 90), 0.7))[
        variant
    ]
    r, length, wall = ((0.35, 1.5, 0.06), (0.11, 3.0, 0.01), (0.06, 3.2, 0.008))[variant]
    pipe = turned(
        lathe(
            [(r - wall, 0), (r, 0), (r, length), (r - wall, length), (r - wall, 0)], material, detail=28, smooth=False
        ),
        "x",
        90,
    )
    rows = (2, 4, 5)[variant]
    parts: Parts = []
    for row in range(rows):
        for i in range(rows - row):
            shift = float(rng.uniform(-0.08, 0.08)) if variant == 2 else 0.0
            parts.append(moved(pipe, (i - (rows - row - 1) / 2) * 2.02 * r, shift, r + row * 1.75 * r))
    if variant == 1:
        parts += [
            sweep(
                [(-0.46, y, 0.0), (0.46, y, 0.0), (0.12, y, 0.8), (-0.12, y, 0.8), (-0.46, y, 0.0)],
                0.012,
                f.plastic((30, 30, 34)),
                detail=6,
            )
            for y in (-2.4, -0.6)
        ]
    return whole(parts)


@kind("cargo_debris", 3)
def rubble(variant: int, rng: Rng) -> Mesh:
    """A heap of bricks, broken concrete with reinforcing bars, roof tiles."""
    parts: Parts = []
    if variant == 1:
        concrete, rust = f.stone(rng, (160, 158, 152)), f.rusty(rng, (90, 60, 40), 0.8)
        for x, y, z, s in (
            (0, 0, 0.1, 0.36),
            (0.4, 0.25, 0.0, 0.24),
            (-0.38, 0.2, 0.0, 0.28),
            (0.1, -0.42, 0.0, 0.26),
            (-0.3, -0.32, 0.0, 0.2),
        ):
            parts.append(moved(scaled(_chunk(rng, s, concrete), 1.15, 1.15, 0.6), x, y, z + s * 0.3))
        bars = [
            sweep(
                curve(
                    [
                        (0, 0, 0.4),
                        (0.2 * np.cos(a), 0.2 * np.sin(a), 0.75),
                        (0.5 * np.cos(a), 0.5 * np.sin(a), 0.8 + 0.2 * k),
                    ],
                    10,
                ),
                0.011,
                rust,
                detail=6,
            )
            for k, a in enumerate((0.3, 1.6, 3.2, 4.8))
        ]
        return whole([*parts, *bars])
    clay = f.stone(rng, (170, 82, 56) if variant == 0 else (150, 70, 50))
    count = 90 if variant == 0 else 60
    for _ in range(count):
        r, a = 0.75 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
        z = 0.5 * max(0.0, 1 - r / 0.75) * rng.uniform(0.3, 1.0)
        piece = block(0, 0, -0.035, 0.22, 0.11, 0.07, clay) if variant == 0 else _tile(clay)
        piece_mesh = turned(
            turned(turned(piece, "x", float(rng.uniform(-40, 40))), "y", float(rng.uniform(-40, 40))),
            "z",
            float(rng.uniform(0, 360)),
        )
        parts.append(moved(piece_mesh, r * np.cos(a), r * np.sin(a), 0.1 + z))
    parts.append(ellipsoid((0, 0, 0.0), (0.62, 0.62, 0.38), f.stone(rng, (130, 100, 84)), detail=20))
    return _cut_at_ground(whole(parts))


def _cut_at_ground(mesh: Mesh) -> Mesh:
    """The mesh with everything below z = 0 pressed up to it."""
    parts = []
    for part in mesh.parts:
        v = part.vertices.copy()
        v[:, 2] = np.maximum(v[:, 2], 0)
        parts.append(Part(v, part.faces, part.material, part.uv, part.smooth))
    return Mesh(tuple(parts))


def _tile(clay: Material) -> Part:
    bow = arc((0, 0, -0.08), 0.12, 30, 150, "xz", 7)
    sections = np.stack([np.concatenate([bow + (0, y, 0), bow[::-1] + (0, y, -0.015)]) for y in (-0.2, 0.2)])
    return loft(sections[::-1], clay, smooth=False)


def _chunk(rng: Rng, size: float, material: Material) -> Part:
    planes = rng.normal(size=(11, 3))
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    depth = size * rng.uniform(0.55, 0.9, 11)

    def distance(p: np.ndarray) -> np.ndarray:
        out: np.ndarray = (p @ planes.T - depth).max(1)
        return out

    s = size * 1.3
    part = blob(distance, (-s, -s, -s), (s, s, s), material, cell_m=size / 8)
    return Part(part.vertices, part.faces, material, part.uv, smooth=False)


@kind("cargo_debris", 3)
def plank_pile(variant: int, rng: Rng) -> Mesh:
    """Stacked boards, scattered beams, a broken pile with nails."""
    wood = f.wood(rng, ("birch", "weathered", "pine")[variant])
    parts: Parts = []
    if variant == 0:
        for row in range(5):
            parts += [
                slab(
                    (-1.3, -0.42 + 0.17 * i, 0.09 + 0.055 * row),
                    (1.3 + float(rng.uniform(-0.05, 0.05)), -0.27 + 0.17 * i, 0.135 + 0.055 * row),
                    wood,
                )
                for i in range(5)
            ]
        return whole(
            [
                *parts,
                *[slab((x - 0.04, -0.45, 0), (x + 0.04, 0.45, 0.09), f.wood(rng, "oak")) for x in (-0.9, 0.0, 0.9)],
            ]
        )
    thick = 0.05 if variant == 2 else 0.09
    for i in range(9):
        length = float(rng.uniform(0.5, 1.2))
        beam = slab((-length, -0.05, 0), (length, 0.05, thick), wood)
        angle = float(rng.uniform(-35, 35)) + 90 * (i % 2) * (variant == 2)
        parts.append(moved(turned(beam, "z", angle), float(rng.uniform(-0.1, 0.1)), 0, thick * (i // 2)))
    return whole(parts)


@kind("cargo_debris", 3)
def rope_coil(variant: int, rng: Rng) -> Mesh:
    """A neat coil of ship's rope, a chain heap, a tangle of garden hose."""
    if variant == 1:
        steel = f.rusty(rng, (110, 104, 98), 0.5)
        link = whole(
            sweep(
                np.array(
                    [
                        (0.06 * np.cos(a) + 0.03 * np.sign(np.cos(a)), 0.045 * np.sin(a), 0)
                        for a in np.linspace(0, 2 * np.pi, 15)
                    ]
                ),
                0.014,
                steel,
                detail=7,
                caps=False,
            )
        )
        turn = np.linspace(0, 5 * 2 * np.pi, 72)
        parts: Parts = []
        for k, a in enumerate(turn):
            r = 0.16 + 0.011 * a
            z = 0.05 + 0.25 * max(0.0, 1 - r / 0.5)
            parts.append(
                moved(
                    turned(turned(link, "x", 90 * (k % 2)), "z", float(np.degrees(a) + 90)),
                    r * np.cos(a),
                    r * np.sin(a),
                    z,
                )
            )
        return whole(parts)
    material = f.fabric(rng, (190, 160, 104)) if variant == 0 else f.plastic((40, 140, 70), 0.4)
    thick = 0.035 if variant == 0 else 0.018
    if variant == 0:
        turn = np.linspace(0, 6 * 2 * np.pi, 200)
        level = np.floor(turn / (2 * np.pi) / 2) * 0.062
        path = np.stack(
            [
                (0.3 + 0.036 * np.sin(turn / 4)) * np.cos(turn),
                (0.3 + 0.036 * np.sin(turn / 4)) * np.sin(turn),
                thick + np.interp(turn, turn, level) + 0.0,
            ],
            1,
        )
        path[:, 2] = thick + 0.032 * turn / (2 * np.pi)
    else:
        turn = np.linspace(0, 9 * 2 * np.pi, 300)
        field = noise3(rng, 3.0)
        wob = field(np.stack([turn, 0 * turn, 0 * turn], 1))
        path = np.stack(
            [
                (0.36 + 0.1 * wob) * np.cos(turn),
                (0.36 + 0.1 * wob) * np.sin(turn) * 0.8,
                thick + 0.02 * turn / (2 * np.pi) + 0.02 * np.abs(wob),
            ],
            1,
        )
    tail = curve([path[-1], path[-1] + (0.2, 0.25, 0), (0.9, 0.35, thick), (1.1, 0.1, thick)], 14)
    return whole(sweep(np.concatenate([path, tail[1:]]), thick, material, detail=8))


@kind("cargo_debris", 3)
def scrap_metal(variant: int, rng: Rng) -> Mesh:
    """A bent exhaust pipe with silencer, a crumpled metal sheet, a heap of cans and springs."""
    rust, steel = f.rusty(rng, (130, 126, 120), 0.55), f.steel()
    if variant == 0:
        pipe = sweep(
            curve([(-0.9, 0, 0.06), (-0.3, 0.05, 0.1), (0.1, -0.15, 0.16), (0.5, 0.1, 0.1), (0.95, 0.05, 0.14)], 30),
            0.035,
            rust,
        )
        silencer = turned(pad(0, 0, -0.09, 0.55, 0.26, 0.18, rust, 0.5), "z", 10).transformed(
            np.array([[1, 0, 0, -0.25], [0, 1, 0, 0.03], [0, 0, 1, 0.11], [0, 0, 0, 1.0]])
        )
        return whole(
            [pipe, silencer, sweep(curve([(0.3, 0.0, 0.1), (0.4, -0.3, 0.08), (0.7, -0.35, 0.06)], 10), 0.03, rust)]
        )
    if variant == 1:
        x, y = np.meshgrid(np.linspace(-0.9, 0.9, 40), np.linspace(-0.6, 0.6, 28), indexing="ij")
        a, b = noise3(rng, 0.7), noise3(rng, 0.25)
        p = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1)
        z = 0.3 + 0.2 * a(p) + 0.05 * b(p) + 0.05 * np.sin(22 * p[:, 1])
        rows = np.stack([x + 0.1 * a(p[:, [1, 0, 2]]).reshape(x.shape), y, z.reshape(x.shape)], -1)
        return whole(
            [
                loft(rows, rust, closed=False, caps=False, smooth=False),
                loft(rows[::-1] - (0, 0, 0.006), rust, closed=False, caps=False, smooth=False),
            ]
        )
    parts: Parts = []
    for k in range(14):
        paint = f.paint(f.BRIGHT[k % 9]) if k % 2 else steel
        can = moved(lathe([(0, 0), (0.06, 0), (0.06, 0.16), (0, 0.16)], paint, detail=16, smooth=False), z=-0.08)
        lying = turned(turned(can, "y", 90), "z", float(rng.uniform(0, 360)))
        far, turn = 0.13 * np.sqrt(k + 0.5), 2.4 * k
        parts.append(moved(lying, far * np.cos(turn), far * np.sin(turn), 0.06))
    t = np.linspace(0, 7 * 2 * np.pi, 120)
    spring = sweep(np.stack([0.08 * np.cos(t), 0.08 * np.sin(t), 0.055 * t / (2 * np.pi)], 1), 0.013, rust, detail=6)
    return whole([*parts, moved(spring, 0.62, 0.1, 0.0), moved(turned(spring, "x", 90), -0.6, 0.3, 0.09)])


@kind("cargo_debris", 3)
def rubbish_bags(variant: int, rng: Rng) -> Mesh:
    """One black bag, a heap of them, coloured sacks with a broken one."""
    parts: Parts = []
    spots = (
        [(0, 0, 0)]
        if variant == 0
        else [(0, 0, 0), (0.5, 0.25, 0), (-0.3, 0.5, 0), (0.2, 0.3, 0.38)]
        if variant == 1
        else [(0, 0, 0), (0.5, -0.1, 0), (0.1, 0.5, 0)]
    )
    colors = [(28, 28, 30)] if variant < 2 else [(40, 90, 170), (240, 200, 40), (60, 60, 64)]
    for k, (x, y, z) in enumerate(spots):
        plastic = f.plastic(colors[k % len(colors)], 0.22)
        fold, big = noise3(rng, 0.09), noise3(rng, 0.35)

        def bag(p: np.ndarray, fold=fold, big=big) -> np.ndarray:  # type: ignore[no-untyped-def]
            r = np.linalg.norm((p - (0, 0, 0.27)) / (0.3, 0.3, 0.28), axis=1)
            neck = np.linalg.norm(p[:, :2], axis=1) - (0.03 + 0.25 * np.abs(p[:, 2] - 0.58))
            neck = np.where((p[:, 2] > 0.5) & (p[:, 2] < 0.72), neck, 1.0)
            out: np.ndarray = np.minimum((r - 1) * 0.28 + 0.018 * fold(p) + 0.03 * big(p), neck)
            floored: np.ndarray = np.maximum(out, -p[:, 2])
            return floored

        skin = blob(bag, (-0.42, -0.42, 0.0), (0.42, 0.42, 0.75), plastic, cell_m=0.036)
        parts.append(moved(turned(skin, "z", float(rng.uniform(0, 360))), x, y, z))
    return whole(parts)
