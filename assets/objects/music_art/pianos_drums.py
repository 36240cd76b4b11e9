"""Pianos and drums."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Parts,
    Rng,
    block,
    curve,
    legs,
    mirrored,
    moved,
    pad,
    ringed,
    scaled,
    slab,
    turned,
    whole,
)
from caos.assets.modelling.shapes import capsule, cylinder, extrude, lathe, sweep


@kind(3)
def piano(variant: int, rng: Rng) -> Mesh:
    """A grand piano, an upright piano, a white toy-like baby grand."""
    if variant == 1:
        wood = f.wood(rng, "walnut")
        parts: Parts = [
            slab((-0.3, -0.75, 0.0), (-0.0, 0.75, 1.2), wood),
            slab((-0.32, -0.77, 1.2), (0.02, 0.77, 1.24), wood),
            slab((0.0, -0.75, 0.6), (0.3, 0.75, 0.7), wood),
            mirrored(slab((0.2, 0.66, 0.0), (0.28, 0.74, 0.62), wood)),
            slab((-0.0, -0.66, 0.0), (0.02, 0.66, 0.58), wood),
            *_keyboard(0.14, 0.7, 1.3),
            turned(slab((0.02, -0.3, 0.9), (0.035, 0.3, 1.12), f.matt((240, 238, 230))), "y", -12, (0.02, 0, 0.9)),
        ]
        return whole([*parts, *[cylinder((0.1, y, 0.05), (0.22, y, 0.03), 0.015, f.brass()) for y in (-0.08, 0.08)]])
    lacquer = f.paint((18, 18, 20)) if variant == 0 else f.paint((240, 238, 232))
    scale = 1.0 if variant == 0 else 0.75
    reach = 1.0 if variant == 0 else 0.72
    side = curve([(0.0, 0.74), (-0.9, 0.72), (-1.35, 0.45), (-1.6, -0.1), (-1.75, -0.55), (-1.6, -0.72)], 30) * (
        reach,
        1,
    )
    outline = np.concatenate([[(0.12, 0.74)], side, [(-1.5 * reach, -0.74), (0.12, -0.74)]])
    body = extrude(outline, 0.62, 0.92, lacquer)
    inside = extrude(outline * 0.94 + (-0.03, 0), 0.9, 0.925, f.brass())
    lid = extrude(outline + (-0.02, 0), 0, 0.03, lacquer)
    lid_mesh = moved(turned(moved(lid, y=0.74), "x", 34), 0, -0.74, 0.94)
    feet = [
        moved(lathe([(0, 0), (0.05, 0), (0.04, 0.1), (0.07, 0.4), (0.06, 0.62), (0, 0.62)], lacquer, detail=16), x, y)
        for x, y in ((-0.05, 0.62), (-0.05, -0.62), (-1.45 * reach, -0.2))
    ]
    stick = cylinder((-0.5, 0.5, 0.92), (-0.5, 0.62, 1.72), 0.012, lacquer)
    stool: Parts = [
        pad(0.75, 0, 0.42, 0.36, 0.6, 0.1, f.leather(rng, (30, 28, 30)), 0.25),
        moved(legs(0.28, 0.5, 0.45, 0.025, lacquer), x=0.75),
    ]
    return scaled(
        [
            body,
            inside,
            lid_mesh,
            *feet,
            stick,
            slab((0.1, -0.74, 0.62), (0.36, 0.74, 0.72), lacquer),
            *_keyboard(0.23, 0.72, 1.24),
            turned(slab((0.0, -0.3, 0.92), (0.015, 0.3, 1.2), lacquer), "y", -15, (0, 0, 0.92)),
            *stool,
        ],
        scale,
    )


def _keyboard(x: float, z: float, width: float) -> Parts:
    white, black = f.ceramic((244, 242, 234)), f.plastic((16, 16, 18), 0.2)
    keys: Parts = [block(x, 0, z, 0.15, width, 0.015, white)]
    step = width / 35
    keys += [
        block(x - 0.03, -width / 2 + step * (k + 1), z + 0.01, 0.09, step * 0.55, 0.018, black)
        for k in range(34)
        if k % 7 not in (2, 6)
    ]
    return keys


@kind(1)
def drum_kit(_variant: int, rng: Rng) -> Mesh:
    """A drum kit with cymbals."""
    return _drum_kit_family(0, rng)


@kind(2)
def drum(variant: int, rng: Rng) -> Mesh:
    """A marching drum, three congas."""
    return _drum_kit_family((1, 2)[variant], rng)


def _drum_kit_family(variant: int, rng: Rng) -> Mesh:
    """A drum kit with cymbals, a marching drum, a pair of congas."""
    shell = f.paint(((190, 30, 36), (40, 90, 170), (150, 80, 40))[variant])
    if variant == 1:
        return scaled(
            [
                *_drum(0.3, 0.4, shell),
                *[
                    turned(capsule((0, -0.25, 0.42), (0, 0.25, 0.42), 0.012, f.wood(rng, "birch")), "z", a)
                    for a in (25, -30)
                ],
            ],
            1.4,
        )
    if variant == 2:
        wood = f.wood(rng, "oak")
        conga: Parts = [
            lathe([(0.1, 0), (0.12, 0.0), (0.18, 0.4), (0.16, 0.75), (0.15, 0.76), (0, 0.76)], wood),
            lathe([(0.0, 0.765), (0.15, 0.765), (0.155, 0.74)], f.ceramic((236, 224, 200))),
            lathe([(0.158, 0.68), (0.168, 0.68), (0.168, 0.74), (0.158, 0.74)], f.steel()),
        ]
        return whole([moved(conga, y=0.2), moved(scaled(conga, 0.88), y=-0.2), moved(scaled(conga, 0.6), x=0.34)])
    bass = moved(turned(_drum(0.3, 0.4, shell), "y", 90), 0.0, 0, 0.3)
    toms = [moved(turned(_drum(0.16, 0.2, shell), "y", 20), -0.05, s * 0.2, 0.72) for s in (1, -1)]
    floor = moved(
        whole(
            [
                *_drum(0.22, 0.36, shell),
                *[
                    cylinder(
                        (0.22 * np.cos(a), 0.22 * np.sin(a), -0.25),
                        (0.22 * np.cos(a), 0.22 * np.sin(a), 0.2),
                        0.01,
                        f.steel(),
                    )
                    for a in (0, 2.1, 4.2)
                ],
            ]
        ),
        -0.25,
        0.62,
        0.25,
    )
    snare = moved(
        whole(
            [
                *_drum(0.18, 0.14, f.steel()),
                cylinder((0, 0, -0.5), (0, 0, 0), 0.014, f.steel()),
                ringed(sweep([(0.25, 0, -0.52), (0, 0, -0.3)], 0.01, f.steel()), 3),
            ]
        ),
        -0.35,
        -0.5,
        0.55,
    )
    cymbals: Parts = []
    for x, y, z, r in ((0.1, 0.6, 1.15, 0.24), (0.05, -0.62, 1.1, 0.22), (-0.3, -0.85, 0.95, 0.17)):
        plate = lathe(
            [(0, 0.02), (0.03, 0.02), (r, -0.01), (r, -0.005), (0.03, 0.03), (0, 0.035)], f.brass(), detail=32
        )
        cymbals += [
            moved(turned(plate, "y", 14), x, y, z),
            cylinder((x, y, 0), (x, y, z + 0.03), 0.011, f.steel()),
            moved(ringed(sweep([(0.28, 0, 0), (0, 0, 0.3)], 0.01, f.steel()), 3), x, y),
        ]
    seat: Parts = [
        moved(lathe([(0, 0.45), (0.16, 0.45), (0.17, 0.5), (0, 0.54)], f.leather(rng, (30, 30, 34))), -0.75),
        moved(ringed(sweep([(0.22, 0, 0), (0, 0, 0.45)], 0.014, f.steel()), 3), -0.75),
    ]
    return whole(
        [
            bass,
            *toms,
            floor,
            snare,
            *cymbals,
            *seat,
            *[sweep([(0, 0, 0.58), (-0.05, s * 0.18, 0.76)], 0.014, f.steel()) for s in (1, -1)],
        ]
    )


def _drum(radius: float, depth: float, shell: Material) -> Parts:
    skin, chrome = f.ceramic((238, 234, 224)), f.steel()
    lugs = ringed(
        cylinder((radius + 0.012, 0, depth * 0.12), (radius + 0.012, 0, depth * 0.88), 0.008, chrome, detail=8), 8
    )
    rims = [
        lathe([(radius, z), (radius + 0.018, z), (radius + 0.018, z + 0.03), (radius, z + 0.03), (radius, z)], chrome)
        for z in (0.0, depth - 0.03)
    ]
    return [
        lathe([(0, 0.01), (radius, 0.01), (radius, depth - 0.01), (0, depth - 0.01)], shell, smooth=False, detail=24),
        *rims,
        lugs,
        lathe([(0, depth - 0.008), (radius, depth - 0.008), (0, depth - 0.004)], skin),
        lathe([(0, 0.004), (radius, 0.008), (0, 0.008)], skin),
    ]
