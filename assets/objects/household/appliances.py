"""Appliances: fridges, washing machines, stoves, televisions and fans."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Rng,
    arc,
    block,
    curve,
    legs,
    mirrored,
    moved,
    ringed,
    scaled,
    slab,
    turned,
    whole,
)
from caos.assets.modelling.shapes import capsule, cylinder, ellipsoid, lathe, rounded_box, sweep


@kind(4, fallen=True)
def fridge(variant: int, rng: Rng) -> Mesh:
    """A fridge: white two-door, steel side-by-side, rounded retro, or a small open one."""
    body = (f.ceramic(), f.steel(), f.paint((150, 200, 190)), f.ceramic((228, 226, 220)))[variant]
    width, height, depth = ((0.6, 1.75, 0.62), (0.92, 1.8, 0.7), (0.62, 1.5, 0.65), (0.55, 0.85, 0.56))[variant]
    chrome, rubber = f.steel(), f.rubber()
    radius = 0.14 if variant == 2 else 0.02
    x = depth / 2
    parts: list[Mesh | Part] = [
        rounded_box((-x, -width / 2, 0.05), (x - 0.06, width / 2, height), radius, body),
        legs(depth - 0.1, width - 0.1, 0.08, 0.025, rubber),
    ]
    if variant == 1:
        doors = [(-width / 2, -0.1, 0.08, height), (-0.095, width / 2, 0.08, height)]
    elif variant == 3:
        doors = []
    else:
        cut = 0.42 * height if variant == 0 else 0.68 * height
        doors = [(-width / 2, width / 2, 0.08, cut), (-width / 2, width / 2, cut + 0.012, height)]
    for k, (y0, y1, z0, z1) in enumerate(doors):
        parts.append(rounded_box((x - 0.055, y0 + 0.004, z0), (x + 0.01, y1 - 0.004, z1), min(radius, 0.05), body))
        y = (y1 - 0.06 if k == 0 else y0 + 0.06) if variant == 1 else y0 + 0.06
        low, high = (
            (0.6, 1.3)
            if variant == 1
            else (z0 + 0.62 * (z1 - z0), z1 - 0.06)
            if k == 0
            else (z0 + 0.06, z0 + 0.4 * (z1 - z0))
        )
        parts.append(
            sweep([(x, y, low), (x + 0.05, y, low + 0.02), (x + 0.05, y, high - 0.02), (x, y, high)], 0.013, chrome)
        )
    if variant == 1:
        parts.append(block(x + 0.008, -0.28, 1.0, 0.02, 0.2, 0.32, f.glass()))
    if variant == 3:
        parts += _open_fridge(rng, width, height, x, body)
    return whole(parts)


def _open_fridge(rng: Rng, width: float, height: float, x: float, body: Material) -> list[Mesh | Part]:
    door = rounded_box((x, -width / 2 - 0.06, 0.08), (x + width, -width / 2, height), 0.02, body)
    inside = f.plastic((246, 246, 244))
    shelf = [block(x - 0.055, 0, z, 0.012, width - 0.08, 0.02, f.glass()) for z in (0.3, 0.5, 0.7)]
    goods = [
        cylinder((x - 0.035, y, z + 0.02), (x - 0.035, y, z + 0.12), 0.03, f.plastic(f.pick(rng, f.BRIGHT)), detail=12)
        for z in (0.3, 0.5)
        for y in (-0.15, 0.0, 0.14)
    ]
    return [
        turned(door, "z", -20, (x, -width / 2, 0)),
        block(x - 0.058, 0, 0.1, 0.006, width - 0.06, height - 0.14, inside),
        *shelf,
        *goods,
    ]


@kind(4, fallen=True)
def washing_machine(variant: int, rng: Rng) -> Mesh:
    """A front loader, a top loader, a steel one and an old wringer tub."""
    if variant == 3:
        return _wringer(rng)
    body = (f.ceramic(), f.ceramic((222, 226, 232)), f.steel())[variant]
    height, chrome = (0.86, 0.95, 1.02)[variant], f.steel()
    parts: list[Mesh | Part] = [
        rounded_box((-0.3, -0.3, 0.03), (0.3, 0.3, height), 0.025, body),
        legs(0.5, 0.5, 0.05, 0.025, f.rubber()),
    ]
    if variant == 1:
        parts += [
            slab((-0.3, -0.28, height), (-0.16, 0.28, height + 0.18), f.plastic((60, 66, 76))),
            rounded_box((-0.14, -0.26, height - 0.005), (0.26, 0.26, height + 0.025), 0.012, f.ceramic()),
        ]
        parts += [
            turned(cylinder((0, y, 0), (0.03, y, 0), 0.03, chrome), "y", 0).transformed(
                translation(-0.16, 0, height + 0.09)
            )
            for y in (-0.18, 0, 0.18)
        ]
        return whole(parts)
    wide = 1.0 if variant == 0 else 1.22
    ring = lathe(
        [(0.14, 0), (0.2, 0), (0.2, 0.02), (0.17, 0.05), (0.14, 0.03), (0.14, 0)],
        chrome if variant == 0 else f.plastic((40, 42, 46)),
    )
    glass = lathe([(0, 0.02), (0.08, 0.04), (0.15, 0.02), (0.15, 0)], f.glass())
    door = scaled([ring, glass], wide, wide, 1.0)
    parts.append(turned(door, "y", 90).transformed(translation(0.3, 0, 0.42 if variant == 0 else 0.56)))
    parts += [
        block(0.302, 0.17, height - 0.13, 0.012, 0.2, 0.09, f.plastic((214, 216, 220))),
        block(0.304, -0.14, height - 0.12, 0.01, 0.16, 0.06, f.glass()),
    ]
    parts.append(cylinder((0.3, 0.0, height - 0.09), (0.335, 0.0, height - 0.09), 0.033, chrome))
    return whole(parts)


def _wringer(rng: Rng) -> Mesh:
    white, red = f.ceramic(), f.paint((180, 40, 36))
    tub = lathe(
        [(0, 0.3), (0.3, 0.3), (0.34, 0.36), (0.34, 0.78), (0.36, 0.8), (0.33, 0.82), (0.31, 0.7), (0, 0.66)], white
    )
    feet = ringed(sweep([(0.26, 0, 0.32), (0.36, 0, 0)], [0.03, 0.02], red), 3)
    rolls = [cylinder((-0.1, -0.2, z), (-0.1, 0.2, z), 0.04, f.wood(rng, "birch")) for z in (1.12, 1.21)]
    frame: list[Mesh | Part] = [
        mirrored(slab((-0.14, 0.2, 0.8), (-0.06, 0.24, 1.28), red)),
        slab((-0.15, -0.24, 1.26), (-0.05, 0.24, 1.32), red),
    ]
    crank = sweep([(-0.1, 0.2, 1.16), (-0.1, 0.32, 1.16), (0.05, 0.32, 1.16), (0.05, 0.4, 1.16)], 0.012, f.steel())
    return whole([tub, feet, *rolls, *frame, crank])


@kind(2, fallen=True)
def stove(variant: int, rng: Rng) -> Mesh:
    """A kitchen stove, a cast-iron wood stove."""
    return _stove_family(variant, rng)


@kind(1, fallen=True)
def microwave(_variant: int, rng: Rng) -> Mesh:
    """A microwave oven on a stand."""
    return _stove_family(2, rng)


def _stove_family(variant: int, rng: Rng) -> Mesh:
    """A kitchen stove, a cast-iron wood stove, a microwave on a stand."""
    if variant == 1:
        iron, steel = f.metal((58, 56, 56), 0.55), f.brass()
        body: list[Mesh | Part] = [
            rounded_box((-0.26, -0.34, 0.2), (0.26, 0.34, 0.72), 0.03, iron),
            slab((-0.3, -0.38, 0.72), (0.3, 0.38, 0.77), iron),
        ]
        feet = mirrored(
            mirrored(sweep(curve([(0.2, 0.28, 0.22), (0.26, 0.34, 0.12), (0.24, 0.32, 0)], 8), 0.03, iron)), "x"
        )
        pipe = sweep(
            curve([(-0.12, 0, 0.77), (-0.12, 0, 1.3), (-0.16, 0, 1.42), (-0.4, 0, 1.45)], 20), 0.075, iron, detail=16
        )
        door: list[Mesh | Part] = [
            slab((0.26, -0.2, 0.3), (0.29, 0.2, 0.62), iron),
            slab((0.285, -0.14, 0.38), (0.3, 0.14, 0.56), f.glass()),
            capsule((0.31, 0.17, 0.42), (0.31, 0.17, 0.5), 0.012, steel),
        ]
        return whole([*body, feet, pipe, *door])
    white, black = f.ceramic(), f.plastic((30, 30, 32), 0.25)
    if variant == 2:
        stand: list[Mesh | Part] = [
            legs(0.4, 0.52, 0.7, 0.015, f.steel()),
            slab((-0.24, -0.3, 0.66), (0.24, 0.3, 0.7), f.wood(rng, "pine")),
            slab((-0.24, -0.3, 0.25), (0.24, 0.3, 0.28), f.wood(rng, "pine")),
        ]
        oven: list[Mesh | Part] = [
            rounded_box((-0.2, -0.26, 0.71), (0.2, 0.26, 1.01), 0.015, f.plastic((206, 206, 204))),
            slab((0.2, -0.25, 0.73), (0.215, 0.1, 0.99), f.glass()),
            slab((0.2, 0.12, 0.73), (0.212, 0.25, 0.99), black),
            capsule((0.235, 0.09, 0.76), (0.235, 0.09, 0.96), 0.011, f.steel()),
        ]
        return whole([*stand, *oven])
    parts: list[Mesh | Part] = [
        rounded_box((-0.3, -0.3, 0.03), (0.3, 0.3, 0.86), 0.015, white),
        slab((-0.31, -0.31, 0.86), (0.31, 0.31, 0.88), black),
    ]
    parts += [
        lathe([(0, 0.88), (r, 0.88), (r, 0.895), (r * 0.7, 0.9), (0, 0.895)], f.metal((70, 70, 72), 0.5)).transformed(
            translation(x, y, 0)
        )
        for x, y, r in ((0.14, 0.14, 0.1), (0.14, -0.14, 0.08), (-0.14, 0.14, 0.08), (-0.14, -0.14, 0.1))
    ]
    parts += [
        slab((0.3, -0.27, 0.2), (0.325, 0.27, 0.66), white),
        slab((0.32, -0.2, 0.28), (0.33, 0.2, 0.54), f.glass()),
        capsule((0.36, -0.22, 0.62), (0.36, 0.22, 0.62), 0.012, f.steel()),
    ]
    parts += [cylinder((0.3, y, 0.77), (0.335, y, 0.77), 0.026, black) for y in np.linspace(-0.22, 0.22, 5)]
    return whole([*parts, slab((-0.31, -0.3, 0.88), (-0.28, 0.3, 1.0), white)])


@kind(3, fallen=True)
def television(variant: int, rng: Rng) -> Mesh:
    """A tube set in wood, a flat screen on its foot, a fat grey set with an aerial."""
    black = f.plastic((26, 26, 28), 0.3)
    if variant == 1:
        return whole(
            [
                rounded_box((-0.03, -0.62, 0.12), (0.02, 0.62, 0.84), 0.012, black),
                slab((0.018, -0.6, 0.145), (0.024, 0.6, 0.825), f.glass()),
                slab((-0.03, -0.06, 0.02), (0.0, 0.06, 0.2), black),
                lathe([(0, 0), (0.3, 0), (0.28, 0.02), (0, 0.025)], black).transformed(np.diag([0.6, 1, 1, 1])),
            ]
        )
    case: Material = f.wood(rng, "walnut") if variant == 0 else f.plastic((120, 122, 126))
    tube = ellipsoid((0.2, 0.0, 0), (0.06, 0.27, 0.21), f.glass(), detail=24)
    parts: list[Mesh | Part] = [
        rounded_box((-0.22, -0.42, 0.25), (0.22, 0.42, 0.8), 0.04, case),
        rounded_box((-0.4, -0.25, 0.32), (-0.2, 0.25, 0.7), 0.08, black),
    ]
    parts += [moved(tube, y=-0.08, z=0.53), slab((0.2, 0.24, 0.3), (0.23, 0.4, 0.76), black)]
    parts += [cylinder((0.22, 0.32, z), (0.26, 0.32, z), 0.035, f.steel()) for z in (0.66, 0.54)]
    if variant == 0:
        parts.append(mirrored(mirrored(sweep([(0.16, 0.32, 0.26), (0.2, 0.38, 0)], [0.022, 0.014], case)), "x"))
        return whole(parts)
    aerial = [sweep([(0, 0, 0.82), (0, s * 0.35, 1.3)], [0.008, 0.004], f.steel(), detail=8) for s in (1, -1)]
    return whole([*parts, *aerial, lathe([(0, 0.8), (0.09, 0.8), (0.06, 0.85), (0, 0.86)], black)])


@kind(3, fallen=True)
def fan(variant: int, _rng: Rng) -> Mesh:
    """A standing fan, a table fan, an old brass one."""
    metal = (f.plastic((230, 230, 228)), f.paint((60, 120, 110)), f.brass())[variant]
    height = (1.15, 0.35, 0.4)[variant]
    cage: list[Mesh | Part] = [
        sweep(arc((0, 0, 0), r, 0, 360, "yz", 40), 0.006, f.steel(), detail=6, caps=False).transformed(
            translation(x, 0, 0)
        )
        for r, x in ((0.22, 0), (0.2, 0.05), (0.12, 0.07), (0.2, -0.05))
    ]
    wires = [
        turned(
            sweep(
                curve([(0.07, 0, 0.03), (0.06, 0, 0.14), (0, 0, 0.22), (-0.06, 0, 0.14)], 10),
                0.003,
                f.steel(),
                detail=5,
            ),
            "x",
            15 * i,
        )
        for i in range(24)
    ]
    blade = turned(
        ellipsoid((0, 0, 0.1), (0.008, 0.055, 0.1), f.plastic((60, 130, 190)) if variant == 0 else metal, detail=16),
        "z",
        28,
    )
    blades = [turned(blade, "x", 360 * i / (3 if variant == 0 else 4)) for i in range(3 if variant == 0 else 4)]
    head = whole(
        [
            *cage,
            *wires,
            *blades,
            capsule((-0.2, 0, 0), (-0.02, 0, 0), 0.06, metal),
            ellipsoid((0.07, 0, 0), (0.02, 0.04, 0.04), metal, detail=12),
        ]
    )
    foot = lathe([(0, 0), (0.2, 0), (0.2, 0.03), (0.06, 0.06), (0.03, 0.1), (0, 0.1)], metal)
    return whole([moved(head, z=height), foot, cylinder((-0.08, 0, 0.02), (-0.08, 0, height), 0.018, metal)])
