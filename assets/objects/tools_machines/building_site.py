"""Building site: ladders, cement mixers and cable drums."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, arc, block, mirrored, moved, ringed, slab, turned, wheel, whole
from caos.assets.modelling.shapes import cylinder, lathe, rounded_box, sweep


@kind(4, fallen=True)
def ladder(variant: int, rng: Rng) -> Mesh:
    """A step ladder, a wooden ladder on the ground, an aluminium A-ladder, a rope-tied orchard ladder."""
    if variant == 1:
        wood = f.wood(rng, "weathered")
        rails: Parts = [slab((-1.6, s * 0.22 - 0.025, 0), (1.6, s * (0.22) + 0.025, 0.07), wood) for s in (1, -1)]
        return whole(
            [
                *rails,
                *[cylinder((x, -0.22, 0.035), (x, 0.22, 0.035), 0.018, wood) for x in np.linspace(-1.45, 1.45, 11)],
            ]
        )
    rail: Material = (f.paint((236, 180, 30)), f.steel(), f.metal((200, 204, 208), 0.35), f.wood(rng, "pine"))[variant]
    height, steps = ((1.7, 5), (0, 0), (2.3, 8), (2.4, 8))[variant]
    parts: Parts = []
    for s in (1, -1):
        parts.append(sweep([(0.45, s * 0.28, 0), (0.05, s * 0.2, height)], 0.024, rail, detail=8))
        if variant != 3:
            parts.append(sweep([(-0.45, s * 0.28, 0), (-0.05, s * 0.2, height)], 0.02, rail, detail=8))
    for i in range(1, steps + 1):
        t = i / (steps + 0.5)
        x, z, w = 0.45 - 0.4 * t, height * t, 0.28 - 0.08 * t
        parts.append(
            block(
                x,
                0,
                z - 0.015,
                0.1 if variant == 0 else 0.05,
                2 * w,
                0.03,
                rail if variant != 0 else f.plastic((60, 60, 64)),
            )
        )
    parts += (
        [
            cylinder((-0.45 + 0.4 * t, -0.26, height * t), (-0.45 + 0.4 * t, 0.26, height * t), 0.012, rail)
            for t in (0.25, 0.6)
        ]
        if variant != 3
        else [
            sweep([(-0.75, 0, 0), (0.04, 0, height)], 0.026, rail),
            cylinder((0.04, -0.2, height), (0.04, 0.2, height), 0.025, rail),
        ]
    )
    if variant == 0:
        parts.append(block(0, 0, height, 0.24, 0.44, 0.03, f.plastic((60, 60, 64))))
    return whole(parts)


@kind(3)
def cement_mixer(variant: int, rng: Rng) -> Mesh:
    """A tilting drum on wheels: orange, yellow tipped forward, old and rusty."""
    color = ((230, 100, 30), (240, 190, 40), (120, 130, 120))[variant]
    drum_paint = f.rusty(rng, color, 0.35) if variant == 2 else f.paint(color)
    steel, dark = f.paint((50, 54, 60)), f.rubber()
    tilt = (52, 98, 40)[variant]
    drum = lathe(
        [
            (0, -0.36),
            (0.16, -0.36),
            (0.36, -0.16),
            (0.38, 0.1),
            (0.2, 0.46),
            (0.22, 0.5),
            (0.18, 0.48),
            (0.3, 0.08),
            (0, -0.1),
        ],
        drum_paint,
    )
    gear = lathe([(0.37, -0.06), (0.42, -0.06), (0.42, 0.02), (0.37, 0.02)], f.metal((70, 70, 74), 0.5), smooth=False)
    teeth = ringed(slab((0.41, -0.02, -0.06), (0.44, 0.02, 0.02), f.metal((70, 70, 74), 0.5)), 28)
    head = moved(turned([drum, gear, teeth], "y", tilt), 0.02, 0, 0.98)
    frame = mirrored(
        [
            sweep([(0.42, 0.3, 0.0), (0.02, 0.46, 0.98)], 0.028, steel),
            sweep([(-0.42, 0.3, 0.2), (0.02, 0.46, 0.98)], 0.028, steel),
        ]
    )
    wheels = mirrored(moved(wheel(0.2, 0.07, dark, f.paint((200, 200, 200))), -0.42, 0.34, 0.2))
    hand = moved(
        turned(
            [
                sweep(arc((0, 0, 0), 0.26, 0, 360, "xy", 28), 0.014, steel, caps=False),
                ringed(cylinder((0, 0, 0), (0.26, 0, 0), 0.01, steel, detail=6), 3),
            ],
            "x",
            90,
        ),
        0.02,
        0.6,
        0.98,
    )
    motor = rounded_box((-0.2, -0.66, 0.72), (0.14, -0.46, 1.1), 0.04, f.paint((60, 60, 66)))
    return whole(
        [
            head,
            frame,
            wheels,
            hand,
            motor,
            cylinder((-0.42, -0.34, 0.2), (-0.42, 0.34, 0.2), 0.02, steel),
            cylinder((0.42, -0.3, 0.03), (0.42, 0.3, 0.03), 0.025, steel),
        ]
    )


@kind(3, fallen=True)
def cable_drum(variant: int, rng: Rng) -> Mesh:
    """A wooden cable reel lying on its flange, a small one with red hose on a stand, a big one that stands."""
    wood = f.wood(rng, ("pine", "weathered", "oak")[variant])
    radius, width = (0.5, 0.3, 0.75)[variant], (0.5, 0.36, 0.8)[variant]
    flange = lathe([(0.06, 0), (radius, 0), (radius, 0.05), (0.06, 0.05), (0.06, 0)], wood, detail=40, smooth=False)
    planks = [
        slab((-radius * 0.96, -0.004 + y, -0.006), (radius * 0.96, 0.004 + y, 0.056), f.matt((60, 44, 30)))
        for y in np.linspace(-radius * 0.2, radius * 0.2, 3)
    ]
    core = lathe([(radius * 0.45, 0), (radius * 0.45, width)], wood)
    coils = [
        sweep(
            arc((0, 0, z), radius * (0.5 + 0.17 * k), 0, 360, "xy", 32),
            0.032,
            f.plastic(((30, 30, 32), (190, 40, 36), (36, 36, 40))[variant], 0.5),
            detail=8,
            caps=False,
        )
        for k in range(2)
        for z in np.arange(0.1, width - 0.04, 0.064)
    ]
    drum = whole([flange, *planks, moved(flange, z=width), core, *coils])
    if variant == 0:
        return drum
    lying = turned(drum, "x", 90)
    if variant == 2:
        return lying
    steel = f.paint((40, 60, 130))
    return whole(
        [
            moved(lying, 0, width / 2, 0.5),
            mirrored([sweep([(-0.3, 0.26, 0), (0, 0.26, 0.52), (0.3, 0.26, 0)], 0.02, steel)]),
            cylinder((0, -0.27, 0.5), (0, 0.27, 0.5), 0.02, steel),
        ]
    )
