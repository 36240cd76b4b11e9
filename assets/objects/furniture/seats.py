"""Seats: sofas, armchairs, chairs and stools."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Pieces,
    Rng,
    arc,
    block,
    curve,
    legs,
    mirrored,
    moved,
    pad,
    ringed,
    turned,
    whole,
)
from caos.assets.modelling.plates import ribbon
from caos.assets.modelling.shapes import capsule, cylinder, ellipsoid, lathe, rounded_box, sweep


@kind(5, fallen=True)
def sofa(variant: int, rng: Rng) -> Mesh:
    """A sofa: block arms, rolled leather, corner, striped, or a chaise longue; x is the side one sits on."""
    seats = (3, 2, 3, 2, 2)[variant]
    cloth = (
        f.fabric(rng, (96, 100, 108)),
        f.leather(rng, (104, 52, 28)),
        f.fabric(rng, (58, 96, 92)),
        f.striped(rng, [(178, 42, 40), (230, 214, 188)], per_m=5),
        f.fabric(rng, (150, 40, 74)),
    )[variant]
    legs_wood = f.wood(rng, ("black", "walnut", "oak", "pine", "mahogany")[variant])
    width, depth = 0.68 * seats + 0.1, 0.9
    parts: list[Mesh | Part] = [rounded_box((-0.42, -width / 2, 0.14), (0.42, width / 2, 0.34), 0.03, cloth)]
    for i in range(seats):
        y = (i - (seats - 1) / 2) * 0.68
        parts.append(pad(0.06, y, 0.32, 0.76, 0.67, 0.17, cloth, 0.25))
        back = pad(-0.32, y, 0.4, 0.22, 0.66, 0.5 if variant != 1 else 0.4, cloth, 0.35)
        parts.append(turned(back, "y", -10, (-0.32, 0, 0.4)))
    parts.append(rounded_box((-0.46, -width / 2, 0.14), (-0.3, width / 2, 0.78), 0.05, cloth))
    parts += _sofa_arms(variant, width, cloth)
    parts.append(legs(depth - 0.15, width - 0.1, 0.16, 0.03, legs_wood, taper=0.6))
    if variant == 2:
        parts += [
            rounded_box((0.3, 0.35, 0.14), (1.25, width / 2 + 0.02, 0.34), 0.03, cloth),
            pad(0.86, width / 2 - 0.34, 0.32, 0.86, 0.7, 0.17, cloth, 0.22),
            legs(0.1, 0.5, 0.16, 0.03, legs_wood).transformed(translation(1.15, 0.7, 0)),
        ]
    if variant == 3:
        parts += [
            turned(pad(0.0, s * 0.45, 0.48, 0.12, 0.42, 0.4, f.fabric(rng, (40, 60, 110)), 0.6), "y", -20)
            for s in (1, -1)
        ]
    return whole(parts)


def _sofa_arms(variant: int, width: float, cloth: Material) -> list[Mesh | Part]:
    y = width / 2 + 0.08
    if variant == 1:
        arm: Pieces = [
            rounded_box((-0.44, y - 0.1, 0.14), (0.42, y + 0.08, 0.58), 0.04, cloth),
            cylinder((-0.44, y + 0.02, 0.6), (0.43, y + 0.02, 0.6), 0.13, cloth),
        ]
    elif variant == 4:
        high = rounded_box((-0.46, y - 0.1, 0.14), (0.42, y + 0.06, 0.95), 0.08, cloth)
        return [high]
    else:
        arm = [rounded_box((-0.46, y - 0.09, 0.14), (0.44, y + 0.09, 0.62 if variant != 3 else 0.55), 0.06, cloth)]
    both = mirrored(arm)
    return [whole(arm).transformed(np.diag([1, -1, 1, 1]))] if variant == 2 else [both]


@kind(4, fallen=True)
def armchair(variant: int, rng: Rng) -> Mesh:
    """A wing chair, a club chair, an egg-like shell, a wood-framed lounge chair."""
    if variant == 2:
        return _shell_chair(rng)
    if variant == 3:
        return _lounge_chair(rng)
    cloth = f.fabric(rng, (70, 96, 66)) if variant == 0 else f.leather(rng, (40, 32, 30))
    wood = f.wood(rng, "walnut")
    parts: list[Mesh | Part] = [
        rounded_box((-0.36, -0.36, 0.18), (0.36, 0.36, 0.36), 0.05, cloth),
        pad(0.05, 0, 0.34, 0.68, 0.56, 0.16, cloth, 0.35),
        legs(0.6, 0.62, 0.2, 0.03, wood, taper=0.6),
    ]
    if variant == 0:
        parts.append(
            turned(rounded_box((-0.42, -0.34, 0.3), (-0.26, 0.34, 1.12), 0.07, cloth), "y", -8, (-0.34, 0, 0.3))
        )
        parts.append(mirrored(rounded_box((-0.44, 0.3, 0.62), (-0.12, 0.4, 1.08), 0.05, cloth)))
        parts.append(mirrored(rounded_box((-0.36, 0.28, 0.2), (0.34, 0.42, 0.6), 0.06, cloth)))
    else:
        parts.append(rounded_box((-0.44, -0.42, 0.16), (-0.2, 0.42, 0.82), 0.1, cloth))
        parts.append(mirrored(rounded_box((-0.4, 0.26, 0.16), (0.38, 0.48, 0.66), 0.1, cloth)))
    return whole(parts)


def _shell_chair(rng: Rng) -> Mesh:
    shell, inner, metal = f.plastic((232, 228, 220), 0.2), f.fabric(rng, (206, 96, 30)), f.steel()
    rim = [(0.02, -0.42), (0.3, -0.36), (0.44, -0.16), (0.46, 0.08), (0.4, 0.3), (0.36, 0.3), (0.42, 0.06)]
    egg = lathe([*rim, (0.4, -0.14), (0.26, -0.32), (0.0, -0.38)], shell)
    return whole(
        [
            turned(egg, "y", 62).transformed(translation(0, 0, 0.75)),
            turned(
                lathe([(0.0, -0.36), (0.25, -0.3), (0.38, -0.12), (0.3, -0.05), (0, -0.12)], inner), "y", 55
            ).transformed(translation(0, 0, 0.75)),
            pad(0.08, 0, 0.42, 0.5, 0.56, 0.16, inner, 0.5),
            cylinder((0, 0, 0.03), (0, 0, 0.45), 0.03, metal),
            lathe([(0, 0), (0.32, 0), (0.3, 0.02), (0.05, 0.05), (0, 0.05)], metal),
        ]
    )


def _lounge_chair(rng: Rng) -> Mesh:
    wood, cloth = f.wood(rng, "birch"), f.fabric(rng, (44, 74, 122))
    side = sweep(curve([(0.42, 0, 0), (0.4, 0, 0.5), (0.1, 0, 0.58), (-0.34, 0, 0.56), (-0.42, 0, 0)], 20), 0.028, wood)
    seat = turned(pad(0.02, 0, 0.3, 0.66, 0.58, 0.14, cloth, 0.3), "y", -8, (0, 0, 0.3))
    back = turned(pad(-0.32, 0, 0.32, 0.14, 0.58, 0.66, cloth, 0.3), "y", -24, (-0.32, 0, 0.32))
    bars = [cylinder((x, -0.34, z), (x, 0.34, z), 0.022, wood) for x, z in ((0.36, 0.28), (-0.28, 0.24))]
    return whole([mirrored(moved(side, y=0.34)), seat, back, *bars])


@kind(5, fallen=True)
def chair(variant: int, rng: Rng) -> Mesh:
    """A kitchen chair, ladder-back, bentwood, plastic garden chair or folding chair."""
    builders = (_kitchen_chair, _ladder_back, _bentwood, _garden_chair, _folding_chair)
    return whole(builders[variant](rng))


def _kitchen_chair(rng: Rng) -> list[Mesh | Part]:
    wood = f.wood(rng, "oak")
    return [
        block(0, 0, 0.43, 0.42, 0.42, 0.035, wood),
        legs(0.36, 0.36, 0.43, 0.022, wood, taper=0.7),
        mirrored(sweep([(-0.19, 0.18, 0.4), (-0.26, 0.18, 0.95)], 0.02, wood)),
        *[turned(block(-0.22, 0, z, 0.02, 0.36, 0.09, wood), "y", -7, (-0.2, 0, 0.4)) for z in (0.62, 0.84)],
    ]


def _ladder_back(rng: Rng) -> list[Mesh | Part]:
    wood, seat = f.wood(rng, "mahogany"), f.straw(rng)
    bars = [block(-0.21, 0, z, 0.018, 0.38, 0.06, wood) for z in (0.58, 0.72, 0.86, 1.0)]
    rungs = [
        cylinder((-0.2, s * 0.19, z), (0.2, s * 0.19, z), 0.012, wood, detail=8) for s in (1, -1) for z in (0.14, 0.28)
    ]
    return [
        pad(0, 0, 0.42, 0.46, 0.46, 0.06, seat, 0.2),
        legs(0.4, 0.4, 0.45, 0.022, wood),
        mirrored(cylinder((-0.2, 0.19, 0), (-0.21, 0.19, 1.1), 0.022, wood)),
        mirrored(ellipsoid((-0.21, 0.19, 1.12), 0.035, wood, detail=10)),
        *bars,
        *rungs,
    ]


def _bentwood(rng: Rng) -> list[Mesh | Part]:
    wood = f.wood(rng, "black")
    hoop = curve(
        [
            (-0.2, 0.2, 0),
            (-0.2, 0.19, 0.45),
            (-0.26, 0.17, 0.8),
            (-0.29, 0, 0.93),
            (-0.26, -0.17, 0.8),
            (-0.2, -0.19, 0.45),
            (-0.2, -0.2, 0),
        ],
        40,
    )
    inner = curve([(-0.2, 0.1, 0.46), (-0.25, 0.1, 0.72), (-0.27, 0, 0.8), (-0.25, -0.1, 0.72), (-0.2, -0.1, 0.46)], 24)
    front = mirrored(sweep(curve([(0.2, 0.19, 0), (0.16, 0.15, 0.44)], 4), 0.018, wood))
    seat = lathe([(0, 0.43), (0.2, 0.43), (0.22, 0.45), (0.2, 0.47), (0, 0.465)], f.wood(rng, "pine"))
    ring = sweep(arc((0, 0, 0.22), 0.19, 0, 360, "xy", 28), 0.012, wood, detail=8, caps=False)
    return [sweep(hoop, 0.017, wood), sweep(inner, 0.012, wood), front, seat, ring]


def _garden_chair(_rng: Rng) -> list[Mesh | Part]:
    white = f.plastic((238, 238, 232), 0.45)
    slats = [
        turned(block(-0.22, y, 0.42, 0.012, 0.05, 0.44, white), "y", -14, (-0.22, 0, 0.42))
        for y in np.linspace(-0.18, 0.18, 5)
    ]
    top = turned(rounded_box((-0.235, -0.24, 0.82), (-0.205, 0.24, 0.92), 0.012, white), "y", -14, (-0.22, 0, 0.42))
    arms = mirrored(
        sweep(curve([(-0.25, 0.27, 0.66), (0.1, 0.28, 0.66), (0.22, 0.27, 0.62), (0.26, 0.26, 0)], 20), 0.024, white)
    )
    return [
        rounded_box((-0.25, -0.24, 0.4), (0.25, 0.24, 0.43), 0.014, white),
        legs(0.46, 0.46, 0.42, 0.026, white),
        *slats,
        top,
        arms,
    ]


def _folding_chair(rng: Rng) -> list[Mesh | Part]:
    tube, cloth = f.steel(), f.striped(rng, [(30, 90, 170), (244, 240, 230)], per_m=9)
    side = [sweep([(0.25, 0, 0), (-0.3, 0, 0.95)], 0.014, tube), sweep([(-0.28, 0, 0), (0.25, 0, 0.45)], 0.014, tube)]
    seat = sweep([(-0.16, 0, 0.4), (0.25, 0, 0.45)], 0.012, tube)
    bars = [
        cylinder((x, -0.25, z), (x, 0.25, z), 0.013, tube, detail=8)
        for x, z in ((0.24, 0.02), (-0.27, 0.02), (-0.3, 0.95))
    ]
    sling = ribbon(curve([(0.25, 0, 0.45), (0.02, 0, 0.4), (-0.12, 0, 0.45)], 10), 0.48, 0.012, cloth)
    back = ribbon(np.array([(-0.13, 0, 0.64), (-0.29, 0, 0.93)]), 0.48, 0.012, cloth)
    return [mirrored(moved([*side, seat], y=0.25)), *bars, sling, back]


@kind(3, fallen=True)
def office_chair(variant: int, rng: Rng) -> Mesh:
    """A swivel chair on five castors: task chair, tall executive chair, saddle stool."""
    black, metal = f.plastic((36, 36, 40)), f.steel()
    cloth = (f.fabric(rng, (44, 74, 122)), f.leather(rng, (34, 30, 30)), f.leather(rng, (170, 40, 36)))[variant]
    spoke = sweep([(0.02, 0, 0.12), (0.3, 0, 0.08)], [0.035, 0.022], black if variant != 1 else metal)
    castor = turned(moved(cylinder((0, -0.02, 0), (0, 0.02, 0), 0.032, black, detail=12), 0.3, 0, 0.032), "z", 0)
    parts: list[Mesh | Part] = [ringed([spoke, castor], 5), cylinder((0, 0, 0.1), (0, 0, 0.44), 0.028, metal)]
    if variant == 2:
        return whole(
            [*parts, pad(0.02, 0, 0.5, 0.42, 0.4, 0.12, cloth, 0.6), cylinder((0, 0, 0.4), (0, 0, 0.52), 0.03, metal)]
        )
    high = 0.5 if variant == 0 else 0.72
    parts += [
        pad(0.02, 0, 0.44, 0.5, 0.5, 0.12, cloth, 0.35),
        turned(pad(-0.26, 0, 0.56, 0.12, 0.46, high, cloth, 0.4), "y", -9, (-0.26, 0, 0.56)),
        sweep(curve([(-0.1, 0, 0.46), (-0.3, 0, 0.44), (-0.31, 0, 0.75)], 10), 0.025, black),
        mirrored(
            [
                sweep(curve([(0, 0.26, 0.5), (0, 0.31, 0.62), (0, 0.31, 0.69)], 8), 0.02, black),
                pad(0.02, 0.31, 0.68, 0.28, 0.07, 0.04, black),
            ]
        ),
    ]
    if variant == 1:
        parts += [
            turned(pad(-0.2, 0, z, 0.09, 0.44, 0.2, cloth, 0.5), "y", -9, (-0.26, 0, 0.56)) for z in (0.62, 0.82, 1.02)
        ]
    return whole(parts)


@kind(3, fallen=True)
def stool(variant: int, rng: Rng) -> Mesh:
    """A bar stool, a three-legged milking stool, a piano stool."""
    if variant == 0:
        metal = f.steel()
        leg = sweep([(0.22, 0, 0), (0.14, 0, 0.74)], 0.014, metal)
        ring = sweep(arc((0, 0, 0.25), 0.195, 0, 360, "xy", 28), 0.011, metal, caps=False, detail=8)
        return whole(
            [
                ringed(leg, 4),
                ring,
                lathe([(0, 0.73), (0.18, 0.73), (0.19, 0.77), (0.16, 0.8), (0, 0.8)], f.leather(rng, (150, 30, 30))),
            ]
        )
    if variant == 1:
        wood = f.wood(rng, "weathered")
        leg = sweep([(0.2, 0, 0), (0.1, 0, 0.4)], [0.03, 0.024], wood)
        return whole([ringed(leg, 3), lathe([(0, 0.38), (0.19, 0.38), (0.2, 0.41), (0.18, 0.43), (0, 0.43)], wood)])
    wood = f.wood(rng, "black")
    turned_leg = lathe(
        [(0, 0), (0.03, 0), (0.02, 0.06), (0.04, 0.16), (0.022, 0.26), (0.035, 0.4), (0, 0.4)], wood, detail=12
    )
    four = mirrored(mirrored(moved(turned_leg, 0.22, 0.16)), "x")
    return whole(
        [
            four,
            block(0, 0, 0.38, 0.56, 0.42, 0.06, wood),
            pad(0, 0, 0.43, 0.56, 0.42, 0.09, f.leather(rng, (40, 36, 60)), 0.25),
        ]
    )


@kind(2, fallen=True)
def rocking_chair(variant: int, rng: Rng) -> Mesh:
    """A chair on runners, with spindles or with a woven back."""
    wood = f.wood(rng, ("mahogany", "white")[variant])
    runner = mirrored(moved(sweep(arc((0, 0, 1.3), 1.3, -118, -62, "xz", 16), 0.022, wood), y=0.26))
    seat = pad(0, 0, 0.42, 0.5, 0.52, 0.06, f.straw(rng) if variant else wood, 0.2)
    posts = mirrored(
        [
            sweep([(0.22, 0.26, 0.05), (0.22, 0.26, 0.66)], 0.02, wood),
            sweep([(-0.2, 0.26, 0.05), (-0.34, 0.25, 1.15)], 0.022, wood),
        ]
    )
    arms = mirrored(capsule((0.27, 0.27, 0.67), (-0.27, 0.27, 0.67), 0.028, wood))
    rail = rounded_box((-0.37, -0.27, 1.06), (-0.33, 0.27, 1.2), 0.018, wood)
    spindles = [sweep([(-0.22, y, 0.46), (-0.345, y, 1.08)], 0.011, wood, detail=8) for y in np.linspace(-0.2, 0.2, 6)]
    woven = [turned(block(-0.26, 0, 0.5, 0.02, 0.5, 0.6, f.straw(rng)), "y", -11, (-0.26, 0, 0.5))]
    return whole([runner, seat, posts, arms, rail, *(woven if variant else spindles)])
