"""Surfboards, jet skis, anchors and buoys."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, arc, curve, mirrored, moved, pad, ringed, turned, whole
from caos.assets.modelling.bodies import Body
from caos.assets.modelling.shapes import cylinder, ellipsoid, extrude, lathe, loft, rounded_box, sweep


@kind(4, fallen=True)
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


@kind(1)
def jet_ski(_variant: int, rng: Rng) -> Mesh:
    """A jet ski."""
    return _jet_ski_family(0, rng)


@kind(1)
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


@kind(3, fallen=True)
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
            translation(0, 0.6, 0.47)
        )
    )
    stock = [cylinder((-0.55, 0, 1.3), (0.55, 0, 1.3), 0.045, iron if variant == 1 else f.wood(rng, "oak"))]
    return whole([shank, ring, arms, flukes, *stock])


@kind(3)
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
