"""String instruments: guitars, banjos, cellos and harps."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, block, curve, mirrored, moved, ringed, scaled, turned, whole
from caos.assets.modelling.plates import facing_plate
from caos.assets.modelling.shapes import cylinder, lathe, sweep


def _waisted(width: float, height: float, waist: float = 0.68, upper: float = 0.78) -> np.ndarray:
    """The outline (y, z) of a guitar or violin body standing on its lower bout."""
    right = curve(
        [(0, 0), (0.42, 0.06), (0.5, 0.25), (0.5 * waist, 0.55), (0.5 * upper, 0.8), (0.3 * upper, 0.97), (0, 1)], 40
    )
    left = (right * (-1, 1))[::-1]
    return np.concatenate([right, left[1:-1]]) * (width, height)


def _strings(z0: float, z1: float, x: float, count: int = 5) -> Parts:
    steel = f.steel()
    return [
        cylinder((x, y, z0), (x + 0.005, y * 0.7, z1), 0.0022, steel, detail=4) for y in np.linspace(-0.02, 0.02, count)
    ]


@kind(3, fallen=True)
def guitar(variant: int, rng: Rng) -> Mesh:
    """An acoustic guitar, a red electric, a bass, each in a stand."""
    return _guitar_family((0, 1, 3)[variant], rng)


@kind(1, fallen=True)
def banjo(_variant: int, rng: Rng) -> Mesh:
    """A banjo in a stand."""
    return _guitar_family(2, rng)


def _guitar_family(variant: int, rng: Rng) -> Mesh:
    """An acoustic guitar, a red electric, a banjo, a bass in a stand."""
    neck_wood, dark = f.wood(rng, "mahogany"), f.wood(rng, "black")
    if variant == 2:
        drum_head: Parts = [
            lathe([(0, 0), (0.18, 0), (0.185, 0.04), (0.18, 0.08), (0, 0.08)], f.ceramic((240, 234, 216))),
            lathe([(0.182, 0), (0.2, 0.01), (0.2, 0.07), (0.182, 0.08)], f.steel()),
        ]
        parts: Parts = [
            moved(turned(drum_head, "y", 90), -0.04, 0, 0.2),
            block(0.045, 0, 0.36, 0.03, 0.05, 0.65, neck_wood),
            block(0.04, 0, 1.0, 0.03, 0.09, 0.18, dark),
            *_strings(0.06, 1.1, 0.065),
        ]
    elif variant == 1:
        right = curve(
            [(0, 0), (0.2, 0.03), (0.21, 0.16), (0.14, 0.26), (0.2, 0.4), (0.24, 0.5), (0.14, 0.44), (0.05, 0.4)], 36
        )
        left = curve(
            [(-0.05, 0.4), (-0.12, 0.46), (-0.19, 0.42), (-0.14, 0.28), (-0.22, 0.16), (-0.2, 0.03), (0, 0)], 30
        )
        body = facing_plate(np.concatenate([right, left[:-1]]), 0.045, f.paint((190, 24, 28)))
        parts = [
            body,
            facing_plate(
                np.concatenate([right * 0.6, left[:-1] * 0.6]) + (0, 0.06), 0.004, f.plastic((240, 236, 226)), 0.005
            ),
            block(0, 0, 0.38, 0.03, 0.05, 0.62, f.wood(rng, "birch")),
            block(0, 0.01, 1.0, 0.025, 0.08, 0.18, f.wood(rng, "birch")),
            *_strings(0.12, 1.1, 0.025),
            *[block(0.008, 0, z, 0.012, 0.09, 0.025, dark) for z in (0.16, 0.24, 0.32)],
        ]
    else:
        width, height, depth = ((0.4, 0.5, 0.1), (0, 0, 0), (0, 0, 0), (0.44, 0.56, 0.08))[variant]
        outline = _waisted(width, height)
        top = f.wood(rng, "pine") if variant == 0 else f.paint((24, 40, 90))
        neck = 0.62 if variant == 0 else 0.85
        parts = [
            facing_plate(outline, depth, f.wood(rng, "mahogany")),
            facing_plate(outline * 0.995 + (0, 0.001), 0.006, top, 0.006),
            moved(
                turned(lathe([(0, 0), (0.05, 0), (0.05, 0.003), (0, 0.003)], dark), "y", 90), 0.006, 0, height * 0.62
            ),
            block(-0.005, 0, height - 0.06, 0.035, 0.055, neck, neck_wood),
            block(-0.01, 0, height + neck - 0.06, 0.025, 0.085, 0.18, dark),
            block(0.012, 0, height * 0.26, 0.015, 0.16, 0.02, dark),
            *_strings(height * 0.28, height + neck + 0.06, 0.02),
        ]
    pegs = [
        cylinder((0.0, s * 0.04, z), (0.0, s * 0.075, z), 0.009, f.steel(), detail=8)
        for s in (1, -1)
        for z in (parts_top(parts) - 0.14, parts_top(parts) - 0.09, parts_top(parts) - 0.04)
    ]
    leaned = turned([*parts, *pegs], "y", -12)
    rack = f.metal((40, 40, 44), 0.4)
    stand: Parts = [
        ringed(sweep([(0.26, 0, 0), (0, 0, 0.2)], 0.01, rack), 3),
        cylinder((-0.12, 0, 0.1), (-0.16, 0, 0.7), 0.01, rack),
        mirrored(sweep([(-0.05, 0.08, 0.14), (0.08, 0.08, 0.12), (0.1, 0.08, 0.17)], 0.01, rack)),
        cylinder((-0.08, -0.09, 0.14), (-0.08, 0.09, 0.14), 0.01, rack),
    ]
    return whole([moved(leaned, 0.03, 0, 0.15), *stand])


def parts_top(parts: Parts) -> float:
    """Height of the highest point."""
    return float(whole(parts).bounds[1][2])


@kind(3, fallen=True)
def cello(variant: int, rng: Rng) -> Mesh:
    """A cello, a dark double bass, a violin made large."""
    scale = (1.0, 1.45, 0.8)[variant]
    wood = f.wood(rng, ("oak", "walnut", "mahogany")[variant])
    outline = _waisted((0.44, 0.52, 0.4)[variant], (0.75, 0.8, 0.62)[variant], (0.55, 0.62, 0.5)[variant], 0.8)
    dark = f.wood(rng, "black")
    parts: Parts = [
        facing_plate(outline, 0.12, wood),
        facing_plate(outline * 0.98 + (0, 0.007), 0.012, f.wood(rng, "oak" if variant != 1 else "mahogany"), 0.012),
        block(0.03, 0, 0.7, 0.03, 0.05, 0.5, dark),
        sweep(curve([(0.02, 0, 1.18), (0.0, 0, 1.28), (-0.04, 0, 1.32), (-0.05, 0, 1.27)], 12), 0.022, wood),
        block(0.03, 0, 0.3, 0.05, 0.1, 0.012, f.wood(rng, "birch")),
        block(0.035, 0, 0.06, 0.015, 0.05, 0.2, dark),
        *_strings(0.25, 1.2, 0.055, 4),
    ]
    parts += [
        mirrored(
            sweep(
                curve([(0.014, 0.07, 0.27), (0.014, 0.085, 0.33), (0.014, 0.07, 0.4), (0.014, 0.085, 0.45)], 12),
                0.006,
                dark,
                detail=5,
            )
        ),
        *[
            cylinder((0.0, s * 0.02, z), (0.0, s * 0.09, z), 0.012, dark, detail=8)
            for s, z in ((1, 1.2), (-1, 1.2), (1, 1.26), (-1, 1.26))
        ],
    ]
    spike = cylinder((-0.05, 0, -0.22), (-0.05, 0, 0.02), 0.008, f.steel())
    leaned = turned([*parts, spike], "y", -14)
    rack = f.metal((40, 40, 44), 0.4)
    stand: Parts = [sweep([(-0.35, s * 0.25, -0.2), (-0.14, 0, 0.35)], 0.014, rack) for s in (1, -1)]
    return scaled([leaned, *stand], scale)


@kind(2)
def harp(variant: int, rng: Rng) -> Mesh:
    """A gilded concert harp, a small dark one."""
    gold = f.brass() if variant == 0 else f.wood(rng, "walnut")
    s = 1.0 if variant == 0 else 0.65
    bow = 0.0 if variant == 0 else 0.18
    column = sweep(curve([(0.55, 0, 0.1), (0.55 + bow, 0, 0.9), (0.5, 0, 1.7)], 12), 0.04 + 0.2 * bow, gold, detail=14)
    neck = sweep(
        curve([(0.5, 0, 1.7), (0.3, 0, 1.6), (0.05, 0, 1.42), (-0.25, 0, 1.5), (-0.34, 0, 1.4)], 24), [0.05] * 24, gold
    )
    board = sweep([(-0.34, 0, 1.42), (0.36, 0, 0.1)], [0.06, 0.15], f.wood(rng, "oak"), detail=14)
    strings = [
        cylinder(
            (0.36 - 0.66 * t, 0, 0.14 + 1.2 * t),
            (float(np.interp(t, [0, 1], [0.46, -0.26])), 0, float(np.interp(t, [0, 0.5, 1], [1.66, 1.44, 1.45]))),
            0.004,
            f.steel(),
            detail=4,
        )
        for t in np.linspace(0.05, 0.93, 22 if variant == 0 else 15)
    ]
    crown = lathe([(0, 1.68), (0.06, 1.68), (0.09, 1.8), (0.05, 1.86), (0, 1.9)], gold)
    return scaled([column, neck, board, *strings, moved(crown, x=0.5), block(0.4, 0, 0, 0.5, 0.4, 0.12, gold)], s)
