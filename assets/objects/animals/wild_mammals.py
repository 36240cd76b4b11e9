"""Elephants, bears, kangaroos and rabbits."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, mirrored, moved, turned, whole
from caos.assets.modelling.bodies import Beast, Body, Head, add_ears, eyes, four_legged, horn, nostril_tip
from caos.assets.modelling.shapes import ellipsoid
from caos.assets.objects.animals.coats import BLACK, dark_eye


@kind(2)
def elephant(variant: int, rng: Rng) -> Mesh:
    """A bull with tusks and raised trunk, a young one with its trunk down."""
    s = (1.0, 0.6)[variant]
    body = Body()
    body.rod((0.55 * s, 0, 1.75 * s), (-0.75 * s, 0, 1.7 * s), 0.62 * s, 0.58 * s).ball(
        (-0.05 * s, 0, 1.5 * s), (0.95 * s, 0.64 * s, 0.6 * s)
    )
    for x, step in ((0.72, 0.12), (-0.95, -0.12)):
        for side in (1, -1):
            foot = (x + step * side) * s
            body.chain(
                [
                    (x * s, side * 0.34 * s, 1.35 * s),
                    (foot, side * 0.36 * s, 0.6 * s),
                    (foot, side * 0.36 * s, 0.16 * s),
                ],
                (0.3 * s, 0.22 * s, 0.21 * s),
            )
            body.ball((foot + 0.02 * s, side * 0.36 * s, 0.1 * s), (0.24 * s, 0.23 * s, 0.12 * s))
    at = np.array([1.28 * s, 0, 2.02 * s])
    body.rod((0.8 * s, 0, 1.9 * s), at, 0.45 * s, 0.38 * s).ball(
        at + (0.02, 0, 0.12 * s), (0.36 * s, 0.34 * s, 0.38 * s)
    )
    trunk = (
        [(1.55, 1.9), (1.85, 1.5), (2.15, 1.45), (2.35, 1.8), (2.3, 2.25)]
        if variant == 0
        else [(1.55, 1.9), (1.78, 1.4), (1.85, 0.9), (1.9, 0.45), (2.05, 0.25)]
    )
    body.chain([(x * s, 0, z * s) for x, z in trunk], [0.24 * s, 0.18 * s, 0.14 * s, 0.11 * s, 0.08 * s])
    body.chain(
        [(-1.3 * s, 0, 1.95 * s), (-1.45 * s, 0, 1.6 * s), (-1.45 * s, 0, 1.0 * s)], (0.06 * s, 0.04 * s, 0.03 * s)
    )
    hide = f.stone(rng, ((128, 122, 118), (146, 134, 124))[variant])
    skin = body.skin(hide, cell_m=0.0945 * s, soft=0.14 * s)
    ears = (
        Body()
        .ball((0, 0, 0), (0.42 * s, 0.05 * s, 0.52 * s))
        .ball((-0.16 * s, 0, -0.2 * s), (0.3 * s, 0.05 * s, 0.4 * s))
    )
    ear = moved(turned(ears.skin(hide, cell_m=0.0473 * s, soft=0.05), "z", 32), 1.05 * s, 0.52 * s, 2.0 * s)
    eye = mirrored(ellipsoid((1.52 * s, 0.27 * s, 2.12 * s), 0.035 * s, dark_eye(), detail=10))
    tusk = [(1.5 * s, 0.16 * s, 1.72 * s), (1.8 * s, 0.2 * s, 1.45 * s), (2.1 * s, 0.2 * s, 1.5 * s)]
    tusks = [mirrored(horn(tusk, 0.06 * s, f.ceramic((238, 230, 210))))] if variant == 0 else []
    return whole([skin, mirrored(ear), eye, *tusks])


@kind(3)
def bear(variant: int, rng: Rng) -> Mesh:
    """A brown bear, a polar bear, a panda that sits."""
    if variant == 2:
        return _panda(rng)
    beast = Beast(
        length=1.05,
        shoulder=0.74,
        hip=0.72,
        chest=0.33,
        rump=0.35,
        belly=(0.62, 0.34, 0.34),
        spread=0.2,
        leg=(0.18, 0.13, 0.11),
        neck=(0.42, 0.12) if variant == 0 else (0.58, 0.14),
        neck_radii=(0.2, 0.28),
        head=0.42,
        skull=(0.2, 0.085),
        nod_deg=18,
        stride=0.16,
        tail=((0, 0), (-0.06, -0.05)),
        tail_radius=0.05,
        digitigrade=0.08,
    )
    body, head = four_legged(beast)
    if variant == 0:
        body.ball((0.5, 0, 1.0), (0.26, 0.2, 0.2))
    body.ball(head.point(-0.15, 0.75, 0.75), 0.075, both=True)
    color = ((98, 62, 36), (236, 230, 212))[variant]
    skin = body.skin(f.fur(rng, color, 0.45), cell_m=0.0486, soft=0.1)
    return whole(
        [
            skin,
            eyes(head, dark_eye(), forward=0.42, up=0.4, size=0.11),
            nostril_tip(head, f.plastic(BLACK, 0.3), size=0.75),
        ]
    )


def _panda(rng: Rng) -> Mesh:
    white, black = f.fur(rng, (238, 234, 226), 0.3), f.fur(rng, (30, 28, 30), 0.5)
    body = Body().rod((0, 0, 0.36), (0.06, 0, 0.72), 0.36, 0.26)
    head = Head(np.array([0.12, 0, 1.06]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.32, 0.24, 0.1)
    body.ball(head.at, (0.24, 0.27, 0.23)).ball(head.at + (0.2, 0, -0.06), (0.12, 0.12, 0.1))
    dark = Body().chain([(0.06, 0.26, 0.78), (0.26, 0.36, 0.58), (0.42, 0.22, 0.5)], (0.13, 0.11, 0.1), both=True)
    dark.chain([(0.1, 0.22, 0.2), (0.5, 0.3, 0.14)], (0.17, 0.13), both=True).ball(
        (0.6, 0.3, 0.2), (0.08, 0.12, 0.16), both=True
    )
    dark.ball(head.at + (-0.03, 0.2, 0.2), 0.085, both=True).ball((0.02, 0, 0.82), (0.22, 0.27, 0.1))
    patch = mirrored(ellipsoid(head.at + (0.2, 0.1, 0.04), (0.05, 0.055, 0.075), black, detail=14))
    return whole(
        [
            body.skin(white, cell_m=0.0405, soft=0.08),
            dark.skin(black, cell_m=0.0378, soft=0.06),
            patch,
            mirrored(ellipsoid(head.at + (0.245, 0.09, 0.05), 0.022, f.plastic((230, 230, 230), 0.1), detail=10)),
            nostril_tip(head, f.plastic(BLACK, 0.3), size=0.5),
        ]
    )


@kind(2)
def kangaroo(variant: int, rng: Rng) -> Mesh:
    """A standing kangaroo, red or grey with a joey in its pouch."""
    body = Body().chain([(-0.12, 0, 0.5), (0.02, 0, 0.85), (0.1, 0, 1.15)], (0.25, 0.2, 0.13))
    head = Head(np.array([0.2, 0, 1.4]), np.array([0.96, 0, -0.28]), np.array([0.28, 0, 0.96]), 0.26, 0.085, 0.045)
    body.rod((0.1, 0, 1.15), head.at, 0.1, 0.07).ball(head.at, 0.085).rod(
        head.at, head.at + head.ahead * 0.21, 0.075, 0.042
    )
    add_ears(body, head, 0.18, 0.033, lean=(0, 0.3, 1))
    body.chain(
        [(-0.1, 0.15, 0.48), (0.18, 0.2, 0.42), (-0.14, 0.2, 0.1), (0.28, 0.2, 0.05)],
        (0.19, 0.12, 0.055, 0.04),
        both=True,
    )
    body.chain([(0.14, 0.12, 1.08), (0.28, 0.15, 0.85), (0.42, 0.13, 0.88)], (0.055, 0.04, 0.03), both=True)
    body.chain([(-0.25, 0, 0.4), (-0.55, 0, 0.15), (-0.95, 0, 0.07), (-1.25, 0, 0.06)], (0.17, 0.1, 0.07, 0.035))
    base = ((166, 96, 54), (140, 128, 116))[variant]
    if variant == 1:
        body.ball((0.24, 0, 0.72), 0.1).ball((0.32, 0, 0.82), 0.06).rod(
            (0.3, 0.03, 0.85), (0.3, 0.05, 0.96), 0.022, both=True
        )
    skin = body.skin(f.fur(rng, base, 0.4), cell_m=0.0351, soft=0.06)
    return whole([skin, eyes(head, dark_eye(), size=0.2), nostril_tip(head, f.plastic(BLACK), size=0.5)])


@kind(2)
def rabbit(variant: int, rng: Rng) -> Mesh:
    """A sitting rabbit, and a big hare on its hind legs."""
    tall = variant == 1
    body = Body().rod((-0.08, 0, 0.1), (0.06, 0, 0.3 if tall else 0.13), 0.1, 0.075)
    z = 0.42 if tall else 0.22
    head = Head(np.array([0.12, 0, z]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.1, 0.062, 0.035)
    body.ball(head.at, (0.068, 0.056, 0.056)).ball(head.at + (0.055, 0, -0.012), (0.035, 0.036, 0.032)).ball(
        (-0.18, 0, 0.09), 0.04
    )
    for y in (0.03,):
        body.chain(
            [head.at + (-0.02, y, 0.04), head.at + (-0.05, y * 1.6, 0.13), head.at + (-0.06, y * 2, 0.21)],
            (0.018, 0.025, 0.012),
            both=True,
        )
    body.ball((-0.05, 0.08, 0.08), (0.09, 0.045, 0.075), both=True).ball(
        (0.03, 0.08, 0.02), (0.09, 0.03, 0.02), both=True
    )
    fore = [(0.08, 0.045, 0.25), (0.16, 0.04, 0.2)] if tall else [(0.1, 0.04, 0.12), (0.13, 0.045, 0.02)]
    body.chain(fore, (0.03, 0.022), both=True)
    color = ((226, 220, 212), (132, 100, 66))[variant]
    return whole(
        [
            body.skin(f.fur(rng, color, 0.4), cell_m=0.0115, soft=0.025),
            eyes(head, dark_eye(), forward=0.25, size=0.2),
            nostril_tip(head, f.plastic((210, 140, 140)), size=0.35),
        ]
    )
