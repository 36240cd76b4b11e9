"""Brass and wooden horns."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, block, curve, scaled, turned, whole
from caos.assets.modelling.shapes import capsule, cylinder, lathe, sweep


@kind(3, fallen=True)
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
