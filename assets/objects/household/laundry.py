"""Ironing boards, clothes racks, coat stands, buckets and watering cans."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, Part, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, arc, curve, mirrored, moved, pad, ringed, turned, whole
from caos.assets.modelling.shapes import cylinder, ellipsoid, extrude, lathe, sweep


@kind(2, fallen=True)
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


@kind(1, fallen=True)
def clothes_rack(_variant: int, rng: Rng) -> Mesh:
    """A rail with coats on hangers."""
    return _clothes_rack_family(0, rng)


@kind(1, fallen=True)
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


@kind(2, fallen=True)
def bucket(variant: int, rng: Rng) -> Mesh:
    """A zinc bucket, a plastic one with a mop."""
    return _bucket_family(variant, rng)


@kind(1, fallen=True)
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
            translation(0.4, 0, 0.4)
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
