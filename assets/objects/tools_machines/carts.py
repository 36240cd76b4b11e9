"""Carts that a person pushes: wheelbarrows, shopping carts, sack barrows and pallet jacks."""

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
    slab,
    turned,
    wheel,
    whole,
)
from caos.assets.modelling.shapes import capsule, cylinder, ellipsoid, loft, sweep


@kind(4, fallen=True)
def wheelbarrow(variant: int, rng: Rng) -> Mesh:
    """A builder's barrow, a rusty one, one full of earth, a wooden garden barrow."""
    tray = (f.paint((40, 130, 70)), f.rusty(rng, (150, 60, 40), 0.5), f.paint((40, 80, 170)), f.wood(rng, "pine"))[
        variant
    ]
    tube: Material = f.steel() if variant != 3 else f.wood(rng, "oak")
    low, high = ((0.28, 0.2), (0.48, 0.33)) if variant != 1 else ((0.36, 0.24), (0.46, 0.29))
    rim = 0.66 if variant != 1 else 0.74
    square = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)])[::-1]
    levels = [
        (low, 0.34, 0.0),
        (high, rim, 0.06),
        ((high[0] - 0.02, high[1] - 0.02), rim, 0.06),
        ((low[0] - 0.01, low[1] - 0.01), 0.37, 0.0),
    ]
    bowl = loft(
        np.stack([np.concatenate([square * s + (dx, 0), np.full((4, 1), z)], 1) for s, z, dx in levels]),
        tray,
        smooth=False,
    )
    handles = mirrored(
        sweep(curve([(0.62, 0.05, 0.2), (0.3, 0.16, 0.33), (-0.3, 0.22, 0.36), (-0.95, 0.27, 0.62)], 16), 0.02, tube)
    )
    grips = mirrored(capsule((-0.82, 0.26, 0.565), (-0.98, 0.273, 0.635), 0.026, f.rubber()))
    stand = mirrored(
        sweep([(-0.2, 0.2, 0.34), (-0.3, 0.22, 0.02), (-0.42, 0.22, 0.02), (-0.45, 0.22, 0.42)], 0.016, tube)
    )
    wheel_mesh = moved(
        wheel(
            0.2,
            0.09,
            f.rubber(),
            f.paint((220, 60, 40)) if variant != 3 else f.wood(rng, "oak"),
            spokes=8 if variant in (1, 3) else 0,
        ),
        0.62,
        0,
        0.2,
    )
    parts: Parts = [
        bowl,
        handles,
        grips,
        stand,
        wheel_mesh,
        cylinder((0.62, -0.09, 0.2), (0.62, 0.09, 0.2), 0.018, tube),
    ]
    if variant == 2:
        parts += [
            ellipsoid((0.05, 0, 0.58), (0.4, 0.27, 0.22), f.stone(rng, (94, 70, 48)), detail=20),
            turned(
                [
                    cylinder((0, 0, 0), (0, 0, 0.9), 0.016, f.wood(rng, "oak")),
                    pad(0, 0, -0.2, 0.03, 0.2, 0.25, f.steel()),
                ],
                "y",
                -28,
            ).transformed(translation(0.2, 0.05, 0.75)),
        ]
    if variant == 3:
        parts += [
            ellipsoid((x, y, 0.64), 0.13, f.plastic((226, 120, 30), 0.5), detail=14)
            for x, y in ((0.2, 0.1), (-0.05, -0.12), (0.25, -0.13), (-0.1, 0.13))
        ]
    return whole(parts)


@kind(3)
def shopping_cart(variant: int, rng: Rng) -> Mesh:
    """A supermarket trolley, empty, full, or with red plastic trim and deeper basket."""
    chrome = f.steel()
    high = (0.95, 0.95, 1.02)[variant]
    bottom, top = 0.5 - 0.1 * (variant == 2), high

    def corner(t: float, s: int, z: float) -> tuple[float, float, float]:
        k = (z - bottom) / (top - bottom)
        return (-0.38 - 0.02 * k + t * (0.76 + 0.14 * k), s * (0.2 + 0.06 * k), z)

    levels = np.linspace(bottom, top, 6)
    wires: Parts = []
    for z in levels:
        ring = [corner(0, 1, z), corner(1, 1, z), corner(1, -1, z), corner(0, -1, z), corner(0, 1, z)]
        wires.append(sweep(ring, 0.006 if z != levels[-1] else 0.011, chrome, detail=5))
    for t in np.linspace(0, 1, 13):
        wires.append(mirrored(sweep([corner(t, 1, bottom), corner(t, 1, top)], 0.004, chrome, detail=5)))
        wires.append(cylinder(corner(t, 1, bottom), corner(t, -1, bottom), 0.004, chrome, detail=5))
    for y in np.linspace(-0.2, 0.2, 7):
        wires += [
            sweep([(-0.38, y, bottom), (-0.4, y * 1.3, top)], 0.004, chrome, detail=5),
            sweep([(0.38, y, bottom), (0.5, y * 1.3, top)], 0.004, chrome, detail=5),
        ]
    frame = mirrored(
        [
            sweep(
                curve([(-0.48, 0.25, high + 0.04), (-0.4, 0.24, bottom), (-0.38, 0.25, 0.2), (0.42, 0.18, 0.14)], 20),
                0.015,
                chrome,
            ),
            sweep([(-0.36, 0.24, 0.3), (-0.42, 0.26, 0.1)], 0.014, chrome),
        ]
    )
    handle = capsule(
        (-0.5, -0.25, high + 0.05),
        (-0.5, 0.25, high + 0.05),
        0.02,
        f.plastic(((30, 90, 190), (30, 150, 80), (210, 40, 36))[variant]),
    )
    wheels = [
        moved(wheel(0.06, 0.03, f.rubber(), f.plastic((90, 90, 94))), x, y, 0.06)
        for x, w in ((0.42, 0.18), (-0.42, 0.26))
        for y in (w, -w)
    ]
    goods = []
    if variant == 1:
        goods = [
            pad(
                float(x),
                float(y),
                bottom + 0.02 + 0.14 * (i % 3),
                0.16,
                0.14,
                0.18,
                f.plastic(f.BRIGHT[i % 9]),
                float(rng.uniform(0.15, 0.8)),
            )
            for i, (x, y) in enumerate(rng.uniform((-0.28, -0.14), (0.32, 0.14), (14, 2)))
        ]
    return whole([*wires, frame, handle, *wheels, *goods])


@kind(2, fallen=True)
def sack_barrow(variant: int, rng: Rng) -> Mesh:
    """A sack barrow, one with boxes."""
    return _sack_barrow_family(variant, rng)


@kind(1, fallen=True)
def pallet_jack(_variant: int, rng: Rng) -> Mesh:
    """A pallet jack."""
    return _sack_barrow_family(2, rng)


def _sack_barrow_family(variant: int, rng: Rng) -> Mesh:
    """A sack barrow, one with boxes, a pallet jack."""
    paint, tyre = f.paint(((200, 40, 36), (40, 90, 180), (240, 170, 30))[variant]), f.rubber()
    if variant == 2:
        forks = mirrored(slab((0.0, 0.16, 0.08), (1.15, 0.32, 0.14), paint))
        body: Parts = [
            slab((-0.25, -0.3, 0.08), (0.02, 0.3, 0.3), paint),
            sweep([(-0.2, 0, 0.3), (-0.45, 0, 1.15)], 0.024, paint),
            sweep(arc((-0.48, 0, 1.25), 0.13, 0, 360, "yz", 24), 0.018, f.plastic((36, 36, 40)), caps=False),
        ]
        return whole(
            [
                forks,
                *body,
                *[moved(wheel(0.09, 0.06, tyre, f.steel()), -0.18, y, 0.09) for y in (-0.1, 0.1)],
                mirrored(moved(wheel(0.045, 0.1, tyre, f.steel()), 1.0, 0.24, 0.045)),
            ]
        )
    frame = mirrored(
        sweep(curve([(0.02, 0.18, 0.05), (0, 0.18, 0.9), (-0.12, 0.17, 1.15), (-0.24, 0.17, 1.18)], 18), 0.017, paint)
    )
    bars = [cylinder((0, -0.18, z), (0, 0.18, z), 0.012, paint) for z in (0.3, 0.55, 0.8)]
    wheels = mirrored(moved(wheel(0.14, 0.07, tyre, f.plastic((230, 230, 226))), -0.12, 0.24, 0.14))
    parts: Parts = [
        frame,
        *bars,
        wheels,
        slab((0, -0.22, 0.02), (0.28, 0.22, 0.035), f.steel()),
        cylinder((-0.12, -0.24, 0.14), (-0.12, 0.24, 0.14), 0.014, paint),
        mirrored(sweep([(-0.12, 0.18, 0.14), (0, 0.18, 0.3)], 0.013, paint)),
        mirrored(capsule((-0.18, 0.17, 1.18), (-0.28, 0.17, 1.18), 0.023, tyre)),
    ]
    if variant == 1:
        board = f.cardboard(rng)
        parts += [
            block(0.18, 0, 0.04, 0.34, 0.44, 0.34, board),
            block(0.17, 0.01, 0.38, 0.3, 0.4, 0.28, board),
            block(0.16, -0.02, 0.66, 0.26, 0.36, 0.2, board),
        ]
    return whole(parts)
