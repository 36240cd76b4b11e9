"""Training machines, barbells and sleds."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, block, curve, legs, mirrored, moved, pad, slab, turned, whole
from caos.assets.modelling.shapes import cylinder, lathe, loft, rounded_box, sweep


@kind(1)
def treadmill(_variant: int, rng: Rng) -> Mesh:
    """A running machine."""
    return _treadmill_family(0, rng)


@kind(1)
def rowing_machine(_variant: int, rng: Rng) -> Mesh:
    """An exercise rower."""
    return _treadmill_family(1, rng)


def _treadmill_family(variant: int, rng: Rng) -> Mesh:
    """A running machine, and an exercise rower."""
    dark, steel = f.plastic((40, 42, 46)), f.steel()
    if variant == 1:
        rail = slab((-1.1, -0.04, 0.2), (1.0, 0.04, 0.26), steel)
        seat = pad(-0.4, 0, 0.3, 0.3, 0.34, 0.08, f.leather(rng, (30, 30, 34)))
        fly: Parts = [
            cylinder((1.05, -0.08, 0.42), (1.05, 0.08, 0.42), 0.3, dark, detail=32),
            mirrored(moved(slab((0.66, 0.14, 0.26), (0.8, 0.24, 0.5), dark))),
            cylinder((0.5, -0.25, 0.5), (0.5, 0.25, 0.5), 0.016, f.wood(rng, "oak")),
            sweep([(0.5, 0, 0.5), (0.95, 0, 0.5)], 0.006, steel),
        ]
        return whole(
            [rail, seat, *fly, block(-1.05, 0, 0, 0.06, 0.5, 0.2, dark), block(0.95, 0, 0, 0.06, 0.5, 0.24, dark)]
        )
    deck = [
        slab((-0.85, -0.36, 0.08), (0.75, 0.36, 0.2), dark),
        slab((-0.82, -0.25, 0.2), (0.6, 0.25, 0.212), f.rubber()),
        pad(0.68, 0, 0.1, 0.34, 0.66, 0.2, dark, 0.3),
    ]
    arms = mirrored(
        sweep(curve([(0.6, 0.34, 0.15), (0.72, 0.34, 1.1), (0.6, 0.34, 1.2), (0.1, 0.34, 0.95)], 18), 0.026, steel)
    )
    panel = turned(rounded_box((0.62, -0.34, 1.16), (0.7, 0.34, 1.5), 0.03, dark), "y", -20, (0.66, 0, 1.16))
    return whole(
        [*deck, arms, panel, turned(slab((0.61, -0.2, 1.24), (0.618, 0.2, 1.42), f.glass()), "y", -20, (0.66, 0, 1.16))]
    )


@kind(2)
def barbell(variant: int, rng: Rng) -> Mesh:
    """A loaded barbell, and a weight bench with one."""
    steel, iron = f.steel(), f.plastic((36, 36, 40), 0.5)
    plates = [
        lathe([(0.02, 0), (r, 0), (r, 0.035), (r * 0.85, 0.04), (0.02, 0.03)], f.plastic(c, 0.4))
        for r, c in ((0.225, (190, 30, 30)), (0.225, (30, 70, 170)), (0.16, (240, 190, 30)))
    ]
    stack = turned([moved(p, z=0.62 + 0.045 * i) for i, p in enumerate(plates)], "x", -90)
    bar = whole([cylinder((0, -0.95, 0), (0, 0.95, 0), 0.015, steel), mirrored(stack)])
    if variant == 0:
        return bar
    leather = f.leather(rng, (150, 30, 34))
    bench_parts: Parts = [
        pad(-0.3, 0, 0.4, 1.2, 0.3, 0.1, leather, 0.2),
        legs(1.0, 0.3, 0.42, 0.025, iron).transformed(
            np.array([[1, 0, 0, -0.3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        ),
        mirrored(
            [
                cylinder((0.35, 0.42, 0), (0.35, 0.42, 1.0), 0.028, iron),
                cylinder((0.1, 0.42, 0.02), (0.5, 0.42, 0.02), 0.025, iron),
                sweep([(0.35, 0.42, 0.98), (0.4, 0.42, 0.98), (0.42, 0.42, 1.04)], 0.018, iron),
            ]
        ),
        cylinder((0.35, -0.42, 0.3), (0.35, 0.42, 0.3), 0.02, iron),
    ]
    return whole([*bench_parts, moved(bar, 0.39, 0, 1.02)])


@kind(3)
def sled(variant: int, rng: Rng) -> Mesh:
    """A wooden sled, a plastic bob, a big sleigh with curled runners."""
    if variant == 1:
        return _bob(rng)
    wood = f.wood(rng, "birch" if variant == 0 else "mahogany")
    s = 1.0 if variant == 0 else 1.5
    runner = curve([(-0.5, 0, 0.02), (0.35, 0, 0.02), (0.58, 0, 0.14), (0.55, 0, 0.34), (0.4, 0, 0.3)], 24) * s
    iron: Material = wood if variant == 0 else f.brass()
    parts: Parts = [
        mirrored(moved(sweep(runner, 0.018 * s, iron, detail=8), y=0.2 * s)),
        *[
            mirrored(cylinder((x * s, 0.2 * s, 0.02), (x * s, 0.18 * s, 0.26 * s), 0.016 * s, wood))
            for x in (-0.4, 0.0, 0.3)
        ],
    ]
    if variant == 0:
        parts += [slab((-0.55, y - 0.03, 0.26), (0.42, y + 0.03, 0.28), wood) for y in np.linspace(-0.18, 0.18, 5)]
        return whole(
            [
                *parts,
                sweep(
                    curve([(0.55, 0.2, 0.3), (0.9, 0.1, 0.1), (0.95, -0.1, 0.1), (0.55, -0.2, 0.3)], 16),
                    0.01,
                    f.matt((190, 60, 50)),
                ),
            ]
        )
    red = f.paint((170, 30, 34))
    parts += [
        slab((-0.75, -0.3, 0.4), (0.45, 0.3, 0.44), red),
        turned(slab((-0.8, -0.32, 0.4), (-0.74, 0.32, 1.0), red), "y", -12, (-0.77, 0, 0.4)),
        mirrored(slab((-0.75, 0.29, 0.42), (0.3, 0.33, 0.72), red)),
        turned(slab((0.42, -0.32, 0.4), (0.47, 0.32, 0.74), red), "y", 25, (0.45, 0, 0.4)),
        pad(-0.4, 0, 0.44, 0.5, 0.56, 0.16, f.leather(rng, (60, 30, 30)), 0.3),
    ]
    return whole(parts)


def _bob(_rng: Rng) -> Mesh:
    """A plastic bob."""
    red = f.plastic((210, 36, 34), 0.3)
    rings = [
        np.stack(
            [
                x + np.zeros(9),
                w * np.cos(np.linspace(np.pi, 2 * np.pi, 9)),
                lift + 0.3 * h + 0.26 * h * np.sin(np.linspace(np.pi, 2 * np.pi, 9)),
            ],
            1,
        )
        for x, w, h, lift in (
            (-0.6, 0.26, 1.2, 0.02),
            (-0.3, 0.28, 0.8, 0.0),
            (0.2, 0.26, 0.8, 0.0),
            (0.55, 0.2, 0.7, 0.05),
            (0.75, 0.1, 0.4, 0.16),
        )
    ]
    shell = np.array(rings)
    return whole(
        [
            loft(shell, red, closed=False, caps=False),
            loft(shell[::-1] + (0, 0, 0.012), red, closed=False, caps=False),
            mirrored(sweep([(0.05, 0.28, 0.15), (0.05, 0.3, 0.34)], [0.03, 0.022], f.plastic((30, 30, 34)))),
            mirrored(sweep(shell[:, 0], 0.016, red, detail=8)),
        ]
    )
