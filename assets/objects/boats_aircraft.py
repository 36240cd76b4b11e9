"""Boats and aircraft, small enough to lie on a road."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from assets import finishes as f
from assets.bodies import Body
from assets.craft import arc, block, curve, mirrored, moved, pad, ringed, scaled, slab, turned, wheel, whole
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import capsule, cylinder, ellipsoid, extrude, lathe, loft, rounded_box, sweep

Rng = np.random.Generator
Parts = list[Mesh | Part]


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


@kind("boats_aircraft", 3)
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


@kind("boats_aircraft", 3)
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
                _put(-1.6, 0, 0.06)
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


def _put(x: float, y: float, z: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


@kind("boats_aircraft", 2)
def sailing_boat(variant: int, rng: Rng) -> Mesh:
    """A dinghy under sail, one with a striped sail."""
    return _sailing_boat_family(variant, rng)


@kind("boats_aircraft", 1)
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


@kind("boats_aircraft", 4, fallen=True)
def surfboard(variant: int, _rng: Rng) -> Mesh:
    """A longboard, a short thruster, a body board, a stand-up paddle board."""
    length, width = ((2.7, 0.56), (1.85, 0.5), (1.1, 0.55), (3.2, 0.8))[variant]
    x = np.linspace(-1, 1, 31)
    nose = (2.4, 3.0, 8.0, 4.0)[variant]
    half = (
        width
        / 2
        * np.where(x > 0, np.clip(1 - np.abs(x) ** nose, 0, 1) ** 0.6, np.clip(1 - 0.86 * np.abs(x) ** 3, 0, 1) ** 0.7)
    )
    colors = ((40, 150, 180), (240, 240, 236), (230, 80, 130), (60, 130, 80))[variant]
    turn = np.linspace(0, 2 * np.pi, 17)[:-1]
    rocker = 0.12 * length / 2.7 * np.where(x > 0, x**4, 0.4 * x**4)
    sections = np.stack(
        [
            np.stack([np.full(16, a * length / 2), max(w, 0.004) * np.cos(turn), r + 0.035 * np.sin(turn)], 1)
            for a, w, r in zip(x, half, rocker, strict=True)
        ]
    )
    board = loft(sections, f.plastic(colors, 0.15))
    stripe = f.plastic(((244, 240, 230), (220, 40, 40), (40, 60, 160), (240, 230, 200))[variant], 0.15)
    line = [
        sweep(
            [(a * length / 2, o, r + 0.034) for a, r in zip(x[2:-3], rocker[2:-3], strict=True)],
            0.012 if o else 0.02,
            stripe,
            detail=5,
        )
        for o in ((0.0, 0.1, -0.1) if variant != 1 else (0.0,))
    ]
    fins = (
        []
        if variant == 2
        else [
            moved(
                turned(
                    extrude(
                        np.array([(0.1, 0), (-0.1, 0), (-0.14, -0.2), (-0.05, -0.16)]),
                        -0.006,
                        0.006,
                        f.plastic((40, 40, 44)),
                    ),
                    "x",
                    90,
                ),
                -length * 0.4,
                y,
                -0.02,
            )
            for y in ((0,) if variant in (0, 3) else (0, 0.14, -0.14))
        ]
    )
    flat = whole([board, *line, *fins])
    if variant == 3:
        paddle = [
            cylinder((-0.9, 0, 0), (0.6, 0, 0), 0.016, f.rubber()),
            ellipsoid((0.8, 0, 0), (0.22, 0.1, 0.015), f.plastic((240, 120, 30)), detail=14),
        ]
        return whole([flat, moved(turned(paddle, "z", 14), 0, 0, 0.09)])
    return flat


@kind("boats_aircraft", 3)
def helicopter(variant: int, _rng: Rng) -> Mesh:
    """A light helicopter, a bubble-canopy one with a lattice tail, a rescue one."""
    color = ((200, 40, 36), (236, 190, 40), (240, 240, 236))[variant]
    paint, dark, steel = f.paint(color), f.plastic((36, 36, 40)), f.steel()
    body = Body().ball((0.3, 0, 1.1), (1.15, 0.62, 0.68))
    tail_parts: Parts = []
    if variant == 1:
        frame = [sweep([(-0.6, y, z), (-3.2, 0, 1.35)], 0.03, paint) for y, z in ((0.3, 0.9), (-0.3, 0.9), (0, 1.5))]
        braces = [
            sweep(
                [(-0.8 - 0.5 * k, s * (0.27 - 0.05 * k), 0.93 + 0.08 * k), (-1.0 - 0.5 * k, 0, 1.48 - 0.03 * k)],
                0.016,
                paint,
                detail=6,
            )
            for k in range(5)
            for s in (1, -1)
        ]
        tail_parts = [*frame, *braces]
    else:
        body.rod((-0.5, 0, 1.3), (-3.0, 0, 1.45), 0.3, 0.11)
    skin = body.skin(paint if variant != 1 else f.glass(), cell_m=0.085, soft=0.25)
    canopy = (
        ellipsoid((0.62, 0, 1.22), (0.9, 0.58, 0.52), f.glass(), detail=28)
        if variant != 1
        else rounded_box((-0.7, -0.4, 0.6), (0.1, 0.4, 1.5), 0.1, paint)
    )
    fin: Parts = [
        turned(slab((-3.35, -0.02, 1.3), (-2.95, 0.02, 2.15), paint), "y", 0),
        slab((-2.8, -0.6, 1.42), (-2.5, 0.6, 1.45), paint),
    ]
    rotor = ringed(slab((0.1, -0.1, 0), (3.0, 0.1, 0.025), dark), 2 if variant == 1 else 4)
    small = turned(ringed(slab((0.03, -0.04, -0.01), (0.5, 0.04, 0.01), dark), 2), "x", 90)
    skids = mirrored(
        [
            sweep(curve([(1.25, 0.75, 0.16), (1.05, 0.75, 0.05), (-0.9, 0.75, 0.05)], 16), 0.04, steel),
            *[sweep(curve([(x, 0.3, 0.55), (x, 0.62, 0.4), (x, 0.75, 0.06)], 8), 0.03, steel) for x in (0.7, -0.4)],
        ]
    )
    parts: Parts = [
        skin,
        canopy,
        *fin,
        moved(rotor, 0.1, 0, 2.12),
        moved(small, -3.15, 0.1, 1.8),
        skids,
        cylinder((0.1, 0, 1.6), (0.1, 0, 2.15), 0.06, steel),
        *tail_parts,
        ellipsoid((-0.1, 0, 1.72), (0.7, 0.32, 0.2), paint, detail=18),
    ]
    if variant == 2:
        red = f.paint((200, 30, 30))
        parts += [slab((-0.2, s * 0.635 - 0.01, 1.0), (0.25, s * 0.635 + 0.01, 1.12), red) for s in (1, -1)] + [
            slab((-0.03, s * 0.635 - 0.01, 0.85), (0.08, s * 0.635 + 0.01, 1.28), red) for s in (1, -1)
        ]
    return whole(parts)


@kind("boats_aircraft", 4)
def aeroplane(variant: int, rng: Rng) -> Mesh:
    """A biplane, a light aircraft, a glider, a toy-like jet."""
    color = ((196, 36, 36), (240, 238, 232), (244, 244, 242), (60, 90, 130))[variant]
    paint, trim = f.paint(color), f.paint(((244, 240, 226), (30, 70, 150), (200, 40, 40), (220, 180, 40))[variant])
    span, length = ((5.0, 4.2), (6.4, 4.8), (8.5, 4.6), (3.6, 5.0))[variant]
    nose, fat = length * 0.4, (0.42, 0.45, 0.3, 0.38)[variant]
    stations = [
        (nose, 0.55, 0),
        (nose - 0.15, 0.85, 0),
        (nose - 0.9, 1.0, 0.03),
        (0, 0.98, 0.05),
        (-length * 0.25, 0.6, 0.1),
        (-length * 0.55, 0.2, 0.18),
    ]
    turn = np.linspace(0, 2 * np.pi, 21)[:-1]
    z0 = 1.0 if variant != 2 else 0.55
    body = loft(
        np.stack(
            [
                np.stack([np.full(20, x), fat * r * np.cos(turn), z0 + dz + fat * r * 1.15 * np.sin(turn)], 1)
                for x, r, dz in stations
            ]
        )[::-1],
        paint,
    )
    chord = (0.85, 1.0, 0.55, 1.1)[variant]
    high = z0 + (0.42 if variant == 1 else -0.15)
    sweep_back = 0.9 if variant == 3 else 0.0
    wing = _wing(span, chord, 0.5 if variant == 3 else 0.75, sweep_back, trim if variant == 0 else paint)
    parts: Parts = [
        body,
        moved(wing, 0.35, 0, high),
        moved(_wing(span * 0.34, chord * 0.6, 0.7, sweep_back * 0.3, trim), -length * 0.5, 0, z0 + 0.22),
    ]
    fin = extrude(
        np.array([(-length * 0.38, 0), (-length * 0.56, 0), (-length * 0.6, 0.75), (-length * 0.5, 0.75)]),
        -0.03,
        0.03,
        trim,
    )
    parts.append(moved(turned(fin, "x", 90), 0, 0, z0 + 0.2))
    parts.append(
        ellipsoid((0.45 if variant != 2 else 0.7, 0, z0 + fat * 0.9), (0.6, fat * 0.72, 0.32), f.glass(), detail=20)
    )
    parts += _undercarriage(variant, nose, z0)
    if variant in (0, 1):
        prop = turned(
            ringed(ellipsoid((0.42, 0, 0), (0.42, 0.07, 0.02), f.wood(rng, "walnut"), detail=14), 2, 30), "y", 90
        )
        parts += [moved(prop, nose + 0.12, 0, z0), ellipsoid((nose + 0.1, 0, z0), (0.16, 0.1, 0.1), trim, detail=14)]
    if variant == 0:
        parts += [
            moved(_wing(span, chord, 0.85, 0, trim), 0.55, 0, z0 + 0.95),
            mirrored(
                [
                    cylinder((x, 1.6, z0 - 0.12), (x + 0.2, 1.6, z0 + 0.95), 0.025, f.wood(rng, "oak"), detail=8)
                    for x in (0.2, 0.75)
                ]
            ),
            mirrored(cylinder((0.5, 0.3, z0 + 0.4), (0.6, 0.35, z0 + 0.95), 0.025, paint)),
        ]
    if variant == 3:
        parts += [
            mirrored(capsule((-0.6, 0.75, z0 - 0.25), (0.5, 0.75, z0 - 0.25), 0.16, f.steel())),
            sweep(
                [(-length * 0.55, 0, z0 + 0.18), (-length * 0.6, 0, z0 + 0.18)],
                [0.16, 0.12],
                f.metal((60, 60, 64), 0.4),
            ),
        ]
    return scaled(parts, 0.85)


def _wing(span: float, chord: float, taper: float, back: float, material: Material) -> Part:
    t = np.linspace(0, 2 * np.pi, 19)[:-1]
    section = np.stack([0.5 * np.cos(t), 0 * t, 0.06 * np.sin(t) * (1.2 + np.cos(t))], 1)
    ys = np.linspace(-1, 1, 9)
    rings = [section * chord * (1 - (1 - taper) * abs(y)) + (-back * abs(y), y * span / 2, 0.05 * abs(y)) for y in ys]
    return loft(np.stack(rings)[::-1], material)


def _undercarriage(variant: int, nose: float, z0: float) -> Parts:
    tyre, steel = f.rubber(), f.steel()
    if variant == 2:
        return [
            moved(wheel(0.2, 0.1, tyre, steel), 0.6, 0, 0.2),
            cylinder((0.6, -0.06, 0.2), (0.6, 0.06, 0.2), 0.05, steel),
        ]
    legs_parts: Parts = [
        mirrored(
            [
                sweep([(0.55, 0.25, z0 - 0.3), (0.6, 0.7, 0.25)], 0.035, steel),
                moved(wheel(0.24, 0.1, tyre, steel), 0.6, 0.74, 0.24),
            ]
        )
    ]
    if variant == 0:
        return [
            *legs_parts,
            sweep([(-1.9, 0, z0 + 0.1), (-2.1, 0, 0.6)], 0.03, steel),
            moved(wheel(0.1, 0.05, tyre, steel), -2.12, 0, 0.56),
        ]
    return [
        *legs_parts,
        sweep([(nose - 0.4, 0, z0 - 0.3), (nose - 0.35, 0, 0.2)], 0.03, steel),
        moved(wheel(0.18, 0.09, tyre, steel), nose - 0.35, 0, 0.18),
    ]


@kind("boats_aircraft", 3)
def drone(variant: int, rng: Rng) -> Mesh:
    """A camera quadcopter, a six-rotor carrier with a parcel, a racing frame."""
    arms, span = ((4, 0.4), (6, 0.8), (4, 0.3))[variant]
    shell, dark = f.plastic(((232, 232, 230), (40, 42, 46), (210, 60, 40))[variant], 0.3), f.plastic((36, 36, 40))
    z = 0.24 if variant != 1 else 0.6
    arm: Parts = [
        sweep([(0.05, 0, z), (span, 0, z + 0.02)], 0.022, shell),
        cylinder((span, 0, z - 0.01), (span, 0, z + 0.06), 0.04, dark, detail=14),
        moved(ringed(ellipsoid((0.15, 0, 0), (0.15, 0.022, 0.006), dark, detail=12), 2, 20), span, 0, z + 0.07),
    ]
    if variant == 0:
        arm.append(
            sweep(
                arc((span, 0, z + 0.05), 0.21, 0, 360, "xy", 28), 0.008, f.plastic((240, 120, 30)), detail=5, caps=False
            )
        )
    body = pad(0, 0, z - 0.06, 0.36 if variant != 1 else 0.5, 0.24 if variant != 1 else 0.5, 0.14, shell, 0.5)
    feet = ringed(
        sweep(curve([(0.1, 0.08, z - 0.03), (0.2, 0.12, z * 0.4), (0.24, 0.12, 0.0)], 10), 0.013, dark), 4, 45
    )
    load: Parts = (
        [moved(whole(block(0, 0, 0, 0.3, 0.36, 0.26, f.cardboard(rng))), 0, 0, 0.24)]
        if variant == 1
        else [
            ellipsoid((0.17, 0, z - 0.06), 0.05, dark, detail=14),
            cylinder((0.2, 0, z - 0.06), (0.235, 0, z - 0.06), 0.03, f.glass()),
        ]
    )
    return scaled([ringed(arm, arms, 45 if arms == 4 else 30), body, feet, *load], (1.5, 1.1, 1.6)[variant])


@kind("boats_aircraft", 3)
def hot_air_balloon(variant: int, rng: Rng) -> Mesh:
    """A small balloon with its basket, one with a rainbow envelope, an empty basket with burner."""
    wicker, rope = f.straw(rng), f.matt((180, 160, 120))
    bowl = loft(
        np.stack(
            [
                np.concatenate([np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * s, np.full((4, 1), z)], 1)
                for s, z in ((0.42, 0), (0.5, 0.85), (0.46, 0.85), (0.38, 0.06))
            ]
        ),
        wicker,
        smooth=False,
    )
    rim = sweep(
        [(0.5, 0.5, 0.86), (-0.5, 0.5, 0.86), (-0.5, -0.5, 0.86), (0.5, -0.5, 0.86), (0.5, 0.5, 0.86)],
        0.045,
        f.leather(rng, (110, 60, 30)),
    )
    burner: Parts = [
        ringed(sweep([(0.48, 0.48, 0.86), (0.3, 0.3, 1.7)], 0.022, f.steel()), 4),
        slab((-0.3, -0.3, 1.7), (0.3, 0.3, 1.74), f.steel()),
        cylinder((0, 0, 1.74), (0, 0, 1.95), 0.09, f.steel()),
    ]
    if variant == 2:
        return whole(
            [
                bowl,
                rim,
                *burner,
                *[
                    moved(lathe([(0, 0), (0.13, 0), (0.13, 0.4), (0, 0.46)], f.steel()), x, y, 0.05)
                    for x, y in ((0.2, 0.2), (-0.2, -0.2))
                ],
                *[
                    moved(pad(0, 0, 0, 0.16, 0.22, 0.3, f.fabric(rng, (150, 120, 80)), 0.6), 0.56, y, 0.35)
                    for y in (-0.25, 0.25)
                ],
            ]
        )
    colors = [
        [(206, 40, 40), (244, 236, 216)],
        [(200, 40, 40), (236, 130, 30), (246, 210, 50), (60, 150, 80), (40, 90, 180), (110, 60, 150)],
    ][variant]
    cloths = [f.fabric(rng, c) for c in colors]
    shapes = (
        [(0.55, 2.3), (1.2, 3.2), (1.75, 4.3), (1.6, 5.4), (0.9, 6.1), (0.02, 6.3)],
        [(0.5, 2.3), (1.0, 2.8), (1.6, 3.5), (1.85, 4.3), (1.5, 5.1), (0.02, 5.5)],
    )
    profile = curve(shapes[variant], 18)
    gores = (12, 18)[variant]
    envelope: Parts = []
    for k in range(gores):
        a = 2 * np.pi * np.linspace(k, k + 1, 5) / gores
        puff = 1 + 0.03 * np.sin(np.pi * np.linspace(0, 1, 5))
        rows = np.stack([np.stack([r * puff * np.cos(a), r * puff * np.sin(a), np.full(5, z)], 1) for r, z in profile])
        envelope.append(loft(rows, cloths[k % len(cloths)], closed=False, caps=False))
    lines = ringed(sweep([(0.45, 0.45, 0.9), (0.39, 0.39, 2.35)], 0.012, rope, detail=5), 4)
    return whole([bowl, rim, *burner, *envelope, lines, lathe([(0.56, 2.3), (0.5, 2.3)], cloths[0])])


@kind("boats_aircraft", 1)
def jet_ski(_variant: int, rng: Rng) -> Mesh:
    """A jet ski."""
    return _jet_ski_family(0, rng)


@kind("boats_aircraft", 1)
def snowmobile(_variant: int, rng: Rng) -> Mesh:
    """A snowmobile."""
    return _jet_ski_family(1, rng)


def _jet_ski_family(variant: int, rng: Rng) -> Mesh:
    """A jet ski, and a snowmobile."""
    paint = f.paint(((40, 110, 190), (210, 40, 40))[variant])
    dark = f.plastic((36, 36, 40))
    body = (
        Body()
        .chain([(1.1, 0, 0.42), (0.5, 0, 0.36), (-0.9, 0, 0.34)], (0.1, 0.34, 0.3))
        .ball((0.3, 0, 0.6), (0.5, 0.26, 0.3))
    )
    skin = body.skin(paint, cell_m=0.05, soft=0.14)
    seat = pad(-0.45, 0, 0.58, 1.1, 0.32, 0.24, f.leather(rng, (30, 30, 34)), 0.5)
    bars = [
        sweep([(0.25, -0.38, 0.98), (0.32, 0, 0.94), (0.25, 0.38, 0.98)], 0.024, dark),
        sweep([(0.5, 0, 0.7), (0.3, 0, 0.95)], 0.05, dark),
    ]
    shield = turned(ellipsoid((0.5, 0, 0.92), (0.03, 0.2, 0.18), f.glass(), detail=16), "y", -25, (0.5, 0, 0.85))
    parts: Parts = [skin, seat, *bars, shield]
    if variant == 1:
        parts += [
            mirrored(
                [
                    sweep(curve([(1.35, 0.42, 0.2), (1.2, 0.42, 0.04), (0.4, 0.42, 0.04)], 12), 0.045, dark),
                    sweep([(0.8, 0.42, 0.06), (0.7, 0.25, 0.4)], 0.025, f.steel()),
                ]
            ),
            rounded_box((-1.2, -0.2, 0.02), (0.1, 0.2, 0.3), 0.12, f.rubber()),
        ]
    else:
        parts.append(mirrored(pad(-0.2, 0.34, 0.28, 1.4, 0.14, 0.12, f.paint((240, 240, 236)), 0.5)))
    return whole(parts)


@kind("boats_aircraft", 3, fallen=True)
def anchor(variant: int, rng: Rng) -> Mesh:
    """A stocked anchor, a rusty one, a folding grapnel."""
    iron = (f.paint((34, 36, 40)), f.rusty(rng, (90, 84, 78), 0.6), f.metal((170, 172, 176), 0.4))[variant]
    thick = 1.0 if variant != 1 else 1.5
    shank = sweep([(0, 0, 0.12), (0, 0, 1.5)], [0.07 * thick, 0.05 * thick], iron)
    ring = sweep(arc((0, 0, 1.6), 0.12, 0, 360, "xz", 24), 0.025, iron, caps=False)
    if variant == 2:
        claw: Parts = [
            sweep(curve([(0, 0, 0.08), (0.3, 0, 0.1), (0.45, 0, 0.42)], 12), 0.035, iron),
            ellipsoid((0.46, 0, 0.46), (0.03, 0.08, 0.1), iron, detail=10),
        ]
        return turned([shank, ring, ringed(claw, 4)], "y", 0)
    arms = sweep(
        arc((0, 0, 0.7), 0.66, 205 if variant == 0 else 190, 335 if variant == 0 else 350, "yz", 20),
        [0.05] * 4 + [0.07] * 12 + [0.05] * 4,
        iron,
    )
    flukes = mirrored(
        turned(extrude(np.array([(0, 0.24), (0.16, -0.08), (-0.16, -0.08)]), -0.02, 0.02, iron), "x", 62).transformed(
            _put(0, 0.6, 0.47)
        )
    )
    stock = [cylinder((-0.55, 0, 1.3), (0.55, 0, 1.3), 0.045, iron if variant == 1 else f.wood(rng, "oak"))]
    return whole([shank, ring, arms, flukes, *stock])


@kind("boats_aircraft", 3)
def buoy(variant: int, _rng: Rng) -> Mesh:
    """A red can buoy with a cage, a striped spar float, an orange mooring ball with chain."""
    if variant == 2:
        ball_mesh = ellipsoid((0, 0, 0.4), (0.4, 0.4, 0.4), f.plastic((240, 100, 30), 0.35), detail=32)
        return whole(
            [
                ball_mesh,
                sweep(arc((0, 0, 0.86), 0.07, 0, 360, "xz", 18), 0.02, f.steel(), caps=False),
                *[
                    sweep(
                        arc((0.1 + 0.12 * k, 0.3 + 0.05 * k, 0.02), 0.06, 0, 360, "xy", 14),
                        0.016,
                        f.steel(),
                        detail=6,
                        caps=False,
                    )
                    for k in range(6)
                ],
                lathe([(0.402, 0.34), (0.41, 0.4), (0.402, 0.46)], f.plastic((244, 244, 240))),
            ]
        )
    color = (200, 36, 34) if variant == 0 else (40, 140, 70)
    base = lathe([(0, 0), (0.5, 0.0), (0.62, 0.15), (0.62, 0.4), (0.5, 0.55), (0.2, 0.6), (0, 0.6)], f.paint(color))
    cage = ringed(sweep([(0.4, 0, 0.55), (0.14, 0, 1.6)], 0.03, f.paint(color)), 4)
    rings = [
        sweep(arc((0, 0, z), r, 0, 360, "xy", 24), 0.022, f.paint(color), detail=6, caps=False)
        for z, r in ((0.9, 0.32), (1.3, 0.22))
    ]
    top = (
        cylinder((0, 0, 1.6), (0, 0, 1.85), 0.16, f.paint(color))
        if variant == 0
        else lathe([(0, 1.6), (0.2, 1.6), (0, 2.0)], f.paint(color))
    )
    lamp = [cylinder((0, 0, 1.85 + 0.1 * variant), (0, 0, 2.05 + 0.1 * variant), 0.05, f.glass())]
    band = lathe([(0.622, 0.2), (0.628, 0.2), (0.628, 0.35), (0.622, 0.35)], f.paint((244, 244, 240)))
    return whole([base, cage, *rings, top, *lamp, band])
