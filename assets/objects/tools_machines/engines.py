"""Machines with an engine: generators, compressors and lawn mowers."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, curve, mirrored, moved, pad, slab, turned, wheel, whole
from caos.assets.modelling.shapes import capsule, cylinder, lathe, rounded_box, sweep


@kind(2)
def generator(variant: int, rng: Rng) -> Mesh:
    """A generator in a tube frame, a big diesel one on wheels."""
    return _generator_family((0, 2)[variant], rng)


@kind(1)
def compressor(_variant: int, rng: Rng) -> Mesh:
    """A wheeled compressor with tank."""
    return _generator_family(1, rng)


def _generator_family(variant: int, _rng: Rng) -> Mesh:
    """A generator in a tube frame, a wheeled compressor with tank, a big diesel pump."""
    steel, black = f.steel(), f.plastic((40, 40, 44))
    if variant == 1:
        tank = f.paint((190, 40, 36))
        body: Parts = [
            capsule((-0.42, 0, 0.34), (0.42, 0, 0.34), 0.19, tank),
            rounded_box((-0.3, -0.13, 0.55), (0.1, 0.13, 0.85), 0.04, black),
            moved(wheel(0.17, 0.04, black, tank, spokes=6), 0.25, 0.1, 0.72),
        ]
        body += [
            mirrored(moved(wheel(0.15, 0.06, f.rubber(), steel), -0.38, 0.2, 0.15)),
            cylinder((0.4, 0, 0), (0.4, 0, 0.2), 0.03, black),
            sweep(
                curve([(0.5, -0.15, 0.4), (0.75, -0.15, 0.75), (0.75, 0.15, 0.75), (0.5, 0.15, 0.4)], 16), 0.016, steel
            ),
        ]
        return whole(
            [
                *body,
                cylinder((0.3, -0.02, 0.53), (0.3, -0.02, 0.62), 0.02, f.brass()),
                turned(lathe([(0, 0), (0.05, 0), (0.05, 0.03), (0, 0.035)], f.ceramic()), "y", 90).transformed(
                    translation(0.2, 0.2, 0.5)
                ),
            ]
        )
    frame_paint = f.paint((220, 50, 40) if variant == 0 else (240, 190, 40))
    w, h = (0.28, 0.55) if variant == 0 else (0.38, 0.8)
    length = 0.36 if variant == 0 else 0.6
    loop = [(-length, w, 0.03), (-length, w, h), (length, w, h), (length, w, 0.03), (-length, w, 0.03)]
    tube: Parts = [
        mirrored(sweep(loop, 0.018, frame_paint)),
        *[cylinder((s * length, -w, z), (s * length, w, z), 0.016, frame_paint) for s in (1, -1) for z in (0.04, h)],
    ]
    engine: Parts = [
        rounded_box((-length + 0.05, -w + 0.05, 0.08), (0.02, w - 0.05, h * 0.62), 0.03, black),
        cylinder((0.02, 0, h * 0.36), (length - 0.04, 0, h * 0.36), h * 0.24, steel),
        rounded_box(
            (-length + 0.03, -w + 0.04, h * 0.66),
            (length - 0.06, w - 0.04, h * 0.97),
            0.05,
            frame_paint if variant == 0 else f.paint((60, 70, 80)),
        ),
    ]
    engine += [
        slab((length - 0.05, -w + 0.06, 0.1), (length - 0.02, w - 0.06, h * 0.6), f.plastic((210, 210, 210))),
        *[
            cylinder((length - 0.03, y, h * 0.4), (length, y, h * 0.4), 0.03, f.plastic((30, 60, 160)))
            for y in (-0.12, 0.0, 0.12)
        ],
    ]
    if variant == 2:
        engine += [
            sweep(curve([(-0.3, 0.1, 0.7), (-0.3, 0.1, 1.1), (-0.36, 0.1, 1.2)], 10), 0.03, steel),
            mirrored(mirrored(moved(wheel(0.14, 0.06, f.rubber(), frame_paint), 0.4, w + 0.05, 0.14)), "x"),
            sweep([(0.6, 0, 0.1), (1.0, 0, 0.25)], 0.025, frame_paint),
        ]
    return whole([*tube, *engine])


@kind(3)
def lawn_mower(variant: int, rng: Rng) -> Mesh:
    """A petrol mower, an old reel mower, a robot mower."""
    if variant == 2:
        return _robot_mower(rng)
    steel = f.steel()
    handle = sweep(
        curve(
            [
                (-0.2, 0.2, 0.22),
                (-0.75, 0.2, 0.85),
                (-0.85, 0.2, 0.95),
                (-0.85, -0.2, 0.95),
                (-0.75, -0.2, 0.85),
                (-0.2, -0.2, 0.22),
            ],
            30,
        ),
        0.013,
        steel if variant == 0 else f.wood(rng, "oak"),
    )
    if variant == 1:
        red = f.paint((170, 40, 34))
        wheels = mirrored(moved(wheel(0.15, 0.05, f.metal((90, 90, 92), 0.5), red, spokes=6), 0.1, 0.25, 0.15))
        blades = [
            sweep(
                [
                    (0.1 + 0.09 * np.cos(a + 0.2 * k), -0.22 + 0.44 * k / 9, 0.14 + 0.09 * np.sin(a + 0.2 * k))
                    for k in range(10)
                ],
                0.01,
                steel,
                detail=5,
            )
            for a in np.linspace(0, 2 * np.pi, 5, endpoint=False)
        ]
        return whole(
            [
                wheels,
                *blades,
                handle,
                cylinder((0.1, -0.24, 0.14), (0.1, 0.24, 0.14), 0.02, red),
                cylinder((-0.1, -0.22, 0.05), (-0.1, 0.22, 0.05), 0.035, f.wood(rng, "birch")),
                mirrored(sweep([(0.1, 0.23, 0.14), (-0.1, 0.23, 0.06), (-0.22, 0.2, 0.22)], 0.015, red)),
            ]
        )
    red = f.paint((200, 34, 30))
    deck = pad(0.05, 0, 0.1, 0.66, 0.5, 0.16, red, 0.4)
    engine: Parts = [
        cylinder((0.08, 0, 0.22), (0.08, 0, 0.36), 0.13, f.plastic((40, 40, 44))),
        lathe([(0, 0.36), (0.12, 0.36), (0.1, 0.41), (0, 0.42)], steel).transformed(translation(0.08, 0, 0)),
        pad(0.22, 0.1, 0.24, 0.14, 0.12, 0.12, f.plastic((210, 210, 205))),
    ]
    bag = pad(-0.48, 0, 0.1, 0.42, 0.4, 0.34, f.fabric(rng, (50, 54, 60)), 0.45)
    wheels = whole(
        [
            moved(wheel(r, 0.05, f.rubber(), f.plastic((220, 220, 218))), x, y, r)
            for x, r in ((0.3, 0.1), (-0.22, 0.13))
            for y in (0.27, -0.27)
        ]
    )
    return whole([deck, *engine, bag, wheels, handle])


def _robot_mower(_rng: Rng) -> Mesh:
    """A robot mower."""
    green = f.plastic((70, 74, 80))
    hull = pad(0, 0, 0.05, 0.68, 0.5, 0.24, green, 0.6)
    return whole(
        [
            hull,
            pad(0.02, 0, 0.16, 0.4, 0.34, 0.16, f.plastic((240, 130, 30)), 0.6),
            mirrored(moved(wheel(0.13, 0.06, f.rubber(), green), -0.18, 0.25, 0.13)),
            mirrored(moved(wheel(0.05, 0.03, f.rubber(), green), 0.26, 0.15, 0.05)),
            lathe([(0, 0.3), (0.05, 0.3), (0.045, 0.34), (0, 0.345)], f.plastic((210, 30, 30))),
        ]
    )
