"""Swim rings and tents."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, arc, block, curve, mirrored, pad, ringed, slab, turned, whole
from caos.assets.modelling.bodies import horn
from caos.assets.modelling.shapes import cylinder, ellipsoid, extrude, lathe, loft, sweep


@kind(3)
def swim_ring(variant: int, _rng: Rng) -> Mesh:
    """A striped swim ring, an inflatable flamingo, a lifebuoy."""
    if variant == 1:
        pink = f.plastic((244, 130, 160), 0.25)
        neck = curve([(0.45, 0, 0.2), (0.62, 0, 0.5), (0.42, 0, 0.8), (0.55, 0, 1.02), (0.7, 0, 0.95)], 16)
        parts: Parts = [
            sweep(arc((0, 0, 0.18), 0.5, 0, 360, "xy", 40), 0.18, pink, detail=16, caps=False),
            sweep(neck, np.linspace(0.13, 0.09, 16), pink, detail=14),
            ellipsoid(neck[-1], (0.13, 0.1, 0.1), pink, detail=16),
            horn(
                [neck[-1] + (0.08, 0, 0), neck[-1] + (0.2, 0, -0.02), neck[-1] + (0.2, 0, -0.12)],
                0.06,
                f.plastic((30, 28, 30)),
            ),
        ]
        return whole(
            [
                *parts,
                mirrored(ellipsoid(neck[-1] + (0.06, 0.08, 0.03), 0.022, f.plastic((16, 16, 16)), detail=8)),
                mirrored(ellipsoid((-0.25, 0.55, 0.32), (0.28, 0.08, 0.14), pink, detail=16)),
                sweep([(-0.62, 0, 0.2), (-0.85, 0, 0.45)], [0.1, 0.02], pink),
            ]
        )
    colors = [(230, 60, 50), (246, 244, 238)] if variant == 0 else [(236, 100, 30), (244, 242, 236)]
    count = 8
    radius, tube = ((0.42, 0.15), (0.36, 0.085))[variant == 2]
    rings = [
        sweep(
            arc((0, 0, tube), radius, 360 * k / count, 360 * (k + 1) / count, "xy", 9),
            tube,
            f.plastic(colors[k % 2], 0.3),
            detail=18,
            caps=False,
        )
        for k in range(count)
    ]
    if variant == 2:
        rope = [
            sweep(
                curve(
                    [
                        (0.42 * np.cos(a), 0.42 * np.sin(a), tube),
                        (0.56 * np.cos(a + 0.78), 0.56 * np.sin(a + 0.78), tube),
                        (0.42 * np.cos(a + 1.57), 0.42 * np.sin(a + 1.57), tube),
                    ],
                    12,
                ),
                0.014,
                f.matt((226, 220, 200)),
                detail=6,
            )
            for a in np.linspace(0, 2 * np.pi, 4, endpoint=False)
        ]
        return turned([*rings, *rope], "y", -74)
    return whole(rings)


@kind(4)
def tent(variant: int, rng: Rng) -> Mesh:
    """A dome tent, a ridge tent, a tipi, a striped circus-like pavilion."""
    if variant == 0:
        return _dome_tent(rng)
    if variant == 1:
        return _ridge_tent(rng)
    if variant == 2:
        return _tipi(rng)
    colors = [f.fabric(rng, (196, 30, 40)), f.fabric(rng, (244, 240, 226))]
    sides = 12
    panels: Parts = []
    for k in range(sides):
        turn = 2 * np.pi * np.array([k, k + 1]) / sides
        ring = np.stack([np.cos(turn), np.sin(turn)], 1)
        rows = [(1.3, 0.0), (1.3, 1.3), (1.42, 1.32), (0.5, 1.95), (0.04, 2.6)]
        panels.append(
            loft(
                np.stack([np.concatenate([ring * r, np.full((2, 1), z)], 1) for r, z in rows]),
                colors[k % 2],
                closed=False,
                caps=False,
                smooth=False,
            )
        )
    flag = [
        cylinder((0, 0, 2.55), (0, 0, 3.0), 0.015, f.brass()),
        slab((0, -0.005, 2.8), (0.35, 0.005, 2.98), f.fabric(rng, (250, 200, 40))),
    ]
    return whole([*panels, *flag, block(1.28, 0, 0, 0.06, 0.6, 1.1, f.matt((30, 20, 24)))])


def _tipi(rng: Rng) -> Mesh:
    """A tipi."""
    hide = f.leather(rng, (214, 190, 150))
    cone = lathe([(1.2, 0.0), (0.1, 2.3)], hide, detail=24)
    inside = lathe([(0.1, 2.29), (1.19, 0.0)], hide, detail=24)
    spars = ringed(sweep([(1.15, 0, 0.05), (-0.22, 0, 2.75)], 0.022, f.wood(rng, "oak")), 9)
    door = extrude(np.array([(-0.3, 0.0), (0.3, 0.0), (0.0, 1.1)]), 0, 0.012, f.matt((46, 36, 30))).transformed(
        np.array([[0, -0.43, 0.9, 1.2], [1, 0, 0, 0], [0, 0.9, 0.43, 0], [0, 0, 0, 1.0]])
    )
    band = [
        lathe([(1.205 - 0.478 * z, z), (1.205 - 0.478 * (z + 0.1), z + 0.1)], f.fabric(rng, c), detail=24)
        for z, c in ((0.25, (170, 50, 40)), (1.5, (40, 80, 120)))
    ]
    return whole([cone, inside, spars, door, *band])


def _ridge_tent(rng: Rng) -> Mesh:
    """A ridge tent."""
    cloth, dark = f.fabric(rng, (120, 128, 84)), f.fabric(rng, (52, 54, 40))
    roof = [
        turned(slab((-1.1, -0.005, 0), (1.1, 0.005, 1.55), cloth), "x", s * 40, (0, 0, 1.5)).transformed(
            np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.0], [0, 0, 0, 1.0]])
        )
        for s in (1, -1)
    ]
    gable = extrude(np.array([(-0.95, 0.37), (0.95, 0.37), (0, 1.5)]), -1.04, -1.03, cloth).transformed(
        np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    )
    flap = extrude(np.array([(-0.95, 0.37), (-0.3, 0.37), (0, 1.5)]), 1.02, 1.03, cloth).transformed(
        np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    )
    back = extrude(np.array([(-0.9, 0.38), (0.9, 0.38), (0, 1.45)]), 0.4, 0.41, dark).transformed(
        np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    )
    stick = [cylinder((s * 1.08, 0, 0.3), (s * 1.08, 0, 1.58), 0.02, f.wood(rng, "pine")) for s in (1, -1)]
    lines = [sweep([(s * 1.08, 0, 1.5), (s * 1.9, 0, 0.34)], 0.006, f.matt((230, 226, 210)), detail=5) for s in (1, -1)]
    return whole([*roof, gable, flap, flap.transformed(np.diag([1, -1, 1, 1])), back, *stick, *lines])


def _dome_tent(rng: Rng) -> Mesh:
    """A dome tent."""
    a, b = f.fabric(rng, (236, 120, 30)), f.fabric(rng, (90, 100, 110))
    sections = [
        np.stack(
            [x + np.zeros(15), w * np.cos(np.linspace(0, np.pi, 15)), h * np.sin(np.linspace(0, np.pi, 15)) ** 0.8],
            1,
        )
        for x, w, h in (
            (-1.25, 0.2, 0.15),
            (-1.0, 0.75, 0.75),
            (-0.5, 1.0, 1.15),
            (0, 1.08, 1.25),
            (0.5, 1.0, 1.15),
            (1.0, 0.75, 0.8),
            (1.3, 0.3, 0.2),
        )
    ]
    dome = [
        loft(np.array(sections[:4])[::-1], a, closed=False, caps=False),
        loft(np.array(sections[3:])[::-1], b, closed=False, caps=False),
    ]
    poles = [sweep(np.array([s[k] for s in sections]), 0.012, f.plastic((40, 40, 44)), detail=6) for k in (4, 10)]
    return whole([*dome, *poles, pad(1.02, 0, 0.02, 0.2, 0.6, 0.55, f.fabric(rng, (40, 44, 50)), 0.5)])
