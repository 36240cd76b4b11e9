"""Music and art."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from assets import finishes as f
from assets.bodies import Body
from assets.craft import arc, block, curve, legs, mirrored, moved, pad, ringed, scaled, slab, turned, whole
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import capsule, cylinder, ellipsoid, extrude, lathe, rounded_box, sweep

Rng = np.random.Generator
Parts = list[Mesh | Part]


def _front(outline: np.ndarray, depth: float, material: Material, x: float = 0.0) -> Mesh:
    """A plate with its outline (y, z) facing x, ``depth`` thick, its front at ``x``."""
    flat = extrude(outline, x - depth, x, material)
    return whole(flat).transformed(np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]]))


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


@kind("music_art", 3, fallen=True)
def guitar(variant: int, rng: Rng) -> Mesh:
    """An acoustic guitar, a red electric, a bass, each in a stand."""
    return _guitar_family((0, 1, 3)[variant], rng)


@kind("music_art", 1, fallen=True)
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
        body = _front(np.concatenate([right, left[:-1]]), 0.045, f.paint((190, 24, 28)))
        parts = [
            body,
            _front(
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
            _front(outline, depth, f.wood(rng, "mahogany")),
            _front(outline * 0.995 + (0, 0.001), 0.006, top, 0.006),
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


@kind("music_art", 3, fallen=True)
def cello(variant: int, rng: Rng) -> Mesh:
    """A cello, a dark double bass, a violin made large."""
    scale = (1.0, 1.45, 0.8)[variant]
    wood = f.wood(rng, ("oak", "walnut", "mahogany")[variant])
    outline = _waisted((0.44, 0.52, 0.4)[variant], (0.75, 0.8, 0.62)[variant], (0.55, 0.62, 0.5)[variant], 0.8)
    dark = f.wood(rng, "black")
    parts: Parts = [
        _front(outline, 0.12, wood),
        _front(outline * 0.98 + (0, 0.007), 0.012, f.wood(rng, "oak" if variant != 1 else "mahogany"), 0.012),
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


@kind("music_art", 3)
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


@kind("music_art", 1)
def drum_kit(_variant: int, rng: Rng) -> Mesh:
    """A drum kit with cymbals."""
    return _drum_kit_family(0, rng)


@kind("music_art", 2)
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


@kind("music_art", 2)
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


@kind("music_art", 3, fallen=True)
def brass_horn(variant: int, rng: Rng) -> Mesh:
    """A tuba, a trumpet made large, an alphorn."""
    if variant == 2:
        return _alphorn(rng)
    metal = f.brass()
    bell_profile = [
        (0.0, 0.3),
        (0.05, 0.32),
        (0.07, 0.6),
        (0.1, 0.8),
        (0.17, 0.95),
        (0.29, 1.03),
        (0.3, 1.04),
        (0.15, 0.95),
        (0.06, 0.7),
        (0, 0.6),
    ]
    if variant == 0:
        loops = [
            sweep(
                curve(
                    [
                        (0, 0.0, 0.32),
                        (0, 0.02, 0.1),
                        (0, 0.16, 0.03),
                        (0, 0.3, 0.1),
                        (0, 0.3, 0.6),
                        (0, 0.22, 0.7),
                        (0, 0.14, 0.6),
                        (0, 0.14, 0.2),
                    ],
                    40,
                ),
                0.035,
                metal,
                detail=12,
            ),
            sweep(
                curve(
                    [
                        (0.06, 0.05, 0.2),
                        (0.06, 0.1, 0.12),
                        (0.06, 0.24, 0.14),
                        (0.06, 0.24, 0.5),
                        (0.06, 0.1, 0.52),
                        (0.06, 0.05, 0.4),
                    ],
                    30,
                ),
                0.02,
                metal,
                detail=10,
            ),
        ]
        valves = [
            cylinder((0.08, 0.1 + 0.06 * i, 0.3), (0.08, 0.1 + 0.06 * i, 0.52), 0.024, f.steel()) for i in range(3)
        ]
        mouth = sweep(
            curve([(0.06, 0.28, 0.55), (0.2, 0.25, 0.72), (0.28, 0.2, 0.74)], 10), [0.014] * 9 + [0.025], metal
        )
        return whole([lathe(bell_profile, metal), *loops, *valves, mouth])
    bell = turned(lathe([(0.012, 0), (0.014, 0.4), (0.03, 0.55), (0.11, 0.68), (0.0, 0.62)], metal), "y", 90)
    tube = sweep(
        curve([(0.3, 0, 0), (0.36, 0, -0.05), (0.3, 0, -0.1), (-0.2, 0, -0.1), (-0.26, 0, -0.05), (-0.2, 0, 0.0)], 40),
        0.011,
        metal,
        detail=8,
    )
    valves = [cylinder((0.02 + 0.05 * i, 0, -0.16), (0.02 + 0.05 * i, 0, 0.07), 0.018, metal) for i in range(3)] + [
        capsule((0.02 + 0.05 * i, 0, 0.07), (0.02 + 0.05 * i, 0, 0.1), 0.007, f.steel()) for i in range(3)
    ]
    return scaled(
        [
            bell,
            tube,
            *valves,
            sweep([(-0.4, 0, 0), (0.02, 0, 0)], 0.01, metal),
            sweep([(-0.42, 0, 0), (-0.38, 0, 0)], [0.018, 0.009], f.steel()),
        ],
        1.9,
    )


def _alphorn(rng: Rng) -> Mesh:
    """An alphorn."""
    wood = f.wood(rng, "pine")
    path = curve([(-1.7, 0, 0.95), (0.9, 0, 0.22), (1.35, 0, 0.13), (1.6, 0, 0.2), (1.75, 0, 0.42)], 40)
    return whole(
        [
            sweep(path, np.concatenate([np.linspace(0.02, 0.06, 30), np.linspace(0.065, 0.17, 10)]), wood, detail=16),
            sweep([(-1.1, 0, 0.78), (-1.1, 0, 0.0)], 0.02, wood),
            block(-1.1, 0, 0, 0.3, 0.3, 0.03, wood),
        ]
    )


@kind("music_art", 1)
def gramophone(_variant: int, rng: Rng) -> Mesh:
    """A horn gramophone."""
    return _gramophone_family(0, rng)


@kind("music_art", 1)
def jukebox(_variant: int, rng: Rng) -> Mesh:
    """A jukebox."""
    return _gramophone_family(1, rng)


@kind("music_art", 1)
def portable_radio(_variant: int, rng: Rng) -> Mesh:
    """A big portable radio."""
    return _gramophone_family(2, rng)


def _gramophone_family(variant: int, rng: Rng) -> Mesh:
    """A horn gramophone, a jukebox, a big portable radio."""
    if variant == 1:
        return _jukebox(rng)
    if variant == 2:
        return _radio(rng)
    wood, brass = f.wood(rng, "walnut"), f.brass()
    horn_path = curve([(-0.14, 0, 0.28), (-0.25, 0, 0.5), (-0.1, 0, 0.78), (0.2, 0, 0.95)], 24)
    petals = sweep(
        horn_path,
        np.concatenate([np.linspace(0.02, 0.08, 14), np.linspace(0.09, 0.36, 10)]),
        brass,
        detail=12,
        smooth=False,
        caps=False,
    )
    inner = sweep(
        horn_path[::-1],
        np.concatenate([np.linspace(0.355, 0.085, 10), np.linspace(0.075, 0.016, 14)]),
        f.metal((150, 60, 40), 0.3),
        detail=12,
        smooth=False,
        caps=False,
    )
    disc = lathe([(0, 0.27), (0.17, 0.27), (0.17, 0.285), (0, 0.285)], f.plastic((20, 20, 22), 0.2), smooth=False)
    crank = sweep([(0, 0.24, 0.12), (0, 0.32, 0.12), (0.08, 0.32, 0.08), (0.08, 0.4, 0.08)], 0.01, f.steel())
    return scaled(
        [
            block(0, 0, 0.02, 0.46, 0.46, 0.22, wood),
            block(0, 0, 0, 0.52, 0.52, 0.04, wood),
            block(0, 0, 0.23, 0.5, 0.5, 0.04, wood),
            petals,
            inner,
            disc,
            lathe([(0, 0.285), (0.055, 0.285), (0, 0.29)], f.matt((190, 40, 40))),
            crank,
        ],
        1.1,
    )


def _radio(_rng: Rng) -> Mesh:
    """A portable radio."""
    body: Parts = [
        rounded_box((-0.12, -0.4, 0), (0.12, 0.4, 0.42), 0.03, f.plastic((190, 194, 198))),
        sweep([(0, -0.3, 0.42), (0, -0.3, 0.52), (0, 0.3, 0.52), (0, 0.3, 0.42)], 0.018, f.plastic((40, 40, 44))),
    ]
    speakers = [
        moved(
            turned(
                [
                    lathe(
                        [(0, 0.0), (0.13, 0.0), (0.14, 0.02), (0.11, 0.03), (0.04, 0.005), (0, 0.02)],
                        f.plastic((30, 30, 34)),
                    )
                ],
                "y",
                90,
            ),
            0.12,
            s * 0.24,
            0.17,
        )
        for s in (1, -1)
    ]
    return scaled(
        [
            *body,
            *speakers,
            slab((0.118, -0.09, 0.1), (0.128, 0.09, 0.24), f.glass()),
            slab((0.118, -0.34, 0.33), (0.128, 0.34, 0.39), f.plastic((30, 30, 34))),
            cylinder((-0.08, 0.34, 0.42), (-0.2, 0.5, 0.95), 0.005, f.steel()),
        ],
        1.3,
    )


def _jukebox(rng: Rng) -> Mesh:
    """A jukebox."""
    wood, chrome = f.wood(rng, "mahogany"), f.steel()
    outline = np.concatenate([[(0.45, 0), (0.45, 1.0)], arc((0, 0, 1.0), 0.45, 0, 180, "yz", 20)[:, 1:], [(-0.45, 0)]])
    cabinet = _front(outline, 0.5, wood, 0.25)
    glow = [
        sweep(
            np.concatenate(
                [
                    [(0.26, 0.4 - d, 0.1)],
                    [(0.26, 0.4 - d, 1.0)],
                    arc((0.26, 0, 1.0), 0.4 - d, 0, 180, "yz", 20),
                    [(0.26, -0.4 + d, 0.1)],
                ]
            ),
            0.028,
            f.plastic(c, 0.2),
        )
        for d, c in ((0.0, (240, 160, 40)), (0.07, (220, 60, 60)))
    ]
    return whole(
        [
            cabinet,
            *glow,
            _front(arc((0, 0, 1.0), 0.28, 0, 180, "yz", 16)[:, 1:], 0.01, f.glass(), 0.265),
            slab((0.25, -0.25, 0.62), (0.29, 0.25, 0.9), f.plastic((240, 236, 220))),
            *[slab((0.25, -0.24 + 0.08 * i, 0.15), (0.275, -0.2 + 0.08 * i, 0.55), chrome) for i in range(7)],
        ]
    )


@kind("music_art", 3, fallen=True)
def loudspeaker(variant: int, rng: Rng) -> Mesh:
    """A stage speaker on a tripod, a guitar amplifier, a megaphone horn stack."""
    dark = f.plastic((34, 34, 38), 0.6)

    def cone(r: float) -> Mesh:
        return turned(
            [
                lathe(
                    [(r, 0), (r * 1.1, 0.0), (r * 1.1, 0.015), (r, 0.02), (r * 0.35, -0.03), (0, 0.0)],
                    f.plastic((60, 62, 66), 0.5),
                ),
                ellipsoid((0, 0, -0.01), (r * 0.3, r * 0.3, 0.02), f.steel(), detail=12),
            ],
            "y",
            90,
        )

    if variant == 0:
        stand: Parts = [
            ringed(sweep([(0.45, 0, 0), (0, 0, 0.5)], 0.014, f.steel()), 3),
            cylinder((0, 0, 0.3), (0, 0, 1.25), 0.02, f.steel()),
        ]
        return whole(
            [
                *stand,
                rounded_box((-0.18, -0.2, 1.25), (0.18, 0.2, 1.9), 0.03, dark),
                moved(cone(0.14), 0.18, 0, 1.45),
                moved(cone(0.07), 0.18, 0, 1.74),
            ]
        )
    if variant == 1:
        cloth = f.fabric(rng, (80, 70, 60))
        return whole(
            [
                rounded_box((-0.16, -0.36, 0.02), (0.16, 0.36, 0.68), 0.02, f.leather(rng, (24, 24, 26))),
                slab((0.155, -0.33, 0.05), (0.168, 0.33, 0.5), cloth),
                slab((0.155, -0.33, 0.53), (0.17, 0.33, 0.64), f.brass()),
                *[
                    cylinder((0.165, y, 0.585), (0.19, y, 0.585), 0.018, dark, detail=10)
                    for y in np.linspace(-0.28, 0.28, 9)
                ],
                sweep([(0, -0.12, 0.68), (0, -0.1, 0.73), (0, 0.1, 0.73), (0, 0.12, 0.68)], 0.014, dark),
                moved(cone(0.15), 0.165, 0.16, 0.27),
                moved(cone(0.15), 0.165, -0.16, 0.27),
            ]
        )
    horn_shape = turned(
        lathe(
            [(0.04, 0), (0.06, 0.25), (0.12, 0.42), (0.26, 0.52), (0.25, 0.52), (0.1, 0.4), (0, 0.2)],
            f.paint((150, 156, 160)),
        ),
        "y",
        90,
    )
    return whole(
        [
            *[moved(turned(horn_shape, "z", a), 0, 0, z) for z, a in ((0.3, 15), (0.85, -10), (1.4, 12))],
            cylinder((-0.02, 0, 0), (-0.02, 0, 1.7), 0.03, f.steel()),
            block(-0.02, 0, 0, 0.5, 0.5, 0.03, f.steel()),
        ]
    )


@kind("music_art", 4, fallen=True)
def bust(variant: int, rng: Rng) -> Mesh:
    """A marble bust on a plinth, a bronze one with a laurel, a stone head, a bearded one."""
    stuff: Material = (
        f.marble(rng),
        f.metal((120, 84, 50), 0.35),
        f.stone(rng, (170, 166, 156)),
        f.marble(rng, (206, 200, 190)),
    )[variant]
    body = Body()
    at = np.array([0.02, 0, 0.5])
    body.ball(at, (0.115, 0.088, 0.13)).ball(at + (0.03, 0, -0.07), (0.08, 0.07, 0.08)).rod(
        at + (0.1, 0, 0.02), at + (0.135, 0, -0.035), 0.014, 0.02
    )
    body.ball(at + (0.095, 0, -0.085), (0.02, 0.035, 0.014)).ball(
        at + (0.085, 0.035, 0.03), (0.025, 0.025, 0.012), both=True
    ).ball(at + (0.08, 0, -0.13), (0.03, 0.035, 0.025)).ball(at + (0, 0.09, -0.01), (0.022, 0.016, 0.035), both=True)
    body.rod((0, 0, 0.42), (-0.01, 0, 0.22), 0.06, 0.075)
    if variant != 2:
        body.rod((-0.01, 0.19, 0.2), (-0.01, -0.19, 0.2), 0.075).ball((0, 0, 0.13), (0.12, 0.17, 0.13))
    if variant == 3:
        body.rod(at + (0.07, 0, -0.12), at + (0.08, 0, -0.24), 0.06, 0.02)
    for _ in range(26):
        a, b = rng.uniform(-1.9, 1.9), rng.uniform(0.1, 1.3)
        body.ball(
            at + (-0.09 * np.cos(a) * np.cos(b) - 0.015, 0.088 * np.sin(a) * np.cos(b), 0.02 + 0.12 * np.sin(b)), 0.028
        )
    parts: Parts = [body.skin(stuff, cell_m=0.0115, soft=0.02)]
    if variant == 1:
        parts += [
            ellipsoid(at + (0.1 * np.cos(a), 0.1 * np.sin(a), 0.07), (0.03, 0.03, 0.012), f.brass(), detail=8)
            for a in np.linspace(0, 2 * np.pi, 14)
        ]
    foot = lathe([(0, -0.02), (0.1, -0.02), (0.1, 0.0), (0.06, 0.04), (0.08, 0.08), (0.06, 0.24), (0, 0.24)], stuff)
    top = scaled([*parts, foot], 1.25)
    if variant in (0, 3):
        plinth: Parts = [
            block(0, 0, 0, 0.42, 0.42, 0.1, f.marble(rng, (90, 86, 84))),
            block(0, 0, 0.1, 0.32, 0.32, 0.85, f.marble(rng, (200, 196, 190))),
            block(0, 0, 0.95, 0.4, 0.4, 0.06, f.marble(rng, (90, 86, 84))),
        ]
        return whole([moved(top, z=1.03), *plinth])
    return scaled(top, 1.3 if variant == 1 else 2.2)


@kind("music_art", 4, fallen=True)
def vase(variant: int, rng: Rng) -> Mesh:
    """A blue-and-white floor vase, a Greek amphora, a slim glass-like one, a broken-rimmed terracotta jar."""
    profiles = (
        [(0.0, 0.0), (0.16, 0.0), (0.2, 0.1), (0.3, 0.4), (0.28, 0.6), (0.12, 0.8), (0.1, 0.9), (0.16, 0.98)],
        [(0.0, 0.0), (0.1, 0.0), (0.07, 0.06), (0.2, 0.35), (0.24, 0.55), (0.12, 0.72), (0.08, 0.85), (0.13, 0.92)],
        [(0.0, 0.0), (0.14, 0.0), (0.1, 0.2), (0.08, 0.6), (0.12, 0.9), (0.2, 1.1)],
        [(0.0, 0.0), (0.18, 0.0), (0.34, 0.3), (0.36, 0.5), (0.26, 0.7), (0.24, 0.76), (0.28, 0.8)],
    )[variant]
    outer = curve(profiles, 30)
    outer[:, 0] = np.maximum(outer[:, 0], 0)
    inner = [(max(r - 0.02, 0.0), max(z, 0.03)) for r, z in outer[::-1]]
    base = (
        f.ceramic((236, 238, 240)),
        f.ceramic((190, 96, 50)),
        f.ceramic((40, 130, 120)),
        f.stone(rng, (180, 100, 66)),
    )[variant]
    pot = lathe([*[(float(r), float(z)) for r, z in outer], *inner], base, detail=40)
    ink = f.ceramic((30, 60, 140)) if variant == 0 else f.ceramic((26, 22, 20))
    parts: Parts = [pot]
    if variant in (0, 1):
        for z in (0.2, 0.32, 0.62, 0.7):
            r = float(np.interp(z, outer[:, 1], outer[:, 0]))
            parts.append(
                lathe(
                    [
                        (r, z),
                        (r + 0.004, z),
                        (float(np.interp(z + 0.025, outer[:, 1], outer[:, 0])) + 0.004, z + 0.025),
                    ],
                    ink,
                    detail=40,
                )
            )
        r = float(np.interp(0.47, outer[:, 1], outer[:, 0]))
        parts.append(ringed(ellipsoid((r, 0, 0.47), (0.01, 0.045, 0.06), ink, detail=12), 12))
    if variant == 1:
        parts.append(
            mirrored(sweep(curve([(0, 0.12, 0.74), (0, 0.24, 0.86), (0, 0.2, 0.93), (0, 0.09, 0.88)], 16), 0.016, base))
        )
    if variant == 3:
        parts.append(mirrored(sweep(curve([(0, 0.33, 0.55), (0, 0.42, 0.6), (0, 0.3, 0.7)], 12), 0.022, base)))
    return whole(parts)


@kind("music_art", 2, fallen=True)
def easel(variant: int, rng: Rng) -> Mesh:
    """A painter's easel with a canvas, a blackboard."""
    return _easel_family((0, 2)[variant], rng)


@kind("music_art", 1, fallen=True)
def painting(_variant: int, rng: Rng) -> Mesh:
    """A framed picture that leans on its prop."""
    return _easel_family(1, rng)


def _easel_family(variant: int, rng: Rng) -> Mesh:
    """A painter's easel with a canvas, a framed picture that leans, a blackboard."""
    wood = f.wood(rng, ("pine", "mahogany", "oak")[variant])
    frame = f.brass() if variant == 1 else wood
    art = f.picture(rng)
    w, h = ((0.4, 0.55), (0.6, 0.45), (0.55, 0.4))[variant]
    panel: Parts = []
    board = f.matt((30, 44, 40)) if variant == 2 else art
    from assets.shapes import quad

    face = quad((0.02, -w, 0), (0, 2 * w, 0), (0, 0, 2 * h), board, uv_per_m=1.0)
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    panel.append(Part(face.vertices, face.faces, board, uv))
    panel.append(slab((-0.02, -w, 0), (0.018, w, 2 * h), f.matt((226, 220, 206))))
    if variant != 0:
        panel += [
            slab((-0.03, s * w - 0.035, -0.035), (0.035, s * w + 0.035, 2 * h + 0.035), frame) for s in (1, -1)
        ] + [slab((-0.03, -w, z - 0.035), (0.035, w, z + 0.035), frame) for z in (0, 2 * h)]
    if variant == 2:
        chalk = f.matt((236, 236, 230))
        panel += [
            sweep(
                curve(
                    [
                        (0.024, -0.4, 0.55),
                        (0.024, -0.25, 0.65),
                        (0.024, -0.1, 0.5),
                        (0.024, 0.1, 0.62),
                        (0.024, 0.35, 0.5),
                    ],
                    30,
                ),
                0.006,
                chalk,
                detail=5,
            ),
            sweep(arc((0.024, 0.25, 0.25), 0.12, 0, 360, "yz", 24), 0.006, chalk, detail=5, caps=False),
        ]
    if variant == 1:
        return whole(
            [turned(panel, "y", -16), turned(slab((-0.3, -0.03, 0), (-0.27, 0.03, 0.7), wood), "y", 14, (-0.3, 0, 0))]
        )
    legs_parts = [sweep([(0.25, s * 0.42, 0), (-0.05, s * 0.06, 1.75)], 0.022, wood) for s in (1, -1)] + [
        sweep([(-0.6, 0, 0), (-0.06, 0, 1.7)], 0.022, wood)
    ]
    ledge = block(0.17, 0, 0.68, 0.09, 0.8, 0.03, wood)
    return whole([*legs_parts, ledge, moved(turned(panel, "y", -10), 0.17, 0, 0.72)])


@kind("music_art", 3, fallen=True)
def globe(variant: int, rng: Rng) -> Mesh:
    """A globe on a wooden floor stand, a big school globe, an antique armillary sphere."""
    from assets.craft import noise3, painted

    brass, wood = f.brass(), f.wood(rng, "walnut")
    r = (0.32, 0.28, 0.4)[variant]
    if variant == 2:
        hoop = sweep(arc((0, 0, 0), r, 0, 360, "xy", 48), 0.018, brass, caps=False)
        rings = [turned(hoop, "x", 0), turned(hoop, "x", 90), turned(hoop, "y", 90)]
        rings += [scaled(turned(hoop, "x", 24), 0.92), scaled(turned(hoop, "y", 30), 0.7)]
        sphere = whole(
            [
                *rings,
                ellipsoid((0, 0, 0), 0.08, f.paint((40, 90, 150)), detail=20),
                turned(cylinder((0, 0, -r), (0, 0, r), 0.008, brass), "y", 23),
            ]
        )
    else:
        land = noise3(rng, 0.16, 12)

        def continents(p: np.ndarray) -> np.ndarray:
            out: np.ndarray = 0.5 + 4 * (land(p) - 0.15)
            return out

        sea, soil = ((44, 96, 150), (150, 140, 80)) if variant == 1 else ((200, 180, 130), (150, 104, 56))
        look = f.coat(rng, [(0, sea), (0.48, sea), (0.52, soil), (1, soil)], shiny=True)
        sphere = whole(
            [
                painted(ellipsoid((0, 0, 0), (r, r, r), look, detail=64, rings=48), look, continents),
                turned(sweep(arc((0, 0, 0), r + 0.03, -90, 90, "xz", 30), 0.014, brass), "y", 23),
            ]
        )
    z = r + (0.55 if variant != 1 else 0.25)
    if variant == 1:
        foot: Parts = [lathe([(0, 0), (0.2, 0), (0.18, 0.03), (0.04, 0.06), (0.03, 0.2), (0, 0.22)], wood)]
    else:
        foot = [
            ringed(sweep(curve([(0, 0, 0.4), (0.15, 0, 0.2), (0.3, 0, 0.0)], 10), 0.028, wood), 3),
            lathe([(0, 0.15), (0.05, 0.15), (0.07, 0.3), (0.03, 0.5), (0, 0.55)], wood),
            sweep(arc((0, 0, z), r + 0.06, 0, 360, "xy", 40), 0.03, wood, caps=False),
            ringed(sweep(arc((0, 0, z), r + 0.06, -85, 0, "xz", 14), 0.02, wood), 4),
        ]
    return whole([moved(sphere, z=z), *foot])
