"""Household goods: appliances, sanitary ware, luggage and what else falls off a removal van."""

from __future__ import annotations

import numpy as np

from assets import finishes as f
from assets.craft import arc, block, curve, legs, mirrored, moved, pad, ringed, scaled, slab, turned, wheel, whole
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import capsule, cylinder, ellipsoid, extrude, lathe, loft, rounded_box, sweep

Rng = np.random.Generator


@kind("household", 4, fallen=True)
def fridge(variant: int, rng: Rng) -> Mesh:
    """A fridge: white two-door, steel side-by-side, rounded retro, or a small open one."""
    body = (f.ceramic(), f.steel(), f.paint((150, 200, 190)), f.ceramic((228, 226, 220)))[variant]
    width, height, depth = ((0.6, 1.75, 0.62), (0.92, 1.8, 0.7), (0.62, 1.5, 0.65), (0.55, 0.85, 0.56))[variant]
    chrome, rubber = f.steel(), f.rubber()
    radius = 0.14 if variant == 2 else 0.02
    x = depth / 2
    parts: list[Mesh | Part] = [
        rounded_box((-x, -width / 2, 0.05), (x - 0.06, width / 2, height), radius, body),
        legs(depth - 0.1, width - 0.1, 0.08, 0.025, rubber),
    ]
    if variant == 1:
        doors = [(-width / 2, -0.1, 0.08, height), (-0.095, width / 2, 0.08, height)]
    elif variant == 3:
        doors = []
    else:
        cut = 0.42 * height if variant == 0 else 0.68 * height
        doors = [(-width / 2, width / 2, 0.08, cut), (-width / 2, width / 2, cut + 0.012, height)]
    for k, (y0, y1, z0, z1) in enumerate(doors):
        parts.append(rounded_box((x - 0.055, y0 + 0.004, z0), (x + 0.01, y1 - 0.004, z1), min(radius, 0.05), body))
        y = (y1 - 0.06 if k == 0 else y0 + 0.06) if variant == 1 else y0 + 0.06
        low, high = (
            (0.6, 1.3)
            if variant == 1
            else (z0 + 0.62 * (z1 - z0), z1 - 0.06)
            if k == 0
            else (z0 + 0.06, z0 + 0.4 * (z1 - z0))
        )
        parts.append(
            sweep([(x, y, low), (x + 0.05, y, low + 0.02), (x + 0.05, y, high - 0.02), (x, y, high)], 0.013, chrome)
        )
    if variant == 1:
        parts.append(block(x + 0.008, -0.28, 1.0, 0.02, 0.2, 0.32, f.glass()))
    if variant == 3:
        parts += _open_fridge(rng, width, height, x, body)
    return whole(parts)


def _open_fridge(rng: Rng, width: float, height: float, x: float, body: Material) -> list[Mesh | Part]:
    door = rounded_box((x, -width / 2 - 0.06, 0.08), (x + width, -width / 2, height), 0.02, body)
    inside = f.plastic((246, 246, 244))
    shelf = [block(x - 0.055, 0, z, 0.012, width - 0.08, 0.02, f.glass()) for z in (0.3, 0.5, 0.7)]
    goods = [
        cylinder((x - 0.035, y, z + 0.02), (x - 0.035, y, z + 0.12), 0.03, f.plastic(f.pick(rng, f.BRIGHT)), detail=12)
        for z in (0.3, 0.5)
        for y in (-0.15, 0.0, 0.14)
    ]
    return [
        turned(door, "z", -20, (x, -width / 2, 0)),
        block(x - 0.058, 0, 0.1, 0.006, width - 0.06, height - 0.14, inside),
        *shelf,
        *goods,
    ]


@kind("household", 4, fallen=True)
def washing_machine(variant: int, rng: Rng) -> Mesh:
    """A front loader, a top loader, a steel one and an old wringer tub."""
    if variant == 3:
        return _wringer(rng)
    body = (f.ceramic(), f.ceramic((222, 226, 232)), f.steel())[variant]
    height, chrome = (0.86, 0.95, 1.02)[variant], f.steel()
    parts: list[Mesh | Part] = [
        rounded_box((-0.3, -0.3, 0.03), (0.3, 0.3, height), 0.025, body),
        legs(0.5, 0.5, 0.05, 0.025, f.rubber()),
    ]
    if variant == 1:
        parts += [
            slab((-0.3, -0.28, height), (-0.16, 0.28, height + 0.18), f.plastic((60, 66, 76))),
            rounded_box((-0.14, -0.26, height - 0.005), (0.26, 0.26, height + 0.025), 0.012, f.ceramic()),
        ]
        parts += [
            turned(cylinder((0, y, 0), (0.03, y, 0), 0.03, chrome), "y", 0).transformed(_shift(-0.16, 0, height + 0.09))
            for y in (-0.18, 0, 0.18)
        ]
        return whole(parts)
    wide = 1.0 if variant == 0 else 1.22
    ring = lathe(
        [(0.14, 0), (0.2, 0), (0.2, 0.02), (0.17, 0.05), (0.14, 0.03), (0.14, 0)],
        chrome if variant == 0 else f.plastic((40, 42, 46)),
    )
    glass = lathe([(0, 0.02), (0.08, 0.04), (0.15, 0.02), (0.15, 0)], f.glass())
    door = scaled([ring, glass], wide, wide, 1.0)
    parts.append(turned(door, "y", 90).transformed(_shift(0.3, 0, 0.42 if variant == 0 else 0.56)))
    parts += [
        block(0.302, 0.17, height - 0.13, 0.012, 0.2, 0.09, f.plastic((214, 216, 220))),
        block(0.304, -0.14, height - 0.12, 0.01, 0.16, 0.06, f.glass()),
    ]
    parts.append(cylinder((0.3, 0.0, height - 0.09), (0.335, 0.0, height - 0.09), 0.033, chrome))
    return whole(parts)


def _shift(x: float, y: float, z: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def _wringer(rng: Rng) -> Mesh:
    white, red = f.ceramic(), f.paint((180, 40, 36))
    tub = lathe(
        [(0, 0.3), (0.3, 0.3), (0.34, 0.36), (0.34, 0.78), (0.36, 0.8), (0.33, 0.82), (0.31, 0.7), (0, 0.66)], white
    )
    feet = ringed(sweep([(0.26, 0, 0.32), (0.36, 0, 0)], [0.03, 0.02], red), 3)
    rolls = [cylinder((-0.1, -0.2, z), (-0.1, 0.2, z), 0.04, f.wood(rng, "birch")) for z in (1.12, 1.21)]
    frame: list[Mesh | Part] = [
        mirrored(slab((-0.14, 0.2, 0.8), (-0.06, 0.24, 1.28), red)),
        slab((-0.15, -0.24, 1.26), (-0.05, 0.24, 1.32), red),
    ]
    crank = sweep([(-0.1, 0.2, 1.16), (-0.1, 0.32, 1.16), (0.05, 0.32, 1.16), (0.05, 0.4, 1.16)], 0.012, f.steel())
    return whole([tub, feet, *rolls, *frame, crank])


@kind("household", 2, fallen=True)
def stove(variant: int, rng: Rng) -> Mesh:
    """A kitchen stove, a cast-iron wood stove."""
    return _stove_family(variant, rng)


@kind("household", 1, fallen=True)
def microwave(_variant: int, rng: Rng) -> Mesh:
    """A microwave oven on a stand."""
    return _stove_family(2, rng)


def _stove_family(variant: int, rng: Rng) -> Mesh:
    """A kitchen stove, a cast-iron wood stove, a microwave on a stand."""
    if variant == 1:
        iron, steel = f.metal((58, 56, 56), 0.55), f.brass()
        body: list[Mesh | Part] = [
            rounded_box((-0.26, -0.34, 0.2), (0.26, 0.34, 0.72), 0.03, iron),
            slab((-0.3, -0.38, 0.72), (0.3, 0.38, 0.77), iron),
        ]
        feet = mirrored(
            mirrored(sweep(curve([(0.2, 0.28, 0.22), (0.26, 0.34, 0.12), (0.24, 0.32, 0)], 8), 0.03, iron)), "x"
        )
        pipe = sweep(
            curve([(-0.12, 0, 0.77), (-0.12, 0, 1.3), (-0.16, 0, 1.42), (-0.4, 0, 1.45)], 20), 0.075, iron, detail=16
        )
        door: list[Mesh | Part] = [
            slab((0.26, -0.2, 0.3), (0.29, 0.2, 0.62), iron),
            slab((0.285, -0.14, 0.38), (0.3, 0.14, 0.56), f.glass()),
            capsule((0.31, 0.17, 0.42), (0.31, 0.17, 0.5), 0.012, steel),
        ]
        return whole([*body, feet, pipe, *door])
    white, black = f.ceramic(), f.plastic((30, 30, 32), 0.25)
    if variant == 2:
        stand: list[Mesh | Part] = [
            legs(0.4, 0.52, 0.7, 0.015, f.steel()),
            slab((-0.24, -0.3, 0.66), (0.24, 0.3, 0.7), f.wood(rng, "pine")),
            slab((-0.24, -0.3, 0.25), (0.24, 0.3, 0.28), f.wood(rng, "pine")),
        ]
        oven: list[Mesh | Part] = [
            rounded_box((-0.2, -0.26, 0.71), (0.2, 0.26, 1.01), 0.015, f.plastic((206, 206, 204))),
            slab((0.2, -0.25, 0.73), (0.215, 0.1, 0.99), f.glass()),
            slab((0.2, 0.12, 0.73), (0.212, 0.25, 0.99), black),
            capsule((0.235, 0.09, 0.76), (0.235, 0.09, 0.96), 0.011, f.steel()),
        ]
        return whole([*stand, *oven])
    parts: list[Mesh | Part] = [
        rounded_box((-0.3, -0.3, 0.03), (0.3, 0.3, 0.86), 0.015, white),
        slab((-0.31, -0.31, 0.86), (0.31, 0.31, 0.88), black),
    ]
    parts += [
        lathe([(0, 0.88), (r, 0.88), (r, 0.895), (r * 0.7, 0.9), (0, 0.895)], f.metal((70, 70, 72), 0.5)).transformed(
            _shift(x, y, 0)
        )
        for x, y, r in ((0.14, 0.14, 0.1), (0.14, -0.14, 0.08), (-0.14, 0.14, 0.08), (-0.14, -0.14, 0.1))
    ]
    parts += [
        slab((0.3, -0.27, 0.2), (0.325, 0.27, 0.66), white),
        slab((0.32, -0.2, 0.28), (0.33, 0.2, 0.54), f.glass()),
        capsule((0.36, -0.22, 0.62), (0.36, 0.22, 0.62), 0.012, f.steel()),
    ]
    parts += [cylinder((0.3, y, 0.77), (0.335, y, 0.77), 0.026, black) for y in np.linspace(-0.22, 0.22, 5)]
    return whole([*parts, slab((-0.31, -0.3, 0.88), (-0.28, 0.3, 1.0), white)])


@kind("household", 3, fallen=True)
def television(variant: int, rng: Rng) -> Mesh:
    """A tube set in wood, a flat screen on its foot, a fat grey set with an aerial."""
    black = f.plastic((26, 26, 28), 0.3)
    if variant == 1:
        return whole(
            [
                rounded_box((-0.03, -0.62, 0.12), (0.02, 0.62, 0.84), 0.012, black),
                slab((0.018, -0.6, 0.145), (0.024, 0.6, 0.825), f.glass()),
                slab((-0.03, -0.06, 0.02), (0.0, 0.06, 0.2), black),
                lathe([(0, 0), (0.3, 0), (0.28, 0.02), (0, 0.025)], black).transformed(np.diag([0.6, 1, 1, 1])),
            ]
        )
    case: Material = f.wood(rng, "walnut") if variant == 0 else f.plastic((120, 122, 126))
    tube = ellipsoid((0.2, 0.0, 0), (0.06, 0.27, 0.21), f.glass(), detail=24)
    parts: list[Mesh | Part] = [
        rounded_box((-0.22, -0.42, 0.25), (0.22, 0.42, 0.8), 0.04, case),
        rounded_box((-0.4, -0.25, 0.32), (-0.2, 0.25, 0.7), 0.08, black),
    ]
    parts += [moved(tube, y=-0.08, z=0.53), slab((0.2, 0.24, 0.3), (0.23, 0.4, 0.76), black)]
    parts += [cylinder((0.22, 0.32, z), (0.26, 0.32, z), 0.035, f.steel()) for z in (0.66, 0.54)]
    if variant == 0:
        parts.append(mirrored(mirrored(sweep([(0.16, 0.32, 0.26), (0.2, 0.38, 0)], [0.022, 0.014], case)), "x"))
        return whole(parts)
    aerial = [sweep([(0, 0, 0.82), (0, s * 0.35, 1.3)], [0.008, 0.004], f.steel(), detail=8) for s in (1, -1)]
    return whole([*parts, *aerial, lathe([(0, 0.8), (0.09, 0.8), (0.06, 0.85), (0, 0.86)], black)])


@kind("household", 3, fallen=True)
def bathtub(variant: int, rng: Rng) -> Mesh:
    """A claw-foot tub, a plain built-in one turned out, a wooden round one."""
    if variant == 2:
        wood, hoop = f.wood(rng, "pine"), f.metal((120, 116, 110), 0.4)
        tub = lathe([(0, 0.06), (0.62, 0.0), (0.7, 0.68), (0.66, 0.68), (0.59, 0.12), (0, 0.12)], wood, smooth=False)
        return whole(
            [
                tub,
                *[
                    lathe(
                        [
                            (0.62 + 0.11 * z, z),
                            (0.635 + 0.11 * z, z),
                            (0.635 + 0.11 * (z + 0.05), z + 0.05),
                            (0.62 + 0.11 * z, z + 0.05),
                        ],
                        hoop,
                    )
                    for z in (0.1, 0.5)
                ],
            ]
        )
    white = f.ceramic()
    outline = _oval(0.85, 0.4, 0.5 if variant == 0 else 0.3)
    rings = [(0.75, 0.0), (0.88, 0.1), (1.0, 0.5), (1.08, 0.54), (1.04, 0.56), (0.94, 0.52), (0.82, 0.16), (0.6, 0.1)]
    skin = loft(np.stack([np.concatenate([outline * s, np.full((len(outline), 1), z)], 1) for s, z in rings]), white)
    parts: list[Mesh | Part] = [moved(skin, z=0.14 if variant == 0 else 0.0)]
    chrome = f.brass() if variant == 0 else f.steel()
    z = 0.7 if variant == 0 else 0.56
    parts += [
        sweep(
            curve([(-0.85, 0, z - 0.02), (-0.85, 0, z + 0.2), (-0.72, 0, z + 0.24), (-0.66, 0, z + 0.14)], 14),
            0.022,
            chrome,
        ),
        mirrored(ellipsoid((-0.85, 0.1, z + 0.06), 0.035, chrome, detail=12)),
        cylinder((-0.85, -0.1, z + 0.05), (-0.85, 0.1, z + 0.05), 0.015, chrome),
    ]
    if variant == 0:
        parts.append(
            mirrored(
                mirrored(
                    sweep(
                        curve([(0.52, 0.24, 0.24), (0.62, 0.32, 0.14), (0.64, 0.34, 0.02), (0.7, 0.38, 0.02)], 10),
                        [0.05] * 6 + [0.035] * 4,
                        chrome,
                    )
                ),
                "x",
            )
        )
    return whole(parts)


def _oval(a: float, b: float, square: float, count: int = 40) -> np.ndarray:
    """Points of a rounded rectangle of half sizes ``a`` and ``b``; ``square`` near 0 is sharp, 1 an ellipse."""
    turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([a * np.sign(c) * np.abs(c) ** square, b * np.sign(s) * np.abs(s) ** square], 1)


@kind("household", 3, fallen=True)
def toilet(variant: int, rng: Rng) -> Mesh:
    """A toilet with cistern, an old one with a wooden seat and high tank, a blue one with the lid up."""
    white = f.ceramic() if variant != 2 else f.ceramic((150, 190, 206))
    seat_material = f.wood(rng, "mahogany") if variant == 1 else white
    outline = _oval(0.27, 0.19, 0.9)
    levels = [(0.5, 0.0), (0.5, 0.08), (0.42, 0.2), (0.9, 0.34), (1.0, 0.39), (0.96, 0.4), (0.8, 0.38), (0.5, 0.28)]
    bowl = loft(
        np.stack([np.concatenate([outline * s + (0.06 * s, 0), np.full((len(outline), 1), z)], 1) for s, z in levels]),
        white,
    )
    ring = loft(
        np.stack(
            [
                np.concatenate([outline * s + (0.06, 0), np.full((len(outline), 1), z)], 1)
                for s, z in [(0.62, 0.4), (1.02, 0.4), (1.02, 0.43), (0.62, 0.43), (0.62, 0.4)]
            ]
        ),
        seat_material,
        caps=False,
    )
    parts: list[Mesh | Part] = [bowl, ring]
    if variant == 1:
        parts += [
            cylinder((-0.26, 0, 0.3), (-0.26, 0, 1.5), 0.03, f.brass()),
            rounded_box((-0.36, -0.24, 1.5), (-0.14, 0.24, 1.82), 0.02, f.wood(rng, "mahogany")),
            sweep([(-0.2, 0.2, 1.5), (-0.2, 0.2, 1.0)], 0.006, f.brass()),
            ellipsoid((-0.2, 0.2, 0.97), (0.02, 0.02, 0.04), f.ceramic(), detail=10),
        ]
    else:
        parts += [
            rounded_box((-0.38, -0.22, 0.38), (-0.2, 0.22, 0.76), 0.03, white),
            rounded_box((-0.39, -0.23, 0.76), (-0.19, 0.23, 0.8), 0.015, white),
            lathe([(0, 0.8), (0.025, 0.8), (0.02, 0.815), (0, 0.815)], f.steel()).transformed(_shift(-0.29, 0, 0)),
        ]
        parts.append(slab((-0.3, -0.1, 0.0), (-0.1, 0.1, 0.4), white))
    lid = extrude(_oval(0.26, 0.19, 0.9), 0, 0.02, seat_material)
    parts.append(
        moved(turned(lid, "y", -98), -0.19, 0, 0.68)
        if variant == 2
        else moved(lid, 0.06, 0, 0.43)
        if variant == 0
        else moved(turned(lid, "y", -95), -0.2, 0, 0.68)
    )
    return whole(parts)


@kind("household", 3, fallen=True)
def suitcase(variant: int, rng: Rng) -> Mesh:
    """A ribbed trolley case, an old leather case, a pile of three."""
    return _suitcase_family(variant, rng)


@kind("household", 1, fallen=True)
def rucksack(_variant: int, rng: Rng) -> Mesh:
    """A hiking rucksack."""
    return _suitcase_family(3, rng)


@kind("household", 1, fallen=True)
def holdall(_variant: int, rng: Rng) -> Mesh:
    """A striped holdall."""
    return _suitcase_family(4, rng)


def _suitcase_family(variant: int, rng: Rng) -> Mesh:
    """A ribbed trolley case, an old leather case, a pile of three, a rucksack, a holdall."""
    if variant == 3:
        return _rucksack(rng)
    if variant == 4:
        return _holdall(rng)
    if variant == 1:
        return _leather_case(rng, (134, 82, 44))
    if variant == 2:
        sizes = ((0.0, (0.3, 0.6)), (0.24, (0.26, 0.5)), (0.46, (0.2, 0.4)))
        cases = []
        for (z, (dx, dy)), c in zip(sizes, ((60, 80, 60), (150, 60, 50), (200, 170, 120)), strict=True):
            cases.append(moved(turned(_leather_case(rng, c, dy, dx, 0.2), "x", 90), z=z + 0.1))
        return whole(cases)
    shell, chrome = f.plastic((200, 60, 44), 0.25), f.steel()
    ribs = [rounded_box((-0.14, -0.24 + 0.08 * i, 0.06), (0.14, -0.19 + 0.08 * i, 0.7), 0.03, shell) for i in range(6)]
    handle = sweep([(-0.1, -0.12, 0.68), (-0.1, -0.12, 1.02), (-0.1, 0.12, 1.02), (-0.1, 0.12, 0.68)], 0.011, chrome)
    wheels = [moved(wheel(0.035, 0.03, f.rubber(), chrome), x, y, 0.035) for x in (0.1, -0.1) for y in (0.2, -0.2)]
    return whole([rounded_box((-0.13, -0.235, 0.06), (0.13, 0.235, 0.7), 0.05, shell), *ribs, handle, *wheels])


def _leather_case(rng: Rng, color: f.Color, width: float = 0.66, height: float = 0.44, depth: float = 0.22) -> Mesh:
    skin, brass = f.leather(rng, color), f.brass()
    strap = f.leather(rng, (60, 36, 24))
    parts: list[Mesh | Part] = [rounded_box((-depth / 2, -width / 2, 0), (depth / 2, width / 2, height), 0.03, skin)]
    parts += [
        slab(
            (-depth / 2 - 0.006, s * width * 0.3 - 0.02, -0.004),
            (depth / 2 + 0.006, s * width * 0.3 + 0.02, height + 0.006),
            strap,
        )
        for s in (1, -1)
    ]
    parts += [block(depth / 2 + 0.008, s * width * 0.3, height * 0.6, 0.012, 0.05, 0.04, brass) for s in (1, -1)]
    parts += [
        sweep(
            curve([(0, -0.07, height), (0, -0.06, height + 0.05), (0, 0.06, height + 0.05), (0, 0.07, height)], 12),
            0.012,
            strap,
        )
    ]
    parts.append(
        mirrored(mirrored(ellipsoid((depth / 2 - 0.02, width / 2 - 0.02, height - 0.02), 0.032, brass, detail=10)), "x")
    )
    return whole(parts)


def _rucksack(rng: Rng) -> Mesh:
    cloth, dark = f.fabric(rng, (40, 100, 90)), f.fabric(rng, (36, 38, 44))
    parts: list[Mesh | Part] = [
        pad(0, 0, 0, 0.26, 0.36, 0.58, cloth, 0.45),
        pad(0.15, 0, 0.06, 0.14, 0.27, 0.26, cloth, 0.5),
        pad(0.02, 0, 0.48, 0.3, 0.37, 0.16, dark, 0.5),
    ]
    parts += [
        mirrored(pad(0.0, 0.2, 0.08, 0.16, 0.12, 0.26, dark, 0.5)),
        cylinder((0, -0.26, 0.68), (0, 0.26, 0.68), 0.08, f.fabric(rng, (210, 120, 40))),
    ]
    straps = mirrored(
        sweep(curve([(-0.1, 0.1, 0.52), (-0.24, 0.12, 0.36), (-0.2, 0.13, 0.1), (-0.1, 0.13, 0.06)], 12), 0.022, dark)
    )
    return whole([*parts, straps, mirrored(slab((0.1, 0.08, 0.2), (0.17, 0.11, 0.56), dark))])


def _holdall(rng: Rng) -> Mesh:
    cloth, strap = (
        f.striped(rng, [(34, 50, 100), (34, 50, 100), (220, 216, 204)], per_m=3),
        f.leather(rng, (120, 70, 36)),
    )
    bag = pad(0, 0, 0, 0.32, 0.7, 0.34, cloth, 0.5)
    handles = [
        sweep(
            curve([(x, -0.15, 0.28), (x * 0.6, -0.12, 0.46), (x * 0.6, 0.12, 0.46), (x, 0.15, 0.28)], 14), 0.014, strap
        )
        for x in (0.1, -0.1)
    ]
    bands = [
        sweep(arc((0, y, 0.17), 0.168, 0, 360, "xz", 24), 0.014, strap, detail=8, caps=False) for y in (-0.15, 0.15)
    ]
    return whole([bag, *handles, *bands])


@kind("household", 4, fallen=True)
def umbrella(variant: int, rng: Rng) -> Mesh:
    """A striped parasol on a foot, an open umbrella on the ground, a tilted beach one, a cocktail-red cafe one."""
    colors = [
        [(214, 40, 40), (244, 240, 232)],
        [(40, 90, 170), (236, 236, 230)],
        [(250, 200, 40), (40, 120, 200)],
        [(160, 30, 40)],
    ][variant]
    cloths = [f.fabric(rng, c) for c in colors]
    radius, height, sides = ((1.3, 0.45, 8), (0.55, 0.3, 8), (1.0, 0.4, 12), (1.4, 0.5, 6))[variant]
    canopy = _canopy(radius, height, sides, cloths)
    stick = f.wood(rng, "oak") if variant != 1 else f.steel()
    if variant == 1:
        crook = sweep(
            curve([(0, 0, 0.28), (0, 0, -0.5), (0.03, 0, -0.56), (0.08, 0, -0.55), (0.09, 0, -0.48)], 24),
            0.011,
            f.wood(rng, "walnut"),
        )
        return turned([canopy, crook, cylinder((0, 0, 0.28), (0, 0, 0.36), 0.008, stick)], "y", -104)
    length = (2.3, 0, 1.9, 2.4)[variant]
    pole = cylinder((0, 0, -length + height), (0, 0, height + 0.06), 0.022, stick)
    mesh = whole([canopy, pole, ellipsoid((0, 0, height + 0.06), 0.035, stick, detail=10)])
    if variant == 2:
        return whole(
            [
                turned(mesh, "y", 16),
                lathe(
                    [(0, 0), (0.3, 0), (0.15, 0.12), (0.04, 0.2), (0, 0.2)], f.stone(rng, (214, 190, 140))
                ).transformed(_shift(-0.41, 0, -1.47)),
            ]
        )
    foot = lathe(
        [(0, 0), (0.28, 0), (0.28, 0.07), (0.05, 0.11), (0.04, 0.25), (0, 0.25)],
        f.stone(rng) if variant == 0 else f.metal((60, 60, 62), 0.5),
    )
    return whole([mesh, moved(foot, z=-length + height)])


def _canopy(radius: float, height: float, sides: int, cloths: list[Material]) -> Mesh:
    parts: list[Mesh | Part] = []
    rows = np.linspace(0, 1, 7)
    for k in range(sides):
        a = 2 * np.pi * np.array([k, k + 0.25, k + 0.5, k + 0.75, k + 1]) / sides
        sag = 1 - 0.06 * np.sin(np.pi * np.linspace(0, 1, 5))
        sections = np.stack(
            [
                np.stack(
                    [
                        radius * r * np.cos(a) * (1 - r * (1 - sag)),
                        radius * r * np.sin(a) * (1 - r * (1 - sag)),
                        np.full(5, height * (1 - r**1.7)),
                    ],
                    1,
                )
                for r in rows[::-1] + 1e-4
            ]
        )
        cloth = cloths[k % len(cloths)]
        parts.append(loft(sections, cloth, closed=False, caps=False))
        parts.append(loft(sections[::-1] - (0, 0, 0.006), cloth, closed=False, caps=False))
    return whole(parts)


@kind("household", 3, fallen=True)
def pram(variant: int, rng: Rng) -> Mesh:
    """A classic pram with a hood, a buggy, and one with a sunshade."""
    cloth = f.fabric(rng, ((28, 40, 80), (190, 60, 60), (214, 206, 190))[variant])
    chrome, tyre = f.steel(), f.rubber()
    radius = (0.26, 0.12, 0.2)[variant]
    wheels = [
        moved(wheel(radius, 0.035, tyre, chrome, spokes=10), x, y, radius) for x in (0.36, -0.36) for y in (0.26, -0.26)
    ]
    z = 0.48
    tub = loft(
        np.stack(
            [
                np.concatenate([_oval(a, b, 0.6), np.full((40, 1), h)], 1)
                for a, b, h in (
                    (0.3, 0.13, z),
                    (0.42, 0.2, z + 0.12),
                    (0.46, 0.23, z + 0.28),
                    (0.43, 0.2, z + 0.28),
                    (0.38, 0.17, z + 0.12),
                )
            ]
        ),
        cloth,
    )
    hood_rows = [
        arc((-0.12, 0, z + 0.3), 0.34 - 0.02 * abs(i - 3), 90 + 100 * i / 6 - 10, 90 + 100 * i / 6 - 10, "xz", 1)[0]
        for i in range(7)
    ]
    sections = []
    for p in hood_rows:
        t = np.linspace(0, np.pi, 13)
        way = p - np.array([-0.12, 0, z + 0.3])
        sections.append(
            np.array([-0.12, 0, z + 0.3]) + np.cos(t)[:, None] * np.array([0, 0.235, 0]) + np.sin(t)[:, None] * way
        )
    hood = loft(np.array(sections), cloth, closed=False, caps=False)
    hood_back = loft(np.array(sections)[::-1], cloth, closed=False, caps=False)
    handle = sweep(
        curve(
            [
                (0.4, 0.2, z + 0.15),
                (0.62, 0.2, z + 0.5),
                (0.66, 0.16, z + 0.55),
                (0.66, -0.16, z + 0.55),
                (0.62, -0.2, z + 0.5),
                (0.4, -0.2, z + 0.15),
            ],
            30,
        ),
        0.014,
        chrome,
    )
    frame = mirrored(
        [
            sweep(arc((0, 0.22, z + 0.05), 0.42, 200, 340, "xz", 16), 0.014, chrome),
            sweep([(-0.36, 0.24, radius), (-0.25, 0.2, z)], 0.014, chrome),
            sweep([(0.36, 0.24, radius), (0.25, 0.2, z)], 0.014, chrome),
        ]
    )
    pillow = pad(-0.05, 0, z + 0.14, 0.6, 0.34, 0.12, f.fabric(rng, (238, 236, 230)), 0.5)
    return whole(
        [
            *wheels,
            tub,
            *([hood, hood_back] if variant != 1 else []),
            handle,
            frame,
            pillow,
            *[cylinder((x, -0.25, radius), (x, 0.25, radius), 0.01, chrome) for x in (0.36, -0.36)],
        ]
    )


@kind("household", 3, fallen=True)
def fan(variant: int, _rng: Rng) -> Mesh:
    """A standing fan, a table fan, an old brass one."""
    metal = (f.plastic((230, 230, 228)), f.paint((60, 120, 110)), f.brass())[variant]
    height = (1.15, 0.35, 0.4)[variant]
    cage: list[Mesh | Part] = [
        sweep(arc((0, 0, 0), r, 0, 360, "yz", 40), 0.006, f.steel(), detail=6, caps=False).transformed(_shift(x, 0, 0))
        for r, x in ((0.22, 0), (0.2, 0.05), (0.12, 0.07), (0.2, -0.05))
    ]
    wires = [
        turned(
            sweep(
                curve([(0.07, 0, 0.03), (0.06, 0, 0.14), (0, 0, 0.22), (-0.06, 0, 0.14)], 10),
                0.003,
                f.steel(),
                detail=5,
            ),
            "x",
            15 * i,
        )
        for i in range(24)
    ]
    blade = turned(
        ellipsoid((0, 0, 0.1), (0.008, 0.055, 0.1), f.plastic((60, 130, 190)) if variant == 0 else metal, detail=16),
        "z",
        28,
    )
    blades = [turned(blade, "x", 360 * i / (3 if variant == 0 else 4)) for i in range(3 if variant == 0 else 4)]
    head = whole(
        [
            *cage,
            *wires,
            *blades,
            capsule((-0.2, 0, 0), (-0.02, 0, 0), 0.06, metal),
            ellipsoid((0.07, 0, 0), (0.02, 0.04, 0.04), metal, detail=12),
        ]
    )
    foot = lathe([(0, 0), (0.2, 0), (0.2, 0.03), (0.06, 0.06), (0.03, 0.1), (0, 0.1)], metal)
    return whole([moved(head, z=height), foot, cylinder((-0.08, 0, 0.02), (-0.08, 0, height), 0.018, metal)])


@kind("household", 2, fallen=True)
def ironing_board(variant: int, rng: Rng) -> Mesh:
    """An ironing board with a shirt, or with the iron on it."""
    cover = (
        f.striped(rng, [(60, 120, 170), (230, 232, 236)], per_m=10) if variant == 0 else f.fabric(rng, (200, 120, 130))
    )
    side = curve([(0.62, 0.0), (0.5, 0.12), (0.1, 0.18), (-0.6, 0.19)], 14)
    outline = np.concatenate([side, (side * (1, -1))[::-1][:-1]])
    board = extrude(outline, 0.86, 0.89, cover)
    tube = f.steel()
    cross = mirrored(
        [
            sweep([(-0.45, 0.05, 0.86), (0.4, 0.2, 0.01)], 0.012, tube),
            sweep([(0.35, 0.05, 0.86), (-0.45, 0.2, 0.01)], 0.012, tube),
        ]
    )
    feet = [cylinder((x, -0.24, 0.012), (x, 0.24, 0.012), 0.013, tube) for x in (0.4, -0.45)]
    if variant == 1:
        iron: list[Mesh | Part] = [
            moved(
                extrude(
                    np.array([(0.12, 0), (0.06, 0.05), (-0.1, 0.055), (-0.1, -0.055), (0.06, -0.05)]), 0.89, 0.91, tube
                )
            ),
            pad(-0.01, 0, 0.905, 0.18, 0.09, 0.06, f.plastic((60, 90, 200))),
            sweep(
                curve([(0.07, 0, 0.95), (0.02, 0, 1.02), (-0.07, 0, 1.01), (-0.08, 0, 0.94)], 12),
                0.013,
                f.plastic((40, 40, 46)),
            ),
        ]
        return whole([board, cross, *feet, *[turned(i, "z", 20) for i in iron]])
    shirt: list[Mesh | Part] = [
        pad(0.05, 0, 0.87, 0.6, 0.46, 0.05, f.fabric(rng, (220, 226, 236)), 0.4),
        mirrored(pad(0.2, 0.3, 0.66, 0.14, 0.06, 0.26, f.fabric(rng, (220, 226, 236)), 0.6)),
    ]
    return whole([board, cross, *feet, *shirt])


@kind("household", 3, fallen=True)
def birdcage(variant: int, rng: Rng) -> Mesh:
    """A domed brass cage, a square white one, a big parrot cage, each with its bird."""
    wire = (f.brass(), f.plastic((236, 236, 232)), f.metal((50, 50, 54), 0.4))[variant]
    scale = (1.0, 0.9, 1.7)[variant]
    radius, height = 0.22 * scale, 0.42 * scale
    sides = 24 if variant != 1 else 28
    profile = [
        (radius, 0.06),
        (radius, height),
        (radius * 0.9, height + 0.1 * scale),
        (radius * 0.55, height + 0.2 * scale),
        (0.0, height + 0.25 * scale),
    ]
    if variant == 1:
        profile = [(radius, 0.06), (radius, height), (radius * 0.5, height + 0.12), (0, height + 0.14)]
    bar = sweep(curve([(r, 0, z) for r, z in profile], 14), 0.005 * scale, wire, detail=5)
    bars = ringed(bar, sides)
    rings = [
        sweep(arc((0, 0, z), radius, 0, 360, "xy", 36), 0.006 * scale, wire, detail=5, caps=False)
        for z in (0.07, height * 0.5, height)
    ]
    base = lathe([(0, 0), (radius * 1.08, 0), (radius * 1.08, 0.06), (0, 0.06)], wire, smooth=False)
    top = sweep(
        arc((0, 0, height + 0.28 * scale), 0.03 * scale, 0, 360, "xz", 16), 0.006 * scale, wire, detail=5, caps=False
    )
    color = ((250, 206, 40), (70, 150, 220), (206, 40, 40))[variant]
    z = 0.22 * scale
    feather = f.fur(rng, color, 0.3)
    bird = [
        ellipsoid((0, 0, z), np.array((0.045, 0.03, 0.035)) * scale * 1.2, feather, detail=14),
        ellipsoid((0.05 * scale, 0, z + 0.04 * scale), 0.027 * scale, feather, detail=12),
        sweep(
            [(0.07 * scale, 0, z + 0.04 * scale), (0.1 * scale, 0, z + 0.03 * scale)],
            [0.011 * scale, 0.002],
            f.plastic((60, 50, 40)),
        ),
        sweep([(-0.03 * scale, 0, z), (-0.13 * scale, 0, z - 0.05 * scale)], [0.025 * scale, 0.01 * scale], feather),
    ]
    perch = cylinder(
        (0, -radius * 0.98, z - 0.045 * scale), (0, radius * 0.98, z - 0.045 * scale), 0.008 * scale, f.wood(rng, "oak")
    )
    return whole([bars, *rings, base, top, *bird, perch])


@kind("household", 1, fallen=True)
def clothes_rack(_variant: int, rng: Rng) -> Mesh:
    """A rail with coats on hangers."""
    return _clothes_rack_family(0, rng)


@kind("household", 1, fallen=True)
def coat_stand(_variant: int, rng: Rng) -> Mesh:
    """A coat stand with hat and coat."""
    return _clothes_rack_family(1, rng)


def _clothes_rack_family(variant: int, rng: Rng) -> Mesh:
    """A rail with coats on hangers, a coat stand with hats."""
    if variant == 1:
        wood = f.wood(rng, "walnut")
        foot = ringed(sweep(curve([(0, 0, 0.2), (0.2, 0, 0.12), (0.28, 0, 0.0)], 10), 0.022, wood), 4)
        arms = ringed(sweep(curve([(0, 0, 1.6), (0.16, 0, 1.62), (0.22, 0, 1.74)], 10), 0.014, wood), 6)
        hat = moved(
            [
                lathe(
                    [(0, 0.0), (0.17, -0.02), (0.17, -0.01), (0.1, 0.0), (0.095, 0.1), (0.05, 0.13), (0, 0.12)],
                    f.fabric(rng, (70, 60, 52)),
                )
            ],
            0.2,
            0,
            1.76,
        )
        coat = pad(-0.14, 0, 0.75, 0.24, 0.36, 0.9, f.fabric(rng, (130, 50, 46)), 0.6)
        return whole(
            [
                foot,
                arms,
                hat,
                coat,
                sweep([(0, 0, 0.1), (0, 0, 1.85)], [0.03, 0.018], wood),
                ellipsoid((0, 0, 1.87), 0.04, wood, detail=12),
            ]
        )
    steel = f.steel()
    frame: list[Mesh | Part] = [
        mirrored(
            [
                cylinder((0, 0.7, 0.04), (0, 0.7, 1.6), 0.016, steel),
                cylinder((-0.25, 0.7, 0.05), (0.25, 0.7, 0.05), 0.016, steel),
            ]
        ),
        cylinder((0, -0.7, 1.6), (0, 0.7, 1.6), 0.016, steel),
        cylinder((0, -0.7, 0.12), (0, 0.7, 0.12), 0.012, steel),
    ]
    clothes: list[Mesh | Part] = []
    for i, y in enumerate(np.linspace(-0.55, 0.55, 9)):
        long = float(rng.uniform(0.7, 1.15))
        cloth = f.fabric(rng, f.CLOTHS[(i * 5) % 12])
        clothes += [
            pad(0, y, 1.45 - long, 0.42, 0.09, long, cloth, 0.35),
            mirrored(pad(0.22, y, 0.9, 0.12, 0.08, 0.55, cloth, 0.6), "x"),
            sweep(curve([(0, y, 1.44), (0, y, 1.58), (0, y + 0.03, 1.62)], 8), 0.005, steel, detail=5),
        ]
    return whole([*frame, *clothes])


@kind("household", 2, fallen=True)
def grandfather_clock(variant: int, rng: Rng) -> Mesh:
    """A long-case clock with pendulum, a slim painted one."""
    return _grandfather_clock_family(variant, rng)


@kind("household", 1, fallen=True)
def alarm_clock(_variant: int, rng: Rng) -> Mesh:
    """A huge alarm clock with bells."""
    return _grandfather_clock_family(2, rng)


def _grandfather_clock_family(variant: int, rng: Rng) -> Mesh:
    """A long-case clock with pendulum, a slim painted one, a huge alarm clock."""
    if variant == 2:
        return _alarm_clock(rng)
    wood, brass = f.wood(rng, ("mahogany", "white")[variant]), f.brass()
    w = (0.24, 0.19)[variant]
    parts: list[Mesh | Part] = [
        block(0, 0, 0, 0.34, 2.2 * w, 0.4, wood),
        block(0, 0, 0.4, 0.27, 1.6 * w, 0.95, wood),
        block(0, 0, 1.35, 0.34, 2.1 * w, 0.5, wood),
    ]
    parts += [
        block(0.136, 0, 0.5, 0.01, w, 0.75, f.glass()),
        cylinder((0.145, 0, 0.72), (0.15, 0, 0.72), 0.06, brass),
        slab((0.142, -0.008, 0.72), (0.147, 0.008, 1.2), brass),
    ]
    face = turned(
        [
            lathe([(0, 0), (w * 0.86, 0), (w * 0.86, 0.02), (0, 0.022)], f.ceramic((240, 234, 214))),
            sweep(arc((0, 0, 0.02), w * 0.86, 0, 360, "xy", 32), 0.012, brass, caps=False),
        ],
        "y",
        90,
    )
    parts += [moved(face, 0.17, 0, 1.6), *_hands(0.195, 1.6, w * 0.6), *_hours(0.193, 1.6, w * 0.72)]
    crown = (
        arc((0, 0, 1.85), w * 1.05, 0, 180, "yz", 16)[:, 1:]
        if variant == 0
        else np.array([(w * 1.05, 1.85), (0, 2.05), (-w * 1.05, 1.85)])
    )
    board = extrude(crown, -0.15, 0.15, wood).transformed(
        np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    )
    return whole([*parts, board])


def _hands(x: float, z: float, r: float) -> list[Mesh | Part]:
    black = f.plastic((20, 20, 22))
    return [
        sweep([(x, 0, z), (x, r * 0.75, z + r * 0.3)], [0.008, 0.003], black, detail=6),
        sweep([(x, 0, z), (x, -r * 0.25, z + r)], [0.008, 0.003], black, detail=6),
    ]


def _hours(x: float, z: float, r: float) -> list[Mesh | Part]:
    black = f.plastic((20, 20, 22))
    return [
        turned(
            slab((x - 0.002, -0.006, z + r - 0.015), (x + 0.002, 0.006, z + r + 0.015), black), "x", 30 * i, (0, 0, z)
        )
        for i in range(12)
    ]


def _alarm_clock(_rng: Rng) -> Mesh:
    red, chrome = f.paint((200, 40, 40)), f.steel()
    case = turned(
        lathe([(0, -0.12), (0.36, -0.12), (0.4, -0.08), (0.4, 0.1), (0.37, 0.12), (0.35, 0.1), (0, 0.1)], red), "y", 90
    )
    face = turned(lathe([(0, 0), (0.35, 0), (0, 0.005)], f.ceramic((244, 242, 232))), "y", 90)
    bells = mirrored(
        turned(
            lathe([(0.15, 0), (0.14, 0.08), (0.08, 0.13), (0, 0.15), (0, 0.13), (0.13, 0)], chrome), "x", -32
        ).transformed(_shift(0, 0.22, 0.86))
    )
    feet = mirrored(sweep([(0, 0.22, 0.2), (0, 0.32, 0.0)], [0.04, 0.03], chrome))
    big = [*_hands(0.125, 0.48, 0.26), *_hours(0.122, 0.48, 0.29)]
    return whole(
        [
            moved(case, z=0.48),
            moved(face, 0.112, 0, 0.48),
            bells,
            feet,
            *big,
            sweep(arc((0, 0, 0.95), 0.12, 0, 180, "yz", 14), 0.018, chrome),
            cylinder((0, 0, 0.86), (0, 0, 1.05), 0.02, chrome),
        ]
    )


@kind("household", 2, fallen=True)
def bucket(variant: int, rng: Rng) -> Mesh:
    """A zinc bucket, a plastic one with a mop."""
    return _bucket_family(variant, rng)


@kind("household", 1, fallen=True)
def watering_can(_variant: int, rng: Rng) -> Mesh:
    """A watering can."""
    return _bucket_family(2, rng)


def _bucket_family(variant: int, rng: Rng) -> Mesh:
    """A zinc bucket, a blue plastic one with a mop, a watering can."""
    if variant == 2:
        can = f.paint((40, 120, 70))
        body = lathe([(0, 0), (0.16, 0), (0.16, 0.3), (0.13, 0.33), (0.1, 0.33), (0.1, 0.3), (0, 0.3)], can)
        spout = sweep([(0.12, 0, 0.06), (0.3, 0, 0.25), (0.42, 0, 0.42)], [0.045, 0.03, 0.02], can)
        rose = turned(lathe([(0.02, 0), (0.07, 0.06), (0.07, 0.07), (0, 0.08)], f.brass()), "y", 40).transformed(
            _shift(0.4, 0, 0.4)
        )
        handle = sweep(
            curve([(-0.15, 0, 0.08), (-0.32, 0, 0.2), (-0.26, 0, 0.38), (0.0, 0, 0.46), (0.1, 0, 0.32)], 20), 0.013, can
        )
        return whole([body, spout, rose, handle])
    skin = f.metal((176, 180, 182), 0.4) if variant == 0 else f.plastic((40, 90, 190))
    body = lathe(
        [(0, 0.01), (0.12, 0), (0.17, 0.3), (0.178, 0.3), (0.178, 0.315), (0.165, 0.315), (0.115, 0.02), (0, 0.02)],
        skin,
    )
    handle = sweep(
        arc((0, 0, 0.3), 0.172, 20 if variant == 0 else -5, 180 if variant == 0 else 185, "yz", 20),
        0.005,
        f.steel(),
        detail=6,
    )
    parts: list[Mesh | Part] = [body, handle]
    if variant == 1:
        parts.append(sweep([(0.05, 0, 0.05), (-0.35, 0, 1.25)], 0.013, f.wood(rng, "pine")))
        strands = [
            sweep(
                curve(
                    [
                        (0.05, 0, 0.1),
                        (0.06 + 0.1 * np.cos(a), 0.1 * np.sin(a), 0.2),
                        (0.05 + 0.14 * np.cos(a), 0.14 * np.sin(a), 0.06),
                    ],
                    8,
                ),
                0.013,
                f.fabric(rng, (230, 226, 214)),
                detail=6,
            )
            for a in np.linspace(0, 6, 9)
        ]
        parts += strands
    return whole(parts)


@kind("household", 3, fallen=True)
def carpet_roll(variant: int, rng: Rng) -> Mesh:
    """A rolled carpet, one half unrolled, two rolls tied together."""
    cloth = f.striped(
        rng,
        (
            [(140, 30, 40), (30, 40, 80), (200, 160, 90)],
            [(60, 90, 80), (210, 200, 170)],
            [(150, 90, 60), (90, 60, 50), (220, 200, 160)],
        )[variant],
        per_m=4,
        across=variant == 1,
    )
    turn = np.linspace(0.6 * np.pi, 6.5 * np.pi, 90)
    r = 0.02 + 0.009 * turn
    spiral = np.stack([r * np.cos(turn), np.zeros(90), r * np.sin(turn)], 1)
    width = (2.2, 1.8, 1.9)[variant]
    if variant == 1:
        tail = np.stack([np.linspace(0.1, 1.4, 12), np.zeros(12), np.full(12, float(spiral[:, 2].min()))], 1)
        end = int(np.argmin(spiral[-30:, 2])) + 60
        spiral = np.concatenate([spiral[: end + 1], tail])
    step = np.gradient(spiral, axis=0)
    normal = np.stack([-step[:, 2], np.zeros(len(step)), step[:, 0]], 1)
    normal *= 0.007 / np.linalg.norm(normal, axis=1, keepdims=True)
    side = np.array([0, width / 2, 0])
    roll = loft(
        np.stack([spiral - side - normal, spiral + side - normal, spiral + side + normal, spiral - side + normal], 1),
        cloth,
        smooth=False,
    )
    if variant != 2:
        return whole(roll)
    string = [
        sweep(arc((0.2, y, 0), 0.45, 0, 360, "xz", 20) * (1, 1, 0.48), 0.012, f.matt((200, 180, 130)), caps=False)
        for y in (-0.5, 0.5)
    ]
    return whole([roll, moved(turned(roll, "y", 100), 0.4), *string])
