"""Tables for table tennis, billiards and table football."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, legs, mirrored, moved, slab, turned, wheel, whole
from caos.assets.modelling.shapes import capsule, cylinder, ellipsoid, lathe, sweep


@kind(2)
def table_tennis_table(variant: int, rng: Rng) -> Mesh:
    """A table-tennis table, open, or half folded on wheels."""
    top, white, steel = f.paint(((30, 70, 140), (30, 100, 66))[variant]), f.matt((236, 236, 234)), f.steel()

    def half() -> Mesh:
        lines: Parts = [slab((0, -0.762, 0.74), (1.37, 0.762, 0.76), top)]
        lines += [slab((0, y - 0.01, 0.7605), (1.37, y + 0.01, 0.762), white) for y in (-0.75, 0, 0.75)]
        return whole(
            [
                *lines,
                slab((1.35, -0.762, 0.7605), (1.37, 0.762, 0.762), white),
                mirrored(sweep([(1.15, 0.65, 0), (1.15, 0.65, 0.74)], 0.024, steel)),
                cylinder((1.15, -0.65, 0.2), (1.15, 0.65, 0.2), 0.016, steel),
            ]
        )

    net: Parts = [
        slab((-0.004, -0.9, 0.77), (0.004, 0.9, 0.9), f.matt((40, 46, 50))),
        slab((-0.006, -0.9, 0.9), (0.006, 0.9, 0.915), white),
    ]
    one, other = half(), turned(half(), "z", 180)
    if variant == 1:
        other = moved(turned(turned(half(), "z", 180), "y", 82, (0, 0, 0.75)), -0.04)
        return whole(
            [
                one,
                other,
                *[moved(wheel(0.06, 0.03, f.rubber(), steel), 0.1, y, 0.06) for y in (-0.5, 0.5)],
                mirrored(sweep([(0.05, 0.5, 0.05), (0.05, 0.5, 0.74)], 0.02, steel)),
                *net,
            ]
        )
    bats = [
        moved(
            [
                turned(lathe([(0, 0), (0.08, 0), (0.08, 0.012), (0, 0.012)], f.plastic(c)), "z", 0),
                capsule((0.07, 0, 0.006), (0.17, 0, 0.006), 0.014, f.wood(rng, "pine")),
            ],
            x,
            y,
            0.763,
        )
        for c, x, y in (((190, 30, 30), 0.7, 0.3), ((20, 20, 24), -0.8, -0.3))
    ]
    return whole([one, other, *net, *bats])


@kind(1)
def billiard_table(_variant: int, rng: Rng) -> Mesh:
    """A pool table with balls and cue."""
    return _billiard_table_family(0, rng)


@kind(1)
def table_football(_variant: int, rng: Rng) -> Mesh:
    """A table-football table."""
    return _billiard_table_family(1, rng)


def _billiard_table_family(variant: int, rng: Rng) -> Mesh:
    """A pool table with balls and cue, a table-football table."""
    wood = f.wood(rng, ("mahogany", "birch")[variant])
    if variant == 1:
        field = slab((-0.6, -0.34, 0.78), (0.6, 0.34, 0.8), f.matt((40, 130, 60)))
        walls: Parts = [slab((-0.66, s * 0.36 - 0.02, 0.6), (0.66, s * 0.36 + 0.02, 0.92), wood) for s in (1, -1)]
        walls += [slab((s * 0.64 - 0.02, -0.36, 0.6), (s * 0.64 + 0.02, 0.36, 0.92), wood) for s in (1, -1)]
        men: Parts = []
        for i, x in enumerate(np.linspace(-0.52, 0.52, 8)):
            men.append(cylinder((x, -0.6, 0.88), (x, 0.6, 0.88), 0.008, f.steel()))
            men.append(
                capsule((x, (0.62 if i % 2 else -0.62), 0.88), (x, (0.5 if i % 2 else -0.5), 0.88), 0.018, f.rubber())
            )
            men += [
                capsule(
                    (x, y, 0.83), (x, y, 0.93), 0.018, f.plastic((200, 40, 40) if i % 2 else (40, 70, 190)), detail=10
                )
                for y in np.linspace(-0.22, 0.22, 3)
            ]
        return whole([field, *walls, *men, legs(1.15, 0.6, 0.62, 0.045, wood)])
    cloth = f.matt((24, 110, 70))
    rails = [slab((-1.2, s * 0.66 - 0.07, 0.74), (1.2, s * 0.66 + 0.07, 0.84), wood) for s in (1, -1)]
    rails += [slab((s * 1.2 - 0.07, -0.73, 0.74), (s * 1.2 + 0.07, 0.73, 0.84), wood) for s in (1, -1)]
    balls = [
        ellipsoid(
            (0.55 + 0.05 * i, 0.03 * (2 * j - i), 0.81), 0.029, f.plastic(f.BRIGHT[(i * 3 + j) % 10], 0.1), detail=14
        )
        for i in range(5)
        for j in range(i + 1)
    ]
    cue = turned(sweep([(-1.1, 0, 0.86), (0.3, 0, 0.84)], [0.015, 0.006], f.wood(rng, "pine")), "z", 12)
    pockets = [
        ellipsoid((x, y, 0.82), (0.06, 0.06, 0.03), f.leather(rng, (30, 26, 26)), detail=12)
        for x in (-1.13, 0, 1.13)
        for y in (-0.6, 0.6)
    ]
    feet = [
        lathe([(0, 0), (0.07, 0), (0.05, 0.1), (0.09, 0.4), (0.08, 0.6), (0, 0.6)], wood, detail=16).transformed(
            np.array([[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        )
        for x in (-1.05, 1.05)
        for y in (-0.55, 0.55)
    ]
    return whole(
        [
            slab((-1.2, -0.66, 0.58), (1.2, 0.66, 0.78), wood),
            slab((-1.14, -0.6, 0.775), (1.14, 0.6, 0.785), cloth),
            *rails,
            *balls,
            cue,
            *pockets,
            *feet,
            ellipsoid((-0.6, -0.12, 0.815), 0.029, f.plastic((245, 245, 240), 0.1), detail=14),
        ]
    )
