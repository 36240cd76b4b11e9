"""Gramophones, jukeboxes, radios and loudspeakers."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, arc, block, curve, moved, ringed, scaled, slab, turned, whole
from caos.assets.modelling.plates import facing_plate
from caos.assets.modelling.shapes import cylinder, ellipsoid, lathe, rounded_box, sweep


@kind(1)
def gramophone(_variant: int, rng: Rng) -> Mesh:
    """A horn gramophone."""
    return _gramophone_family(0, rng)


@kind(1)
def jukebox(_variant: int, rng: Rng) -> Mesh:
    """A jukebox."""
    return _gramophone_family(1, rng)


@kind(1)
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
    cabinet = facing_plate(outline, 0.5, wood, 0.25)
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
            facing_plate(arc((0, 0, 1.0), 0.28, 0, 180, "yz", 16)[:, 1:], 0.01, f.glass(), 0.265),
            slab((0.25, -0.25, 0.62), (0.29, 0.25, 0.9), f.plastic((240, 236, 220))),
            *[slab((0.25, -0.24 + 0.08 * i, 0.15), (0.275, -0.2 + 0.08 * i, 0.55), chrome) for i in range(7)],
        ]
    )


@kind(3, fallen=True)
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
