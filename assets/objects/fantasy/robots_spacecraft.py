"""Robots, flying saucers and rockets."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
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
    wheel,
    whole,
)
from caos.assets.modelling.bodies import Body
from caos.assets.modelling.shapes import capsule, cylinder, ellipsoid, extrude, lathe, rounded_box, sweep


@kind(4, fallen=True)
def robot(variant: int, rng: Rng) -> Mesh:
    """A tin toy robot, a rolling dome robot, a spider-legged walker, a bucket-headed one on tracks."""
    builders = (_tin_robot, _dome_robot, _walker, _tracked)
    return whole(builders[variant](rng))


def _tin_robot(_rng: Rng) -> Parts:
    tin, red, dark = f.metal((150, 170, 190), 0.3), f.paint((200, 40, 36)), f.plastic((30, 30, 34))
    parts: Parts = [
        rounded_box((-0.22, -0.3, 0.6), (0.22, 0.3, 1.15), 0.03, tin),
        rounded_box((-0.18, -0.2, 1.22), (0.18, 0.2, 1.55), 0.03, tin),
        cylinder((0, 0, 1.1), (0, 0, 1.25), 0.1, dark),
    ]
    parts += [
        mirrored(
            [
                rounded_box((-0.12, 0.06, 0.1), (0.12, 0.25, 0.6), 0.02, tin),
                rounded_box((-0.16, 0.04, 0), (0.26, 0.27, 0.14), 0.03, red),
            ]
        )
    ]
    parts += [
        mirrored(
            [
                ellipsoid((0, 0.34, 1.05), 0.1, red, detail=14),
                *[
                    cylinder((0, 0.38, 0.98 - 0.07 * i), (0, 0.38, 0.93 - 0.07 * i), 0.06, tin, detail=14)
                    for i in range(6)
                ],
                sweep(arc((0.02, 0.38, 0.44), 0.08, -60, 240, "xz", 14), 0.03, red),
            ]
        )
    ]
    parts += [
        mirrored(cylinder((0.17, 0.09, 1.42), (0.21, 0.09, 1.42), 0.06, f.plastic((250, 210, 60), 0.1))),
        slab((0.17, -0.12, 1.27), (0.19, 0.12, 1.33), dark),
        mirrored(sweep([(0, 0.2, 1.45), (0, 0.3, 1.45), (0, 0.3, 1.7)], 0.014, dark)),
        cylinder((0, 0, 1.55), (0, 0, 1.75), 0.012, dark),
        ellipsoid((0, 0, 1.77), 0.035, red, detail=10),
    ]
    return [
        *parts,
        slab((0.215, -0.2, 0.8), (0.235, 0.2, 1.05), dark),
        *[
            cylinder((0.23, y, 0.92), (0.25, y, 0.92), 0.04, f.plastic(c, 0.1))
            for y, c in ((-0.11, (220, 40, 40)), (0.0, (240, 200, 40)), (0.11, (60, 180, 80)))
        ],
    ]


def _dome_robot(_rng: Rng) -> Parts:
    white, blue, dark = f.paint((196, 206, 170)), f.paint((176, 84, 40)), f.plastic((40, 42, 46))
    body = lathe([(0, 0.25), (0.26, 0.25), (0.28, 0.3), (0.28, 0.9), (0, 0.92)], white, detail=36)
    dome = lathe(
        [(0.28, 0.92), (0.27, 1.0), (0.2, 1.13), (0.1, 1.19), (0, 1.2)], f.metal((190, 194, 200), 0.25), detail=36
    )
    panels = [
        turned(slab((0.275, -0.06, z), (0.287, 0.06, z + h), blue), "z", a)
        for a, z, h in ((0, 0.7, 0.15), (0, 0.4, 0.2), (35, 0.5, 0.3), (-35, 0.5, 0.3), (90, 0.6, 0.2), (-90, 0.6, 0.2))
    ]
    eye: Parts = [
        cylinder((0.2, 0, 1.05), (0.29, 0, 1.03), 0.055, dark),
        cylinder((0.28, 0, 1.03), (0.3, 0, 1.03), 0.04, f.glass()),
        ellipsoid((0.22, 0.1, 1.0), 0.03, f.plastic((220, 40, 40), 0.1), detail=10),
    ]
    side = mirrored(
        [
            rounded_box((-0.1, 0.29, 0.12), (0.1, 0.4, 0.85), 0.03, white),
            rounded_box((-0.22, 0.28, 0), (0.22, 0.42, 0.14), 0.04, white),
            lathe([(0, 0), (0.1, 0), (0.1, 0.02), (0, 0.02)], blue).transformed(
                np.array([[1, 0, 0, 0], [0, 0, 1, 0.4], [0, 1, 0, 0.72], [0, 0, 0, 1.0]])
            ),
        ]
    )
    return [
        body,
        dome,
        *panels,
        *eye,
        side,
        rounded_box((0.0, -0.1, 0), (0.3, 0.1, 0.12), 0.04, white),
        cylinder((0.1, 0, 0.1), (0, 0, 0.3), 0.08, dark),
    ]


def _walker(_rng: Rng) -> Parts:
    shell, dark = f.paint((230, 120, 30)), f.metal((70, 72, 78), 0.4)
    leg: Parts = [
        capsule((0.28, 0, 0.75), (0.62, 0, 1.0), 0.05, dark),
        ellipsoid((0.62, 0, 1.0), 0.075, shell, detail=14),
        sweep([(0.62, 0, 1.0), (0.88, 0, 0.45), (0.95, 0, 0.0)], [0.05, 0.04, 0.015], dark),
    ]
    body: Parts = [
        pad(0, 0, 0.6, 0.8, 0.62, 0.34, shell, 0.5),
        ringed(leg, 6, 30),
        moved(ellipsoid((0, 0, 0), (0.14, 0.14, 0.1), f.glass(), detail=18), 0.36, 0, 0.8),
    ]
    return [
        *body,
        *[ellipsoid((0.46, y, 0.8), 0.03, f.plastic((220, 40, 40), 0.1), detail=8) for y in (-0.07, 0.07)],
        cylinder((-0.15, 0, 0.9), (-0.15, 0, 1.3), 0.012, dark),
    ]


def _tracked(rng: Rng) -> Parts:
    yellow, dark = f.rusty(rng, (220, 170, 40), 0.25), f.rubber()
    track = mirrored(moved(rounded_box((-0.36, -0.09, 0), (0.36, 0.09, 0.3), 0.14, dark), y=0.3))
    wheels = mirrored([moved(wheel(0.1, 0.2, dark, f.steel()), x, 0.3, 0.14) for x in (-0.2, 0.0, 0.2)])
    head: Parts = [
        mirrored(
            [
                cylinder((-0.05, 0.12, 0.98), (0.16, 0.12, 0.96), 0.1, f.steel()),
                cylinder((0.16, 0.12, 0.96), (0.17, 0.12, 0.96), 0.08, f.glass()),
            ]
        ),
        cylinder((0, 0, 0.7), (0, 0, 0.95), 0.035, f.steel()),
    ]
    arms = mirrored(
        [
            sweep([(0.0, 0.3, 0.6), (0.2, 0.38, 0.5), (0.42, 0.32, 0.5)], 0.035, f.steel()),
            *[sweep([(0.42, 0.32 + d, 0.5), (0.55, 0.32 + 1.5 * d, 0.5)], 0.02, yellow) for d in (-0.04, 0.04)],
        ]
    )
    return [
        track,
        wheels,
        block(0, 0, 0.26, 0.5, 0.52, 0.46, yellow),
        *head,
        arms,
        slab((0.24, -0.18, 0.5), (0.26, 0.18, 0.64), f.plastic((40, 42, 46))),
    ]


@kind(3)
def ufo(variant: int, _rng: Rng) -> Mesh:
    """A flying saucer on legs, a cigar-shaped one, a classic crashed disc."""
    hull_metal, dome = f.metal((176, 182, 190), 0.25), f.glass()
    if variant == 1:
        body = Body().ball((0, 0, 0.8), (2.0, 0.55, 0.5))
        fins = ringed(slab((-0.02, 0.4, -0.3), (0.02, 1.0, 0.0), f.paint((180, 40, 50))), 3)
        ports = [
            mirrored(
                ellipsoid(
                    (x, 0.5 * np.sqrt(max(0.05, 1 - (x / 2) ** 2)) + 0.02, 0.85),
                    (0.09, 0.03, 0.09),
                    f.plastic((250, 230, 120), 0.1),
                    detail=12,
                )
            )
            for x in np.linspace(-1.2, 1.2, 7)
        ]
        return whole(
            [
                body.skin(hull_metal, cell_m=0.075, soft=0.05),
                moved(turned(fins, "y", 90), -1.5, 0, 0.8),
                *ports,
                *[
                    cylinder((x, y, 0.5), (x * 1.1, y * 1.6, 0), 0.04, f.steel())
                    for x in (0.9, -0.9)
                    for y in (0.25, -0.25)
                ],
            ]
        )
    disc = lathe(
        [(0, 0.5), (0.35, 0.48), (1.0, 0.68), (1.6, 0.8), (1.65, 0.84), (1.6, 0.88), (1.0, 1.0), (0.6, 1.1), (0, 1.12)],
        hull_metal,
        detail=48,
    )
    cabin = lathe(
        [(0.55, 1.1), (0.5, 1.3), (0.3, 1.48), (0, 1.55)], dome if variant == 0 else f.paint((60, 170, 90)), detail=32
    )
    lights = ringed(
        ellipsoid((1.3, 0, 0.96), 0.08, f.plastic((250, 80, 60) if variant == 0 else (90, 220, 255), 0.1), detail=12),
        12,
    )
    if variant == 2:
        return turned([disc, cabin, lights], "y", 20)
    foot: Parts = [
        sweep([(0.7, 0, 0.65), (1.05, 0, 0.04)], 0.04, f.steel()),
        lathe([(0, 0), (0.16, 0), (0.12, 0.05), (0, 0.06)], f.steel()).transformed(
            np.array([[1, 0, 0, 1.05], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        ),
    ]
    return whole([disc, cabin, lights, ringed(foot, 3)])


@kind(3, fallen=True)
def rocket(variant: int, _rng: Rng) -> Mesh:
    """A red-and-white comic rocket, a slim missile-like one, a playground rocket."""
    red, white = f.paint((206, 36, 36)), f.paint((240, 238, 234))
    checks = []
    if variant == 0:
        profile = curve([(0.22, 0.5), (0.5, 1.1), (0.55, 1.8), (0.35, 2.6), (0.0, 3.1)], 24)
        body = lathe([(0, 0.5), *[(max(float(r), 0.0), float(z)) for r, z in profile]], white, detail=36)
        nose = lathe([(float(r) + 0.006, float(z)) for r, z in profile if z > 2.35] + [(0, 3.12)], red, detail=36)
        fin = extrude(np.array([(0.35, 1.2), (0.95, 0.4), (0.95, 0.0), (0.3, 0.6)]), -0.03, 0.03, red)
        fins = ringed(turned(fin, "x", 90), 3)
        port = moved(
            turned(
                [
                    sweep(arc((0, 0, 0), 0.17, 0, 360, "xy", 28), 0.035, f.brass(), caps=False),
                    lathe([(0, -0.01), (0.17, -0.01), (0, 0.01)], f.glass()),
                ],
                "y",
                84,
            ),
            0.53,
            0,
            1.9,
        )
        return whole(
            [body, nose, fins, port, lathe([(0.1, 0.3), (0.25, 0.3), (0.2, 0.52)], f.metal((90, 90, 94), 0.4))]
        )
    if variant == 1:
        body = lathe([(0, 0.1), (0.16, 0.1), (0.16, 2.4), (0.1, 2.75), (0.0, 3.0)], white, detail=28)
        checks = [
            lathe([(0.161, z), (0.165, z), (0.165, z + 0.2), (0.161, z + 0.2)], f.plastic((24, 24, 26)), detail=28)
            for z in (0.5, 1.3, 2.1)
        ]
        fins = ringed(
            turned(
                extrude(
                    np.array([(0.15, 0.75), (0.45, 0.3), (0.45, 0.0), (0.15, 0.1)]),
                    -0.015,
                    0.015,
                    f.plastic((24, 24, 26)),
                ),
                "x",
                90,
            ),
            4,
        )
        return whole([body, *checks, fins, lathe([(0.05, 0), (0.12, 0.0), (0.08, 0.12)], f.metal((90, 90, 94), 0.4))])
    blue, yellow = f.plastic((40, 100, 190), 0.3), f.plastic((246, 200, 40), 0.3)
    body = lathe([(0, 0.35), (0.4, 0.35), (0.42, 1.3), (0.3, 1.75), (0, 2.1)], blue, detail=32)
    side = ringed(
        moved(lathe([(0, 0), (0.16, 0), (0.16, 0.6), (0.1, 0.8), (0, 0.9)], yellow, detail=20), x=0.5, z=0.15), 3
    )
    return whole(
        [
            body,
            side,
            lathe([(0.425, 1.2), (0.43, 1.2), (0.42, 1.35)], yellow, detail=32),
            moved(turned(lathe([(0, 0), (0.18, 0), (0.16, 0.04), (0, 0.05)], f.glass()), "y", 90), 0.38, 0, 1.0),
            lathe([(0, 2.08), (0.05, 2.08), (0, 2.3)], red),
        ]
    )
