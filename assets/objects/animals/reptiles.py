"""Crocodiles and tortoises."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Points, Rng, curve, mirrored, noise3, painted, whole
from caos.assets.modelling.bodies import Body, horn
from caos.assets.modelling.shapes import ellipsoid, lathe
from caos.assets.objects.animals.coats import dark_eye


@kind(2)
def crocodile(variant: int, rng: Rng) -> Mesh:
    """A crocodile at rest, or with open jaws and a curled tail."""
    bend = (0.05, 0.35)[variant]
    spine = curve(
        [
            (1.0, 0, 0.2),
            (0.3, 0, 0.22),
            (-0.4, bend * 0.3, 0.2),
            (-1.1, bend, 0.14),
            (-1.7, bend * 2.4, 0.1),
            (-2.1, bend * 4, 0.06),
        ],
        18,
    )
    body = Body().chain(
        [tuple(p) for p in spine], list(np.interp(np.arange(18), [0, 3, 8, 12, 17], [0.15, 0.22, 0.2, 0.1, 0.03]))
    )
    lift = 0.05 if variant == 0 else 0.32
    body.rod((1.0, 0, 0.22), (1.3, 0, 0.24 + lift * 0.3), 0.15, 0.12).rod(
        (1.25, 0, 0.24 + lift * 0.3), (1.85, 0, 0.2 + lift), 0.1, 0.05
    )
    body.rod((1.15, 0, 0.14), (1.8, 0, 0.09), 0.09, 0.045).ball((1.22, 0.08, 0.36 + lift * 0.3), 0.05, both=True)
    for x, back in ((0.65, 0), (-0.5, 1)):
        body.chain(
            [(x, 0.16, 0.2), (x - 0.1 + 0.2 * back, 0.38, 0.18), (x + 0.05, 0.44, 0.04), (x + 0.2, 0.48, 0.03)],
            (0.09, 0.065, 0.05, 0.03),
            both=True,
        )
    skin = body.skin(f.leather(rng, (84, 92, 54)), cell_m=0.052, soft=0.05)
    look = f.coat(
        rng, [(0, (190, 184, 130)), (0.35, (120, 122, 76)), (0.6, (72, 82, 48)), (1, (52, 62, 38))], shiny=True
    )
    rough = noise3(rng, 0.06)

    def back_dark(p: Points) -> Points:
        out: Points = (p[:, 2] - 0.02) / 0.4 + 0.15 * rough(p)
        return out

    horny = f.leather(rng, (58, 66, 38))
    ridge = [
        ellipsoid(p + (0, s * 0.05, r), (0.06, 0.02, 0.045), horny, detail=8)
        for p, r in zip(
            spine[1:], np.interp(np.arange(1, 18), [0, 3, 8, 12, 17], [0.13, 0.2, 0.18, 0.1, 0.03]), strict=True
        )
        for s in (1, -1)
    ]
    teeth_white = f.ceramic((240, 236, 220))
    teeth = [
        horn(
            [
                (x, 0.07 - 0.03 * (x - 1.35) / 0.5, 0.13 if variant == 0 else 0.14),
                (x, 0.08 - 0.03 * (x - 1.35) / 0.5, 0.19),
            ],
            0.012,
            teeth_white,
        )
        for x in np.linspace(1.35, 1.8, 7)
    ]
    upper = [
        horn(
            [
                (x, 0.07 - 0.03 * (x - 1.35) / 0.5, 0.19 + lift * (0.35 + (x - 1.35) * 1.3)),
                (x, 0.075 - 0.03 * (x - 1.35) / 0.5, 0.1 + lift * (0.35 + (x - 1.35) * 1.3)),
            ],
            0.013,
            teeth_white,
        )
        for x in np.linspace(1.4, 1.82, 6)
    ]
    eye = mirrored(ellipsoid((1.25, 0.105, 0.38 + lift * 0.3), 0.026, f.plastic((220, 190, 50), 0.1), detail=10))
    return whole([painted(skin, look, back_dark), *ridge, mirrored(teeth), mirrored(upper), eye])


@kind(2)
def tortoise(variant: int, rng: Rng) -> Mesh:
    """A giant tortoise with a domed shell, and a flatter turtle with flippers."""
    flat = variant == 1
    z = 0.2 if not flat else 0.08
    height = 0.42 if not flat else 0.26
    shell = lathe(
        [
            (0, z - 0.03),
            (0.42, z),
            (0.5, z + 0.03),
            (0.46, z + 0.3 * height),
            (0.36, z + 0.65 * height),
            (0.2, z + 0.92 * height),
            (0, z + height),
        ],
        f.leather(rng, (110, 84, 44)),
        detail=36,
    )
    field = noise3(rng, 0.15, 12)

    def plates(p: Points) -> Points:
        out: Points = np.abs(field(p)) * 1.5
        return out

    look = f.coat(
        rng,
        [(0, (40, 34, 22)), (0.2, (52, 44, 26)), (0.4, (120, 92, 48)), (1, (164, 132, 70))]
        if not flat
        else [(0, (30, 50, 34)), (0.3, (50, 76, 46)), (1, (110, 130, 70))],
        shiny=True,
    )
    dome = whole(painted(shell, look, plates)).transformed(np.diag([1.25, 1.0, 1.0, 1.0]))
    body = Body().rod((0.3, 0, z + 0.05), (0.62, 0, z + 0.12), 0.14, 0.1)
    at = np.array([0.82, 0, z + (0.3 if not flat else 0.14)])
    body.rod((0.6, 0, z + 0.12), at, 0.1, 0.075).ball(at + (0.02, 0, 0), (0.11, 0.08, 0.075)).rod(
        (-0.6, 0, z), (-0.72, 0, z - 0.05), 0.04, 0.015
    )
    if flat:
        body.chain([(0.4, 0.35, z), (0.55, 0.75, z - 0.02), (0.35, 1.0, 0.03)], (0.09, 0.07, 0.03), both=True)
        body.chain([(-0.45, 0.3, z), (-0.7, 0.5, 0.04)], (0.08, 0.04), both=True)
    else:
        for x in (0.38, -0.42):
            body.chain(
                [(x, 0.28, z + 0.04), (x * 1.1, 0.4, 0.12), (x * 1.1, 0.4, 0.06)], (0.13, 0.115, 0.11), both=True
            )
    skin = body.skin(f.leather(rng, (112, 104, 72) if not flat else (96, 120, 90)), cell_m=0.0351, soft=0.05)
    return whole([dome, skin, mirrored(ellipsoid(at + (0.07, 0.065, 0.025), 0.016, dark_eye(), detail=8))])
