"""Suitcases, umbrellas and prams. Rucksacks and bags are not hazards, because pedestrians carry them."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, arc, block, curve, mirrored, moved, pad, slab, turned, wheel, whole
from caos.assets.modelling.plates import oval
from caos.assets.modelling.shapes import cylinder, ellipsoid, lathe, loft, rounded_box, sweep


@kind(3, fallen=True)
def suitcase(variant: int, rng: Rng) -> Mesh:
    """A ribbed trolley case, an old leather case, a pile of three."""
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


@kind(4, fallen=True)
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
                ).transformed(translation(-0.41, 0, -1.47)),
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


@kind(3, fallen=True)
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
                np.concatenate([oval(a, b, 0.6), np.full((40, 1), h)], 1)
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
