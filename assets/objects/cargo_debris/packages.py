"""Barrels, crates, pallets and boxes."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, block, mirrored, moved, noise3, pad, slab, turned, whole
from caos.assets.modelling.shapes import box, cylinder, ellipsoid, lathe


@kind(5, fallen=True)
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


@kind(5, fallen=True)
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


@kind(4, fallen=True)
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


@kind(4)
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
