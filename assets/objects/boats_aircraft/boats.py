"""Boats: canoes, rowing and sailing boats."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Parts,
    Rng,
    arc,
    block,
    curve,
    mirrored,
    moved,
    pad,
    ringed,
    slab,
    turned,
    whole,
)
from caos.assets.modelling.bodies import Body
from caos.assets.modelling.shapes import cylinder, ellipsoid, extrude, loft, rounded_box, sweep


def hull(
    length: float, beam: float, depth: float, material: Material, *, stern: float = 0.0, sheer: float = 0.3
) -> Parts:
    """An open boat's skin, outside and in; ``stern`` is the share of the beam kept at the back (0: pointed)."""
    t = np.linspace(-1, 1, 21)
    half = beam / 2 * np.where(t > 0, 1 - np.abs(t) ** 2.2, 1 - (1 - stern) * np.abs(t) ** 2.6)
    rail = depth * (1 + sheer * t**2)
    keel = depth * 0.55 * np.abs(t) ** 6
    turn = np.linspace(0, np.pi, 13)
    rings = []
    for x, w, top, low in zip(t, half, rail, keel, strict=True):
        y = -np.cos(turn) * max(w, 0.004)
        z = top - (top - low) * np.sin(turn) ** 0.7
        rings.append(np.stack([np.full(13, x * length / 2), y, z], 1))
    skin = np.array(rings)
    inner = skin.copy()
    inner[:, :, 1] *= 0.94
    inner[:, :, 2] += 0.025
    return [
        loft(skin, material, closed=False, caps=False),
        loft(inner[::-1], material, closed=False, caps=False),
        *[sweep(skin[:, k], 0.022, material, detail=8) for k in (0, 12)],
        *(
            [
                loft(
                    np.stack([skin[0], np.repeat(skin[0].mean(0, keepdims=True), 13, 0)])[::-1],
                    material,
                    closed=False,
                    caps=False,
                    smooth=False,
                )
            ]
            if stern
            else []
        ),
    ]


@kind(3)
def canoe(variant: int, rng: Rng) -> Mesh:
    """A wooden canoe with paddles, a red one, a kayak with a cockpit."""
    if variant == 2:
        plastic = f.plastic((240, 190, 30), 0.25)
        body = (
            Body()
            .ball((0, 0, 0.17), (1.9, 0.3, 0.17))
            .rod((1.2, 0, 0.2), (1.95, 0, 0.3), 0.12, 0.02)
            .rod((-1.2, 0, 0.2), (-1.95, 0, 0.3), 0.12, 0.02)
        )
        rim = sweep(arc((0, 0, 0.36), 0.24, 0, 360, "xy", 30) * (1.6, 1, 1), 0.022, f.plastic((30, 30, 34)), caps=False)
        hole = ellipsoid((-0.02, 0, 0.33), (0.36, 0.22, 0.03), f.matt((16, 16, 18)), detail=20)
        blade = mirrored(
            [
                ellipsoid((0, 0.95, 0), (0.1, 0.22, 0.02), f.plastic((30, 90, 180)), detail=12),
                cylinder((0, 0, 0), (0, 0.85, 0), 0.016, f.plastic((30, 30, 34))),
            ]
        )
        return whole(
            [body.skin(plastic, cell_m=0.06, soft=0.1), rim, hole, moved(turned(blade, "z", 55), 0.3, 0, 0.42)]
        )
    skin = f.wood(rng, "oak") if variant == 0 else f.paint((180, 30, 32))
    thwarts = [
        block(x, 0, 0.3, 0.16, w, 0.03, f.wood(rng, "birch")) for x, w in ((0.9, 0.56), (0.0, 0.78), (-0.9, 0.56))
    ]
    paddle = [
        cylinder((-0.7, 0, 0), (0.5, 0, 0), 0.017, f.wood(rng, "pine")),
        ellipsoid((0.75, 0, 0), (0.3, 0.085, 0.015), f.wood(rng, "pine"), detail=16),
    ]
    return whole(
        [
            *hull(*((4.2, 0.88, 0.38) if variant == 0 else (3.4, 1.0, 0.44)), skin, sheer=0.3 + 0.4 * variant),
            *thwarts,
            moved(turned(paddle, "z", 8), 0, 0.15, 0.36),
        ]
    )


@kind(3)
def rowing_boat(variant: int, rng: Rng) -> Mesh:
    """A wooden dinghy with oars, a blue fishing boat, an inflatable."""
    if variant == 2:
        grey, dark = f.plastic((150, 154, 160), 0.5), f.plastic((50, 54, 60))
        path = curve(
            [
                (-1.4, 0.62, 0.26),
                (0.6, 0.62, 0.26),
                (1.25, 0.4, 0.36),
                (1.5, 0, 0.44),
                (1.25, -0.4, 0.36),
                (0.6, -0.62, 0.26),
                (-1.4, -0.62, 0.26),
            ],
            40,
        )
        tubes: Parts = [
            sweep(path, 0.22, grey, detail=16),
            mirrored(sweep([(-1.4, 0.62, 0.26), (-1.7, 0.62, 0.28)], [0.22, 0.05], grey, detail=16)),
        ]
        motor: Parts = [
            rounded_box((-1.7, -0.16, 0.55), (-1.4, 0.16, 0.9), 0.06, dark),
            slab((-1.55, -0.06, 0.0), (-1.45, 0.06, 0.6), dark),
            turned(ringed(ellipsoid((0.08, 0, 0), (0.08, 0.04, 0.012), f.steel(), detail=10), 3), "y", 90).transformed(
                translation(-1.6, 0, 0.06)
            ),
        ]
        return whole(
            [
                *tubes,
                slab((-1.3, -0.5, 0.1), (1.1, 0.5, 0.13), dark),
                slab((-1.42, -0.55, 0.1), (-1.36, 0.55, 0.55), f.wood(rng, "oak")),
                *motor,
                pad(0.1, 0, 0.34, 0.25, 1.0, 0.14, grey),
            ]
        )
    skin = f.wood(rng, "pine") if variant == 0 else f.paint((30, 80, 150))
    wood = f.wood(rng, "oak")
    seats = [block(x, 0, 0.32, 0.24, w, 0.035, wood) for x, w in ((0.75, 0.85), (-0.2, 1.15), (-1.15, 1.0))]
    oar = [
        cylinder((0, -0.6, 0), (0, 1.4, 0), 0.022, wood),
        ellipsoid((0, 1.6, 0), (0.07, 0.3, 0.015), wood, detail=14),
    ]
    parts: Parts = [
        *hull(3.2, 1.25, 0.5, skin, stern=0.75),
        *seats,
        mirrored(moved(turned(turned(oar, "x", -14), "z", 12), -0.1, 0.55, 0.62)),
    ]
    if variant == 1:
        parts += [
            rounded_box((0.35, -0.4, 0.4), (1.1, 0.4, 1.15), 0.04, f.paint((236, 234, 226))),
            slab((1.095, -0.3, 0.8), (1.11, 0.3, 1.05), f.glass()),
            cylinder((0.2, 0, 0.4), (0.2, 0, 1.7), 0.03, wood),
        ]
    return whole(parts)


@kind(2)
def sailing_boat(variant: int, rng: Rng) -> Mesh:
    """A dinghy under sail, one with a striped sail."""
    return _sailing_boat_family(variant, rng)


@kind(1)
def windsurfer(_variant: int, rng: Rng) -> Mesh:
    """A windsurf board with its sail."""
    return _sailing_boat_family(2, rng)


def _sailing_boat_family(variant: int, rng: Rng) -> Mesh:
    """A dinghy under sail, one with a striped sail, a windsurfer."""
    cloth = (
        f.fabric(rng, (240, 238, 230)),
        f.striped(rng, [(206, 40, 40), (244, 240, 232)], per_m=2, across=True),
        f.fabric(rng, (40, 150, 170)),
    )[variant]
    spar = f.metal((200, 204, 208), 0.35)
    height = (4.2, 3.6, 3.4)[variant]
    luff = np.array([(0.0, 0, 0.9), (0.0, 0, height)])
    clew = np.array([-1.7, 0.35, 0.85])
    rows = []
    for k in np.linspace(0, 1, 12):
        a = luff[0] * (1 - k) + luff[1] * k
        b = clew * (1 - k) + luff[1] * k
        s = np.linspace(0, 1, 9)[:, None]
        belly = np.sin(np.pi * s[:, 0]) * 0.22 * (1 - k)
        rows.append(a * (1 - s) + b * s + np.stack([0 * belly, belly, 0 * belly], 1))
    sail = np.array(rows)
    sails = [
        loft(sail, cloth, closed=False, caps=False),
        loft(sail[::-1] + (0, 0.008, 0), cloth, closed=False, caps=False),
    ]
    mast = sweep([(0.03, 0, 0.2), (0.03, 0, height + 0.15)], [0.035, 0.02], spar)
    if variant == 2:
        board = pad(-0.1, 0, 0, 2.8, 0.62, 0.12, f.plastic((240, 240, 236), 0.2), 0.6)
        boom = [
            sweep(
                arc((-0.75, 0.15, 1.35), 0.8, 0, 360, "xy", 30) * (1, 0.45, 1) + (0, 0.1, 0),
                0.016,
                f.rubber(),
                caps=False,
            )
        ]
        return whole(
            [
                board,
                mast,
                *sails,
                *boom,
                moved(
                    extrude(np.array([(-1.2, 0), (-1.45, 0.0), (-1.5, 0.3), (-1.35, 0.2)]), -0.01, 0.01, f.rubber()),
                    0,
                    0,
                    0,
                ),
            ]
        )
    skin = f.paint((226, 226, 220) if variant == 0 else (30, 60, 110))
    jib_edge = [np.array([(1.4, 0, 0.65), (0.05, 0, height * 0.82)]), np.array([-0.1, 0.25, 0.8])]
    tri = np.stack([np.linspace(jib_edge[0][0], jib_edge[0][1], 9), np.linspace(jib_edge[1], jib_edge[0][1], 9)], 1)
    jib = [loft(tri, cloth, closed=False, caps=False), loft(tri[::-1] + (0, 0.008, 0), cloth, closed=False, caps=False)]
    boom = [sweep([(0, 0, 0.85), (-1.75, 0.36, 0.82)], 0.025, spar)]
    return whole(
        [
            *hull(3.4, 1.3, 0.5, skin, stern=0.8, sheer=0.2),
            mast,
            *sails,
            *jib,
            *boom,
            slab((-1.4, -0.5, 0.36), (1.0, 0.5, 0.39), f.wood(rng, "oak")),
            block(-1.72, 0, 0.1, 0.04, 0.35, 0.6, f.wood(rng, "oak")),
        ]
    )
