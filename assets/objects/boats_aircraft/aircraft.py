"""Aircraft: helicopters, aeroplanes, drones and balloons."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
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
    scaled,
    slab,
    turned,
    wheel,
    whole,
)
from caos.assets.modelling.bodies import Body
from caos.assets.modelling.shapes import capsule, cylinder, ellipsoid, extrude, lathe, loft, rounded_box, sweep


@kind(3)
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


@kind(4)
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


@kind(3)
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


@kind(3)
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
