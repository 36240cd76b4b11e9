"""Figures of fairy tales: unicorns, snowmen, gnomes and ghosts."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Parts,
    Rng,
    arc,
    curve,
    mirrored,
    moved,
    noise3,
    painted,
    scaled,
    slab,
    turned,
    whole,
)
from caos.assets.modelling.bodies import Body, horn
from caos.assets.modelling.shapes import capsule, cylinder, ellipsoid, lathe, loft, sweep
from caos.assets.objects.animals.horses import HORSE, horse_like


@kind(3)
def unicorn(variant: int, rng: Rng) -> Mesh:
    """A white unicorn, a rearing rosy one, a winged dark one."""
    beast = (HORSE, replace(HORSE, stride=0.25, nod_deg=36), replace(HORSE, stride=-0.15, neck=(0.55, 0.5)))[variant]
    hair = f.fur(rng, ((236, 150, 190), (150, 110, 220), (90, 190, 220))[variant], 0.3)
    skin, parts, head = horse_like(rng, beast, hair)
    color = ((244, 242, 240), (240, 206, 214), (70, 60, 90))[variant]
    coat = painted(skin, f.coat(rng, [(0, color), (1, color)]), lambda p: 0.5 + 0 * p[:, 0])
    tip = head.point(0.25, 0, 1.0)
    spike = sweep(np.array([tip, tip + (0.22, 0, 0.42)]), [0.04, 0.003], f.brass(), detail=12)
    turn = np.linspace(0, 10 * np.pi, 60)
    along = np.linspace(0, 1, 60)
    side, up = np.array([0, 1.0, 0]), np.array([-0.886, 0, 0.464])
    groove = (
        tip
        + np.outer(along, (0.22, 0, 0.42))
        + (0.04 * (1 - along))[:, None] * (np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * up)
    )
    mesh_parts: Parts = [coat, *parts, spike, sweep(groove, 0.006, f.brass(), detail=5)]
    if variant == 2:
        feather = f.fur(rng, (210, 220, 240), 0.3)
        wing = [
            ellipsoid((-0.12 - 0.15 * k, 0, 0.28 + 0.06 * k), (0.1, 0.025, 0.5 - 0.035 * k), feather, detail=12)
            for k in range(6)
        ]
        mesh_parts.append(mirrored(moved(turned(turned(wing, "y", -30), "x", -32), 0.25, 0.26, 1.3)))
    mesh = whole(mesh_parts)
    return turned(mesh, "y", -32, (-0.55, 0, 0)) if variant == 1 else mesh


@kind(3)
def snowman(variant: int, rng: Rng) -> Mesh:
    """A snowman with a top hat, one with a bucket and broom, a melting one with a scarf."""
    snow, coal = Material("snow", (0.82, 0.85, 0.9)), f.matt((20, 20, 22))
    sizes = (0.48, 0.36, 0.26) if variant != 2 else (0.55, 0.36, 0.24)
    heights = (0.42, 1.05, 1.55) if variant != 2 else (0.34, 0.85, 1.28)
    lump = noise3(rng, 0.4)
    body = Body()
    for r, z in zip(sizes, heights, strict=True):
        body.ball((0, 0, z), (r, r, r * (0.92 if variant != 2 else 0.8)))
    skin = body.skin(snow, cell_m=0.045, soft=0.03)
    v = skin.vertices.astype(np.float64)
    v *= 1 + 0.02 * lump(v)[:, None]
    v[:, 2] = np.maximum(v[:, 2], 0.02)
    parts: Parts = [Part(v.astype(np.float32), skin.faces, snow, skin.uv, smooth=True)]
    top, r = heights[2], sizes[2]
    parts.append(sweep([(r * 0.95, 0, top), (r + 0.26, 0, top - 0.02)], [0.045, 0.006], f.plastic((236, 120, 30), 0.5)))
    parts.append(mirrored(ellipsoid((r * 0.9, 0.09, top + 0.08), 0.03, coal, detail=10)))
    parts += [ellipsoid((sizes[1] * 0.98, 0, heights[1] + d), 0.032, coal, detail=10) for d in (-0.15, 0.0, 0.15)]
    parts += [
        ellipsoid((r * 0.93, 0.12 * np.sin(a), top - 0.07 - 0.05 * np.cos(a)), 0.017, coal, detail=8)
        for a in np.linspace(-1.1, 1.1, 6)
    ]
    twig = f.wood(rng, "walnut")
    parts.append(
        mirrored(
            [
                sweep(
                    curve(
                        [(0, 0.3, heights[1] + 0.1), (0.05, 0.6, heights[1] + 0.3), (0.05, 0.85, heights[1] + 0.32)], 8
                    ),
                    np.linspace(0.022, 0.01, 8),
                    twig,
                ),
                sweep([(0.05, 0.7, heights[1] + 0.32), (0.1, 0.8, heights[1] + 0.48)], [0.012, 0.006], twig),
            ]
        )
    )
    if variant == 0:
        parts.append(
            moved(
                lathe(
                    [(0, 0), (0.3, 0), (0.3, 0.02), (0.19, 0.03), (0.2, 0.34), (0, 0.34)],
                    f.fabric(rng, (30, 28, 34)),
                    smooth=False,
                ),
                z=top + 0.2,
            )
        )
    if variant == 1:
        parts += [
            moved(lathe([(0.2, 0.0), (0.14, 0.26), (0, 0.26)], f.metal((150, 154, 160), 0.4)), z=top + 0.13),
            sweep([(0.1, 0.85, 0.0), (0.1, 0.85, 1.6)], 0.018, twig),
            moved(lathe([(0.03, 0.3), (0.16, 0.0), (0, 0.0)], f.straw(rng)), 0.1, 0.85, 1.55).transformed(np.eye(4)),
        ]
    if variant in (0, 2):
        parts += [
            sweep(
                arc((0, 0, top - r * 0.8), r * 0.82, 0, 360, "xy", 28),
                0.06,
                f.striped(rng, [(196, 36, 40), (240, 236, 226)], per_m=4),
                caps=False,
            ),
            sweep(
                [(r * 0.8, 0.08, top - r * 0.85), (sizes[1] * 1.1, 0.14, heights[1] - 0.12)],
                0.05,
                f.striped(rng, [(196, 36, 40), (240, 236, 226)], per_m=4),
            ),
        ]
    return whole(parts)


@kind(3)
def gnome(variant: int, rng: Rng) -> Mesh:
    """A garden gnome with a lantern, a sitting one, one with a fishing rod."""
    hat = f.plastic(((200, 36, 34), (40, 90, 170), (60, 140, 70))[variant], 0.4)
    coat, beard, skin = (
        f.plastic(((40, 80, 160), (60, 130, 70), (190, 120, 40))[variant], 0.45),
        f.plastic((240, 236, 228), 0.5),
        f.plastic((232, 180, 150), 0.4),
    )
    boots = f.plastic((70, 46, 30), 0.4)
    body = (
        Body()
        .chain([(0, 0, 0.2), (0, 0, 0.38)], (0.17, 0.13))
        .chain([(0.02, 0.14, 0.42), (0.1, 0.22, 0.3), (0.17, 0.16, 0.28)], (0.055, 0.05, 0.05), both=True)
    )
    parts: Parts = [
        body.skin(coat, cell_m=0.025, soft=0.03),
        ellipsoid((0.02, 0, 0.58), (0.12, 0.12, 0.13), skin, detail=20),
        ellipsoid((0.14, 0, 0.57), 0.035, skin, detail=12),
        mirrored(ellipsoid((0.115, 0.045, 0.61), 0.017, f.plastic((20, 20, 22), 0.1), detail=8)),
    ]
    beard_body = (
        Body()
        .chain([(0.09, 0, 0.51), (0.13, 0, 0.4), (0.14, 0, 0.3)], (0.09, 0.075, 0.02))
        .ball((0.05, 0.08, 0.52), 0.06, both=True)
    )
    parts += [
        beard_body.skin(beard, cell_m=0.02, soft=0.03),
        sweep(
            curve([(0, 0, 0.64), (-0.01, 0, 0.82), (-0.08, 0, 1.02)], 14), np.linspace(0.135, 0.008, 14), hat, detail=20
        ),
    ]
    if variant == 1:
        parts += [
            mirrored(
                [
                    capsule((0.08, 0.09, 0.1), (0.3, 0.11, 0.08), 0.07, f.plastic((90, 80, 120))),
                    ellipsoid((0.36, 0.11, 0.11), (0.07, 0.065, 0.1), boots, detail=14),
                ]
            ),
            lathe([(0, -0.12), (0.24, -0.12), (0.2, 0.05), (0, 0.08)], f.stone(rng)),
        ]
    else:
        parts.append(mirrored(ellipsoid((0.06, 0.085, 0.05), (0.13, 0.075, 0.06), boots, detail=16)))
    if variant == 0:
        parts += [
            cylinder((0.2, 0.19, 0.28), (0.2, 0.19, 0.2), 0.008, f.brass()),
            lathe([(0, 0), (0.05, 0), (0.045, 0.1), (0, 0.14)], f.plastic((250, 210, 90), 0.1)).transformed(
                np.array([[1, 0, 0, 0.2], [0, 1, 0, 0.19], [0, 0, 1, 0.08], [0, 0, 0, 1.0]])
            ),
        ]
    if variant == 2:
        parts += [
            sweep([(0.1, 0.17, 0.2), (0.75, 0.17, 0.85)], [0.014, 0.005], f.wood(rng, "birch")),
            cylinder((0.75, 0.17, 0.85), (0.75, 0.17, 0.3), 0.003, f.steel(), detail=4),
            ellipsoid((0.75, 0.17, 0.26), (0.03, 0.012, 0.06), f.plastic((230, 120, 60)), detail=10),
        ]
    return scaled(parts, 1.1)


@kind(1)
def ghost(_variant: int, rng: Rng) -> Mesh:
    """A sheet ghost."""
    return _ghost_family(0, rng)


@kind(1)
def jack_in_the_box(_variant: int, rng: Rng) -> Mesh:
    """A jack-in-the-box."""
    return _ghost_family(1, rng)


def _ghost_family(variant: int, rng: Rng) -> Mesh:
    """A sheet ghost, and a jack-in-the-box."""
    if variant == 1:
        return _jack(rng)
    turn = np.linspace(0, 2 * np.pi, 49)[:-1]
    rows = []
    for z in np.linspace(0, 1, 22):
        r = 0.5 * (1 - 0.45 * z) if z < 0.75 else 0.34 * np.sqrt(max(0.0, 1 - ((z - 0.75) / 0.25) ** 2))
        fold = 1 + 0.16 * (1 - z) ** 2 * np.sin(9 * turn)
        rows.append(
            np.stack(
                [
                    max(r, 0.003) * fold * np.cos(turn),
                    max(r, 0.003) * fold * np.sin(turn),
                    1.7 * z + 0.06 * (1 - z) ** 4 * np.sin(9 * turn + 1),
                ],
                1,
            )
        )
    sheet = loft(np.array(rows), f.fabric(rng, (236, 236, 240)))
    holes = mirrored(ellipsoid((0.29, 0.1, 1.38), (0.05, 0.05, 0.085), f.matt((14, 14, 18)), detail=14))
    mouth = ellipsoid((0.345, 0, 1.14), (0.04, 0.06, 0.08), f.matt((14, 14, 18)), detail=14)
    arms = mirrored(
        sweep(
            curve([(0.05, 0.25, 1.0), (0.25, 0.42, 1.05), (0.45, 0.48, 1.0)], 10),
            np.linspace(0.14, 0.06, 10),
            f.fabric(rng, (236, 236, 240)),
        )
    )
    return whole([sheet, holes, mouth, arms])


def _jack(rng: Rng) -> Mesh:
    """A jack-in-the-box."""
    box_paint = f.paint((40, 90, 180))
    t = np.linspace(0, 5 * 2 * np.pi, 80)
    spring = sweep(np.stack([0.13 * np.cos(t), 0.13 * np.sin(t), 0.5 + 0.5 * t / t[-1]], 1), 0.016, f.steel(), detail=6)
    head: Parts = [
        ellipsoid((0, 0, 1.15), 0.2, f.plastic((244, 210, 180), 0.3), detail=24),
        ellipsoid((0.2, 0, 1.14), 0.055, f.plastic((220, 40, 40), 0.2), detail=14),
        mirrored(ellipsoid((0.17, 0.08, 1.22), 0.03, f.plastic((20, 20, 24), 0.1), detail=8)),
        sweep(arc((0.16, 0, 1.12), 0.1, 215, 325, "yz", 10), 0.016, f.plastic((200, 30, 40))),
    ]
    jester = mirrored(
        [
            horn([(0, 0.08, 1.3), (0, 0.26, 1.5), (0, 0.36, 1.36)], 0.1, f.fabric(rng, (200, 40, 60))),
            ellipsoid((0, 0.37, 1.34), 0.035, f.brass(), detail=10),
        ]
    )
    lid = turned(slab((-0.3, -0.3, 0.5), (0.3, 0.3, 0.53), f.paint((220, 50, 50))), "y", -105, (-0.3, 0, 0.5))
    stars = [
        turned(
            moved(
                lathe([(0, 0), (0.13, 0), (0, 0.02)], f.paint((250, 200, 40)), detail=5).transformed(
                    np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
                ),
                0.3,
                0,
                0.25,
            ),
            "z",
            90 * k,
        )
        for k in range(4)
    ]
    return whole(
        [
            slab((-0.3, -0.3, 0), (0.3, 0.3, 0.5), box_paint),
            spring,
            *head,
            jester,
            lid,
            *stars,
            lathe([(0.1, 1.0), (0.24, 0.96), (0.1, 0.98)], f.fabric(rng, (250, 200, 60))),
        ]
    )
