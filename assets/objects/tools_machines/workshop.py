"""Workshop: anvils, vices, toolboxes and gear wheels."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, block, curve, moved, ringed, scaled, slab, turned, wheel, whole
from caos.assets.modelling.plates import upright_plate
from caos.assets.modelling.shapes import cylinder, ellipsoid, lathe, rounded_box, sweep


@kind(2)
def anvil(variant: int, rng: Rng) -> Mesh:
    """An anvil on a block with a hammer, a bare one."""
    return _anvil_family(variant, rng)


@kind(1)
def bench_vice(_variant: int, rng: Rng) -> Mesh:
    """A bench vice on a post."""
    return _anvil_family(2, rng)


def _anvil_family(variant: int, rng: Rng) -> Mesh:
    """An anvil on a block with a hammer, a bare one, and a bench vice on a post."""
    iron = f.metal((84, 84, 88), 0.45)
    if variant == 2:
        vice: Parts = [
            block(0, 0, 0.7, 0.3, 0.2, 0.08, f.paint((40, 80, 150))),
            block(0.1, 0, 0.76, 0.06, 0.22, 0.2, f.paint((40, 80, 150))),
            block(-0.02, 0, 0.76, 0.06, 0.22, 0.2, f.paint((40, 80, 150))),
            cylinder((0.12, 0, 0.84), (0.36, 0, 0.84), 0.025, iron),
            cylinder((0.34, -0.16, 0.84), (0.34, 0.16, 0.84), 0.012, iron),
        ]
        return whole(
            [*vice, block(0, 0, 0.0, 0.5, 0.5, 0.05, iron), block(0, 0, 0.05, 0.14, 0.14, 0.65, f.wood(rng, "oak"))]
        )
    side = np.array(
        [
            (-0.3, 0.32),
            (-0.3, 0.22),
            (-0.14, 0.18),
            (-0.1, 0.1),
            (-0.18, 0.0),
            (0.18, 0.0),
            (0.1, 0.1),
            (0.12, 0.18),
            (0.2, 0.24),
            (0.2, 0.32),
        ]
    )
    body = upright_plate(side, 0.16, iron)
    horn = sweep([(0.18, 0, 0.28), (0.32, 0, 0.285), (0.46, 0, 0.3)], [0.07, 0.05, 0.012], iron, detail=16)
    anvil_mesh = scaled([body, horn, block(0, 0, 0, 0.4, 0.24, 0.05, iron)], 1.3)
    if variant == 1:
        return anvil_mesh
    stump = lathe(
        [(0, 0), (0.3, 0), (0.27, 0.1), (0.26, 0.5), (0.27, 0.52), (0, 0.52)], f.wood(rng, "oak"), smooth=False
    )
    hammer = turned(
        [
            cylinder((0, 0, 0), (0.4, 0, 0), 0.016, f.wood(rng, "birch")),
            block(0.4, 0, -0.04, 0.07, 0.16, 0.08, f.steel()),
        ],
        "z",
        35,
    )
    return whole([stump, moved(anvil_mesh, z=0.52), moved(hammer, -0.2, 0, 0.99)])


@kind(3, fallen=True)
def toolbox(variant: int, _rng: Rng) -> Mesh:
    """A red metal box, a cantilever box that stands open, a wheeled chest of drawers."""
    steel = f.steel()
    if variant == 2:
        red = f.paint((190, 30, 30))
        drawers: Parts = [
            rounded_box((-0.22, -0.34, 0.12), (0.22, 0.34, 0.88), 0.015, red),
            slab((-0.23, -0.35, 0.88), (0.23, 0.35, 0.92), f.rubber()),
        ]
        for i in range(6):
            z = 0.16 + i * 0.118
            drawers += [
                slab((0.22, -0.32, z), (0.235, 0.32, z + 0.105), red),
                slab((0.23, -0.28, z + 0.078), (0.25, 0.28, z + 0.09), steel),
            ]
        return whole(
            [
                *drawers,
                *[
                    moved(wheel(0.06, 0.035, f.rubber(), steel), x, y, 0.06)
                    for x in (0.17, -0.17)
                    for y in (0.27, -0.27)
                ],
                sweep(
                    curve([(0.18, 0.35, 0.8), (0.18, 0.42, 0.82), (-0.18, 0.42, 0.82), (-0.18, 0.35, 0.8)], 12),
                    0.012,
                    steel,
                ),
            ]
        )
    paint = f.paint((196, 36, 30) if variant == 0 else (40, 110, 190))
    if variant == 0:
        roof = upright_plate(np.array([(-0.12, 0.2), (0.12, 0.2), (0.06, 0.27), (-0.06, 0.27)]), 0.5, paint)
        return whole(
            [
                block(0, 0, 0, 0.24, 0.5, 0.2, paint),
                roof,
                sweep([(0, -0.14, 0.27), (0, -0.12, 0.33), (0, 0.12, 0.33), (0, 0.14, 0.27)], 0.011, steel),
                *[block(0.122, s * 0.15, 0.16, 0.012, 0.05, 0.07, steel) for s in (1, -1)],
            ]
        )
    trays: Parts = [block(0, 0, 0, 0.22, 0.5, 0.14, paint)]
    for s in (1, -1):
        trays += [
            block(s * 0.2, 0, 0.17, 0.2, 0.5, 0.07, paint),
            block(s * 0.34, 0, 0.28, 0.2, 0.5, 0.07, paint),
            *[slab((s * 0.1 - 0.008, y - 0.01, 0.1), (s * 0.1 + 0.008, y + 0.01, 0.34), steel) for y in (-0.25, 0.25)],
        ]
        trays += [
            sweep(
                [(s * 0.34 - 0.06, -0.15 + 0.1 * i, 0.36), (s * 0.34 + 0.06, -0.12 + 0.1 * i, 0.37)],
                0.012,
                f.plastic(f.BRIGHT[i]),
            )
            for i in range(4)
        ]
    return whole([*trays, sweep([(0, -0.25, 0.1), (0, -0.25, 0.42), (0, 0.25, 0.42), (0, 0.25, 0.1)], 0.011, steel)])


@kind(2, fallen=True)
def gear_wheel(variant: int, rng: Rng) -> Mesh:
    """A big cog, a pair of cogs in mesh."""
    return _gear_wheel_family(variant, rng)


@kind(1, fallen=True)
def ship_propeller(_variant: int, rng: Rng) -> Mesh:
    """A ship's propeller."""
    return _gear_wheel_family(2, rng)


def _gear_wheel_family(variant: int, rng: Rng) -> Mesh:
    """A big cog, a pair of cogs in mesh, a ship's propeller."""
    if variant == 2:
        brass = f.metal((206, 160, 84), 0.28)
        blade = turned(ellipsoid((0.48, 0, 0), (0.4, 0.2, 0.035), brass, detail=24), "x", 32)
        hub = lathe([(0, -0.16), (0.1, -0.16), (0.14, 0), (0.1, 0.16), (0, 0.24)], brass)
        return turned([hub, ringed(blade, 4)], "y", 80)
    iron = f.rusty(rng, (110, 106, 100), 0.4) if variant == 0 else f.metal((140, 140, 144), 0.4)
    big = _cog(0.6, 20, 0.16, iron)
    if variant == 0:
        return turned(big, "y", 76)
    return whole(
        [
            _cog(0.45, 16, 0.14, iron),
            moved(turned(_cog(0.28, 10, 0.14, f.brass()), "z", 18), 0.8),
            block(0.3, 0, -0.06, 1.3, 0.3, 0.06, f.metal((70, 74, 80), 0.5)),
        ]
    )


def _cog(radius: float, teeth: int, width: float, metal: Material) -> Mesh:
    tooth = slab((radius * 0.95, -radius * 0.09, 0), (radius * 1.16, radius * 0.09, width), metal)
    rim = lathe(
        [(radius * 0.74, 0), (radius, 0), (radius, width), (radius * 0.74, width), (radius * 0.74, 0)],
        metal,
        detail=40,
        smooth=False,
    )
    hub = lathe(
        [
            (radius * 0.1, 0),
            (radius * 0.26, 0),
            (radius * 0.26, width * 1.15),
            (radius * 0.1, width * 1.15),
            (radius * 0.1, 0),
        ],
        metal,
        smooth=False,
    )
    spokes = ringed(
        slab((radius * 0.2, -radius * 0.07, width * 0.2), (radius * 0.78, radius * 0.07, width * 0.8), metal), 5
    )
    return whole([rim, hub, spokes, ringed(tooth, teeth)])
