"""Toys: teddy bears, rocking horses, blocks and rubber ducks."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, arc, block, mirrored, moved, pad, scaled, slab, turned, whole
from caos.assets.modelling.bodies import Body, Head
from caos.assets.modelling.shapes import cylinder, ellipsoid, lathe, rounded_box, sweep


@kind(4)
def teddy_bear(variant: int, rng: Rng) -> Mesh:
    """A sitting teddy bear: brown, cream with a bow, a pink one on its back, a giant dark one with a scarf."""
    color = ((164, 106, 56), (226, 200, 160), (226, 150, 170), (92, 60, 40))[variant]
    plush, light = f.fur(rng, color, 0.35), f.fur(rng, tuple(min(c + 60, 245) for c in color), 0.3)
    body = Body().ball((0, 0, 0.24), (0.2, 0.2, 0.24))
    head = Head(np.array([0.03, 0, 0.6]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.26, 0.19, 0.08)
    body.ball(head.at, (0.18, 0.2, 0.18)).ball(head.at + (-0.02, 0.15, 0.15), (0.045, 0.07, 0.07), both=True)
    body.chain([(0.02, 0.15, 0.38), (0.14, 0.27, 0.26)], (0.08, 0.075), both=True)
    body.chain([(0.06, 0.12, 0.09), (0.3, 0.2, 0.09)], (0.1, 0.09), both=True)
    skin = body.skin(plush, cell_m=0.022, soft=0.03)
    soles = mirrored(ellipsoid((0.375, 0.2, 0.1), (0.03, 0.07, 0.08), light, detail=14))
    snout = ellipsoid(head.at + (0.17, 0, -0.04), (0.07, 0.08, 0.065), light, detail=16)
    tummy = ellipsoid((0.1, 0, 0.24), (0.12, 0.14, 0.17), light, detail=18)
    face: Parts = [
        mirrored(ellipsoid(head.at + (0.165, 0.075, 0.05), 0.02, f.plastic((16, 14, 14), 0.1), detail=10)),
        ellipsoid(head.at + (0.235, 0, -0.015), (0.02, 0.03, 0.022), f.plastic((20, 18, 18), 0.2), detail=10),
    ]
    parts: Parts = [skin, soles, snout, tummy, *face]
    if variant in (1, 2):
        parts += [
            mirrored(ellipsoid((0.18, 0.07, 0.44), (0.03, 0.07, 0.045), f.fabric(rng, (190, 30, 50)), detail=12)),
            ellipsoid((0.19, 0, 0.44), 0.028, f.fabric(rng, (190, 30, 50)), detail=10),
        ]
    if variant == 3:
        parts.append(
            sweep(
                arc((0.02, 0, 0.44), 0.17, 0, 360, "xy", 28),
                0.04,
                f.striped(rng, [(200, 40, 40), (240, 230, 210)], per_m=3),
                caps=False,
            )
        )
    mesh = scaled(parts, (1.0, 1.3, 1.1, 2.0)[variant])
    return turned(mesh, "y", -90) if variant == 2 else mesh


@kind(3, fallen=True)
def rocking_horse(variant: int, rng: Rng) -> Mesh:
    """A painted rocking horse, a plain wooden one, a plush one."""
    hide = (f.paint((226, 220, 206)), f.wood(rng, "pine"), f.fur(rng, (176, 116, 66)))[variant]
    rail = (f.paint((190, 40, 40)), f.wood(rng, "oak"), f.wood(rng, "birch"))[variant]
    fat = (0.13, 0.1, 0.18)[variant]
    body = (
        Body()
        .rod((0.2, 0, 0.62), (-0.22, 0, 0.6), fat, fat)
        .chain([(0.24, 0, 0.66), (0.38, 0, 0.92), (0.42, 0, 1.0)], (0.1, 0.075, 0.07))
    )
    body.rod((0.42, 0, 1.0), (0.58, 0, 0.9), 0.075, 0.045).rod(
        (0.4, 0.035, 1.05), (0.39, 0.045, 1.13), 0.02, 0.008, both=True
    )
    body.chain([(0.2, 0.08, 0.58), (0.36, 0.13, 0.36), (0.42, 0.16, 0.14)], (0.065, 0.042, 0.04), both=True)
    body.chain([(-0.22, 0.08, 0.58), (-0.34, 0.13, 0.36), (-0.42, 0.16, 0.14)], (0.075, 0.045, 0.04), both=True)
    skin = body.skin(hide, cell_m=0.02, soft=0.04)
    hair = f.fur(rng, (60, 40, 26)) if variant != 1 else f.straw(rng)
    mane = Body()
    for t in np.linspace(0, 1, 7):
        c = np.array([0.2 + 0.17 * t, 0, 0.76 + 0.32 * t])
        mane.rod(c, c + (-0.04, 0.03, -0.07), 0.03, 0.015)
    mane.chain([(-0.34, 0, 0.66), (-0.46, 0, 0.6), (-0.5, 0, 0.38)], (0.03, 0.04, 0.015))
    runners = mirrored(moved(sweep(arc((0, 0, 1.25), 1.22, -122, -58, "xz", 20), 0.03, rail), y=0.18))
    bars = [block(x, 0, 0.1, 0.07, 0.42, 0.03, rail) for x in (0.4, -0.4)]
    saddle = pad(-0.02, 0, 0.66, 0.28, 0.3, 0.12, f.leather(rng, (150, 36, 36)), 0.6)
    eye = mirrored(ellipsoid((0.47, 0.06, 1.0), 0.018, f.plastic((12, 12, 12), 0.1), detail=8))
    return whole(
        [
            skin,
            mane.skin(hair, cell_m=0.018, soft=0.02),
            runners,
            *bars,
            saddle,
            eye,
            cylinder((0.36, -0.16, 0.9), (0.36, 0.16, 0.9), 0.015, rail),
        ]
    )


@kind(3)
def toy_blocks(variant: int, rng: Rng) -> Mesh:
    """A tower of coloured cubes, a giant studded brick castle, a stacking-ring toy."""
    if variant == 2:
        return _ring_tower(rng)
    parts: Parts = []
    if variant == 0:
        size = 0.26
        for x, y, z, k in (
            (0, 0, 0, 0),
            (0, 1.05, 0, 1),
            (0, -1.05, 0, 2),
            (0, 0.5, 1, 3),
            (0, -0.5, 1, 4),
            (0, 0.05, 2, 5),
        ):
            cube = turned(
                rounded_box((-size / 2, -size / 2, 0), (size / 2, size / 2, size), 0.02, f.wood(rng, "pine")),
                "z",
                float(rng.uniform(-14, 14)),
            )
            face = [
                turned(
                    moved(
                        slab(
                            (size / 2, -size * 0.36, size * 0.14),
                            (size / 2 + 0.006, size * 0.36, size * 0.86),
                            f.paint(f.BRIGHT[k]),
                        ),
                        0,
                    ),
                    "z",
                    90 * i,
                )
                for i in range(4)
            ]
            parts.append(moved([cube, *[turned(p, "z", 0) for p in face]], x * size, y * size, z * size))
        return whole(parts)
    unit = 0.16
    for x, y, z, nx, ny, k in (
        (0, -2, 0, 2, 4, 0),
        (0, 2, 0, 2, 4, 1),
        (0, 0, 1, 2, 4, 2),
        (0, -3, 1, 2, 2, 3),
        (0, 3, 1, 2, 2, 4),
        (0, -2, 2, 2, 2, 5),
        (0, 2, 2, 2, 2, 6),
    ):
        plastic = f.plastic(f.BRIGHT[k], 0.2)
        parts.append(block(x * unit, y * unit, z * 0.19, nx * unit - 0.004, ny * unit - 0.004, 0.19, plastic))
        for i in range(nx):
            for j in range(ny):
                at = ((x + i - (nx - 1) / 2) * unit, (y + j - (ny - 1) / 2) * unit, (z + 1) * 0.19)
                parts.append(cylinder(at, (at[0], at[1], at[2] + 0.035), 0.048, plastic, detail=14))
    return whole(parts)


def _ring_tower(_rng: Rng) -> Mesh:
    """A stacking-ring toy."""
    rings = [
        sweep(
            arc((0, 0, 0.12 + 0.16 * i), 0.3 - 0.04 * i, 0, 360, "xy", 36),
            0.085,
            f.plastic(f.BRIGHT[i], 0.25),
            detail=14,
            caps=False,
        )
        for i in range(5)
    ]
    return whole(
        [
            lathe([(0, 0), (0.36, 0), (0.36, 0.06), (0, 0.06)], f.plastic((250, 220, 60))),
            sweep([(0, 0, 0), (0, 0, 0.95)], [0.08, 0.04], f.plastic((240, 240, 236))),
            *rings,
            ellipsoid((0, 0, 0.95), 0.1, f.plastic((220, 40, 40), 0.25), detail=20),
        ]
    )


@kind(3)
def rubber_duck(variant: int, rng: Rng) -> Mesh:
    """A giant rubber duck, one with a top hat, a pirate one."""
    yellow, orange = f.plastic((250, 206, 40), 0.25), f.plastic((240, 120, 30), 0.3)
    body = (
        Body()
        .ball((0, 0, 0.3), (0.46, 0.34, 0.3))
        .rod((-0.35, 0, 0.4), (-0.56, 0, 0.56), 0.12, 0.03)
        .ball((-0.04, 0.3, 0.36), (0.24, 0.07, 0.15), both=True)
    )
    body.rod((0.22, 0, 0.45), (0.22, 0, 0.62), 0.18).ball((0.22, 0, 0.76), 0.25)
    beak = Body().ball((0.5, 0, 0.72), (0.12, 0.13, 0.035)).ball((0.47, 0, 0.68), (0.1, 0.1, 0.03))
    eye = mirrored(
        [
            ellipsoid((0.41, 0.11, 0.84), (0.03, 0.045, 0.06), f.plastic((250, 250, 250), 0.1), detail=12),
            ellipsoid((0.435, 0.115, 0.84), (0.015, 0.025, 0.035), f.plastic((16, 16, 16), 0.1), detail=10),
        ]
    )
    parts: Parts = [body.skin(yellow, cell_m=0.032, soft=0.07), beak.skin(orange, cell_m=0.02, soft=0.02), eye]
    if variant == 1:
        parts.append(
            moved(
                lathe(
                    [(0, 0), (0.28, 0), (0.28, 0.02), (0.17, 0.03), (0.18, 0.34), (0, 0.34)],
                    f.fabric(rng, (30, 28, 34)),
                    smooth=False,
                ),
                0.2,
                0,
                0.96,
            )
        )
        parts.append(
            moved(
                lathe([(0.173, 0.03), (0.178, 0.03), (0.18, 0.1), (0.173, 0.1)], f.fabric(rng, (190, 40, 50))),
                0.2,
                0,
                0.96,
            )
        )
    if variant == 2:
        parts += [
            ellipsoid((0.2, 0, 0.88), (0.26, 0.265, 0.16), f.fabric(rng, (190, 30, 36)), detail=24),
            lathe([(0, 0), (0.07, 0), (0, 0.02)], f.matt((20, 20, 22))).transformed(
                np.array([[0, 0, 1, 0.43], [1, 0, 0, 0.11], [0, 1, 0, 0.84], [0, 0, 0, 1.0]])
            ),
        ]
    return scaled(parts, (1.0, 1.15, 0.85)[variant])
