"""Thrones, treasure chests, cannons and cauldrons."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh
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
from caos.assets.modelling.bodies import horn
from caos.assets.modelling.plates import upright_plate
from caos.assets.modelling.shapes import cylinder, ellipsoid, extrude, lathe, sweep


@kind(3, fallen=True)
def throne(variant: int, rng: Rng) -> Mesh:
    """A gilded throne, a stone one, one of swords."""
    frame: Material = (f.brass(), f.stone(rng, (120, 116, 110)), f.metal((90, 94, 100), 0.3))[variant]
    velvet = f.fabric(rng, ((150, 20, 30), (60, 60, 90), (40, 40, 44))[variant])
    parts: Parts = [
        block(0, 0, 0, 0.9, 1.0, 0.12, frame),
        block(0, 0, 0.12, 0.7, 0.76, 0.38, frame),
        pad(0.04, 0, 0.48, 0.62, 0.62, 0.12, velvet, 0.3),
        block(-0.34, 0, 0.12, 0.12, 0.84, 1.35, frame),
        mirrored(block(0.02, 0.4, 0.5, 0.7, 0.12, 0.3, frame)),
    ]
    if variant == 2:
        blades = [
            turned(
                extrude(
                    np.array([(-0.03, 0), (0.03, 0), (0.028, 0.9), (0, 1.0), (-0.028, 0.9)]), -0.006, 0.006, f.steel()
                ).transformed(np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])),
                "x",
                a,
            ).transformed(np.array([[1, 0, 0, -0.34 - 0.02 * (k % 3)], [0, 1, 0, 0], [0, 0, 1, 0.95], [0, 0, 0, 1.0]]))
            for k, a in enumerate(np.linspace(-72, 72, 21))
        ]
        return whole([*parts, *blades])
    crown = (
        np.concatenate([[(0.42, 0)], arc((0, 0, 0), 0.42, 0, 180, "yz", 18)[:, 1:], [(-0.42, 0)]])
        if variant == 0
        else np.array([(0.42, 0), (0.42, 0.25), (0.2, 0.1), (0, 0.45), (-0.2, 0.1), (-0.42, 0.25), (-0.42, 0)])
    )
    top = extrude(crown, -0.06, 0.06, frame).transformed(
        np.array([[0, 0, 1, -0.34], [1, 0, 0, 0], [0, 1, 0, 1.46], [0, 0, 0, 1.0]])
    )
    knobs = mirrored(
        [ellipsoid((0.37, 0.4, 0.84), 0.08, frame, detail=16), ellipsoid((-0.34, 0.42, 1.55), 0.09, frame, detail=16)]
    )
    gems = [
        ellipsoid((-0.27, y, z), 0.045, f.plastic(c, 0.05), detail=12)
        for y, z, c in ((0, 1.68, (200, 20, 40)), (0.2, 1.58, (30, 80, 200)), (-0.2, 1.58, (30, 160, 80)))
    ]
    return whole([*parts, top, knobs, pad(-0.26, 0, 0.65, 0.1, 0.6, 0.75, velvet, 0.3), *gems])


@kind(3)
def treasure_chest(variant: int, rng: Rng) -> Mesh:
    """A closed chest with iron bands, an open one full of gold, a sunken barnacled one."""
    wood = f.wood(rng, ("oak", "mahogany", "weathered")[variant])
    iron = f.metal((80, 78, 76), 0.5) if variant != 1 else f.brass()
    x, y, z = 0.3, 0.45, 0.36
    bow = arc((0, 0, 0), x, 0, 180, "xz", 18)[:, [0, 2]]
    lid_parts: Parts = [
        upright_plate(bow, 2 * y, wood),
        *[
            moved(upright_plate(np.concatenate([bow * 1.03, bow[::-1] * 0.9]), 0.08, iron), y=q)
            for q in (-0.36, 0.0, 0.36)
        ],
    ]
    lid: Mesh = whole(lid_parts)
    parts: Parts = [
        slab((-x, -y, 0), (x, y, z), wood),
        *[slab((-x - 0.01, q - 0.04, -0.005), (x + 0.01, q + 0.04, z), iron) for q in (-0.36, 0, 0.36)],
        slab((x, -0.07, z - 0.14), (x + 0.03, 0.07, z + 0.02), f.brass()),
    ]
    if variant == 1:
        lid = turned(lid, "y", -95, (-x, 0, 0))
        gold = f.metal((240, 196, 70), 0.18)
        coins = [
            moved(
                turned(
                    turned(
                        lathe([(0, 0), (0.045, 0), (0.045, 0.012), (0, 0.012)], gold, detail=12),
                        "x",
                        float(rng.uniform(-60, 60)),
                    ),
                    "y",
                    float(rng.uniform(-60, 60)),
                ),
                float(a),
                float(b),
                z + 0.02 + 0.12 * max(0.0, 1 - (a / 0.3) ** 2 - (b / 0.45) ** 2),
            )
            for a, b in rng.uniform((-0.25, -0.4), (0.25, 0.4), (90, 2))
        ]
        parts += [
            ellipsoid((0, 0, z - 0.03), (0.27, 0.41, 0.15), gold, detail=20),
            *coins,
            *[
                ellipsoid((0.1, q, z + 0.13), 0.05, f.plastic(c, 0.05), detail=10)
                for q, c in ((-0.2, (200, 20, 40)), (0.1, (30, 90, 210)), (0.25, (30, 170, 90)))
            ],
        ]
    if variant == 2:
        parts += [
            ellipsoid((float(a), float(b), float(c)), 0.03, f.stone(rng, (190, 190, 176)), detail=6)
            for a, b, c in np.concatenate(
                [
                    rng.uniform((0.3, -0.4, 0), (0.32, 0.4, 0.36), (20, 3)),
                    rng.uniform((-0.25, -0.4, 0.6), (0.2, 0.4, 0.62), (12, 3)),
                ]
            )
        ]
    return whole([*parts, moved(lid, z=z)])


@kind(3)
def cannon(variant: int, rng: Rng) -> Mesh:
    """A ship's cannon, a field gun on spoked wheels, a mortar with a heap of balls."""
    iron = (f.metal((64, 64, 66), 0.45), f.metal((150, 110, 60), 0.35), f.metal((70, 72, 74), 0.5))[variant]
    wood = f.wood(rng, ("oak", "mahogany", "weathered")[variant])
    length = (1.5, 1.7, 0.7)[variant]
    r = (0.16, 0.13, 0.28)[variant]
    barrel_shape = lathe(
        [
            (0, -0.1),
            (0.06, -0.12),
            (0.05, -0.03),
            (r * 1.25, 0),
            (r * 1.3, 0.1),
            (r * 1.15, 0.14),
            (r * 1.1, length * 0.5),
            (r * 1.18, length * 0.52),
            (r * 0.9, length * 0.9),
            (r * 1.2, length * 0.96),
            (r * 1.15, length),
            (r * 0.55, length),
            (r * 0.5, length * 0.7),
        ],
        iron,
        detail=28,
    )
    tilt = (82, 76, 40)[variant]
    gun = turned(barrel_shape, "y", tilt)
    balls = [
        ellipsoid((x, y, z), 0.1, f.metal((50, 50, 52), 0.4), detail=18)
        for x, y, z in ((0, 0, 0.1), (0.2, 0, 0.1), (0.1, 0.17, 0.1), (0.1, 0.06, 0.26))
    ]
    if variant == 1:
        wheels = mirrored(moved(wheel(0.6, 0.09, wood, wood, spokes=12), 0.35, 0.48, 0.6))
        trail = sweep([(0.35, 0, 0.6), (-1.1, 0, 0.08)], [0.12, 0.08], wood, detail=8)
        return whole(
            [moved(gun, -0.3, 0, 0.72), wheels, trail, cylinder((0.35, -0.5, 0.6), (0.35, 0.5, 0.6), 0.05, f.steel())]
        )
    if variant == 0:
        carriage: Parts = [
            mirrored(
                upright_plate(
                    np.array(
                        [
                            (-0.5, 0.12),
                            (0.7, 0.12),
                            (0.7, 0.5),
                            (0.2, 0.5),
                            (0.1, 0.36),
                            (-0.2, 0.36),
                            (-0.3, 0.24),
                            (-0.5, 0.24),
                        ]
                    ),
                    0.1,
                    wood,
                ).transformed(np.array([[1, 0, 0, 0], [0, 1, 0, 0.2], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
            ),
            slab((-0.5, -0.18, 0.14), (0.65, 0.18, 0.2), wood),
        ]
        small = [moved(wheel(0.14, 0.09, wood, f.steel()), x, y, 0.14) for x in (0.5, -0.35) for y in (0.3, -0.3)]
        return whole([moved(gun, -0.4, 0, 0.5), *carriage, *small, *[moved(b, -0.2, 0.62) for b in balls]])
    bed_block: Parts = [
        block(0, 0, 0, 0.9, 0.7, 0.3, wood),
        mirrored(slab((-0.2, 0.28, 0.3), (0.25, 0.36, 0.62), wood)),
    ]
    return whole([moved(gun, -0.12, 0, 0.42), *bed_block, *[moved(b, 0.1, 0.6) for b in balls]])


@kind(2)
def cauldron(variant: int, rng: Rng) -> Mesh:
    """A cauldron over a fire, a bubbling one."""
    return _cauldron_family(variant, rng)


@kind(1)
def teapot(_variant: int, rng: Rng) -> Mesh:
    """A giant teapot."""
    return _cauldron_family(2, rng)


def _cauldron_family(variant: int, rng: Rng) -> Mesh:
    """A witch's cauldron over a fire, a bubbling one, a giant teapot."""
    iron = f.metal((44, 44, 46), 0.5)
    if variant == 2:
        pot = f.ceramic((60, 110, 170))
        body: Parts = [
            lathe([(0, 0), (0.3, 0), (0.46, 0.16), (0.5, 0.36), (0.4, 0.6), (0.2, 0.7), (0, 0.7)], pot, detail=40),
            lathe([(0, 0.69), (0.21, 0.69), (0.16, 0.76), (0, 0.8)], pot),
            ellipsoid((0, 0, 0.84), 0.06, f.brass(), detail=14),
        ]
        spout = sweep(
            curve([(0.42, 0, 0.26), (0.65, 0, 0.35), (0.72, 0, 0.55), (0.85, 0, 0.66)], 16),
            np.linspace(0.13, 0.05, 16),
            pot,
        )
        handle = sweep(curve([(-0.4, 0, 0.56), (-0.72, 0, 0.58), (-0.76, 0, 0.34), (-0.46, 0, 0.2)], 20), 0.045, pot)
        dots = ringed(ellipsoid((0.49, 0, 0.34), (0.015, 0.07, 0.07), f.ceramic((240, 236, 226)), detail=12), 9, 20)
        return whole([*body, spout, handle, dots])
    pot_shape = lathe(
        [
            (0, 0.22),
            (0.25, 0.26),
            (0.46, 0.45),
            (0.48, 0.65),
            (0.36, 0.86),
            (0.42, 0.9),
            (0.38, 0.92),
            (0.32, 0.86),
            (0.3, 0.8),
            (0, 0.8),
        ],
        iron,
        detail=36,
    )
    feet = ringed(sweep([(0.3, 0, 0.32), (0.36, 0, 0.0)], [0.06, 0.03], iron), 3)
    ears = mirrored(sweep(arc((0, 0.44, 0.8), 0.09, -90, 90, "yz", 12), 0.02, iron))
    brew = lathe([(0, 0.81), (0.32, 0.81), (0, 0.83)], f.plastic((80, 190, 60), 0.1))
    parts: Parts = [pot_shape, feet, ears, brew]
    if variant == 1:
        parts += [
            ellipsoid((float(a), float(b), 0.84), float(s), f.plastic((110, 210, 80), 0.1), detail=12)
            for (a, b), s in zip(rng.uniform(-0.2, 0.2, (9, 2)), rng.uniform(0.04, 0.1, 9), strict=True)
        ]
        return whole([*parts, sweep([(0.05, 0, 0.75), (-0.35, 0, 1.5)], 0.022, f.wood(rng, "oak"))])
    logs = [
        turned(sweep([(0.05, 0, 0.06), (0.65, 0, 0.06)], 0.06, f.wood(rng, "walnut")), "z", a)
        for a in np.linspace(0, 360, 7, endpoint=False)
    ]
    flames = [
        horn(
            [
                (0.2 * np.cos(a), 0.2 * np.sin(a), 0.06),
                (0.24 * np.cos(a), 0.24 * np.sin(a), 0.2),
                (0.2 * np.cos(a + 0.4), 0.2 * np.sin(a + 0.4), 0.34),
            ],
            0.07,
            Material("flame", (1.2, 0.42, 0.06), "emissive"),
        )
        for a in np.linspace(0.3, 6.6, 8, endpoint=False)
    ]
    tripod = ringed(sweep([(0.75, 0, 0), (0.02, 0, 1.6)], 0.025, iron), 3, 30)
    return whole([moved(parts, z=0.12), *logs, *flames, tripod, cylinder((0, 0, 1.0), (0, 0, 1.55), 0.01, iron)])
