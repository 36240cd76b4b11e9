"""Sewing machines, typewriters, plate cameras and satellite dishes."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Parts,
    Rng,
    block,
    curve,
    mirrored,
    moved,
    pad,
    ringed,
    slab,
    turned,
    wheel,
    whole,
)
from caos.assets.modelling.shapes import capsule, cylinder, lathe, rounded_box, sweep


@kind(3, fallen=True)
def satellite_dish(variant: int, _rng: Rng) -> Mesh:
    """A dish on a tripod, a large mesh dish, an antenna rotator with a feed horn."""
    radius = (0.45, 1.2, 0.7)[variant]
    white = (f.plastic((226, 226, 224)), f.metal((120, 124, 128), 0.5), f.paint((70, 80, 92)))[variant]
    steel = f.steel()
    t = np.linspace(0, 1, 9)
    front = [(float(r * radius), float(0.28 * radius * r * r)) for r in t]
    dish = lathe([(r, z - 0.015) for r, z in front] + [(r, z + 0.01) for r, z in front[::-1]], white)
    ribs = [ringed(sweep([(r, 0, z - 0.02) for r, z in front], 0.012, steel, detail=6), 12)] if variant == 1 else []
    arm: Parts = [
        sweep([(0, -radius * 0.85, 0.2 * radius), (0, 0, radius * 0.95)], 0.014, steel),
        capsule(
            (0, 0, radius * 0.85), (0, 0, radius * 1.0), 0.05 * (1 if radius < 1 else 1.6), f.plastic((60, 60, 66))
        ),
    ]
    if variant == 1:
        arm = [ringed(sweep([(radius * 0.8, 0, 0.2 * radius), (0.05, 0, radius * 0.9)], 0.014, steel), 3), *arm[1:]]
    head = turned([dish, *ribs, *arm], "y", 58)
    z = radius * 1.25 + 0.1
    foot = ringed(sweep([(0.75 * radius, 0, 0), (0, 0, z)], 0.025, steel), 3)
    return whole([moved(head, 0.05, 0, z), foot, cylinder((0, 0, 0), (0, 0, z), 0.03, steel)])


@kind(1, fallen=True)
def sewing_machine(_variant: int, rng: Rng) -> Mesh:
    """A treadle sewing machine."""
    return _sewing_machine_family(0, rng)


@kind(1, fallen=True)
def typewriter(_variant: int, rng: Rng) -> Mesh:
    """A typewriter on a stand."""
    return _sewing_machine_family(1, rng)


@kind(1, fallen=True)
def plate_camera(_variant: int, rng: Rng) -> Mesh:
    """A plate camera on its tripod."""
    return _sewing_machine_family(2, rng)


def _sewing_machine_family(variant: int, rng: Rng) -> Mesh:
    """A treadle sewing machine, a typewriter on a stand, a tripod camera."""
    black, gold = f.paint((24, 24, 26)), f.brass()
    if variant == 2:
        leg = sweep([(0.45, 0, 0), (0.04, 0, 1.15)], 0.022, f.wood(rng, "oak"))
        box_camera: Parts = [
            rounded_box((-0.14, -0.13, 1.18), (0.12, 0.13, 1.44), 0.015, f.wood(rng, "mahogany")),
            sweep([(0.12, 0, 1.31), (0.3, 0, 1.31)], [0.11, 0.07], f.leather(rng, (40, 36, 36)), smooth=False),
            cylinder((0.3, 0, 1.31), (0.38, 0, 1.31), 0.06, gold),
            cylinder((0.38, 0, 1.31), (0.385, 0, 1.31), 0.05, f.glass()),
        ]
        return whole(
            [ringed(leg, 3), *box_camera, pad(-0.26, 0, 1.1, 0.26, 0.34, 0.36, f.fabric(rng, (30, 30, 36)), 0.5)]
        )
    table_wood = f.wood(rng, "walnut")
    iron_side = mirrored(
        [
            sweep(curve([(-0.2, 0.38, 0), (0.0, 0.36, 0.35), (-0.18, 0.36, 0.7)], 12), 0.018, black),
            sweep(curve([(0.2, 0.38, 0), (0.0, 0.36, 0.35), (0.18, 0.36, 0.7)], 12), 0.018, black),
        ]
    )
    parts: Parts = [
        block(0, 0, 0.7, 0.46, 0.9, 0.03, table_wood),
        iron_side,
        slab((-0.12, -0.3, 0.1), (0.12, 0.3, 0.12), black),
    ]
    if variant == 0:
        parts += [
            block(0, 0.02, 0.73, 0.16, 0.42, 0.03, black),
            block(0, 0.18, 0.76, 0.09, 0.09, 0.26, black),
            sweep(curve([(0, 0.18, 0.98), (0, 0, 1.03), (0, -0.15, 1.0)], 10), 0.045, black),
            cylinder((0, -0.16, 0.82), (0, -0.16, 1.02), 0.035, black),
            cylinder((0, -0.16, 0.75), (0, -0.16, 0.83), 0.007, f.steel()),
            moved(wheel(0.08, 0.03, gold, black), 0, 0.26, 0.94),
            moved(wheel(0.18, 0.03, black, black, spokes=6), 0.0, 0.36, 0.26),
        ]
    else:
        keys = [
            cylinder(
                (0.08 + 0.035 * r, -0.15 + 0.033 * k + 0.012 * r, 0.8 - 0.02 * r),
                (0.08 + 0.035 * r, -0.15 + 0.033 * k + 0.012 * r, 0.82 - 0.02 * r),
                0.012,
                f.ceramic(),
                detail=8,
            )
            for r in range(4)
            for k in range(10)
        ]
        parts += [
            rounded_box((-0.16, -0.2, 0.73), (0.24, 0.2, 0.78), 0.02, f.paint((60, 110, 110))),
            rounded_box((-0.16, -0.19, 0.76), (0.06, 0.19, 0.88), 0.03, f.paint((60, 110, 110))),
            cylinder((-0.1, -0.24, 0.9), (-0.1, 0.24, 0.9), 0.025, black),
            turned(slab((-0.105, -0.12, 0.9), (-0.1, 0.12, 1.12), f.matt((244, 242, 236))), "y", -14, (-0.1, 0, 0.9)),
            *keys,
        ]
    return whole(parts)
