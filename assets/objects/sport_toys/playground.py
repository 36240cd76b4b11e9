"""Playground: slides, swings and trampolines."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Parts,
    Rng,
    arc,
    block,
    curve,
    mirrored,
    moved,
    pad,
    ringed,
    slab,
    turned,
    whole,
)
from caos.assets.modelling.shapes import capsule, cylinder, lathe, loft, sweep


@kind(3)
def slide(variant: int, _rng: Rng) -> Mesh:
    """A garden slide with ladder, a straight steel slide, a spiral slide."""
    color = f.plastic(((220, 50, 40), (190, 196, 202), (250, 190, 30))[variant], 0.3) if variant != 1 else f.steel()
    frame = f.plastic((40, 100, 200)) if variant == 0 else f.paint((60, 130, 80))
    if variant == 2:
        t = np.linspace(0, 1.5 * 2 * np.pi, 40)
        mid = np.stack([0.6 * np.cos(t), 0.6 * np.sin(t), 2.0 - 1.8 * t / t[-1]], 1)
        out = np.stack([np.cos(t), np.sin(t), np.zeros(40)], 1)
        up = np.array([0, 0, 1.0])
        profile = [
            (-0.28, 0.22),
            (-0.26, 0.0),
            (0.26, 0.0),
            (0.28, 0.3),
            (0.31, 0.3),
            (0.29, -0.03),
            (-0.29, -0.03),
            (-0.31, 0.22),
        ]
        chute = loft(np.stack([mid + out * a + up * b for a, b in profile], 1), color, smooth=False)
        rungs = [cylinder((0.98, -0.2, z), (0.98, 0.2, z), 0.016, frame) for z in np.arange(0.25, 2.0, 0.28)]
        rails = [cylinder((0.98, y, 0), (0.98, y, 2.6), 0.024, frame) for y in (-0.2, 0.2)]
        return whole(
            [
                chute,
                cylinder((0, 0, 0), (0, 0, 2.3), 0.05, frame),
                *rungs,
                *rails,
                *[cylinder((0, 0, z), tuple(mid[i]), 0.018, frame) for i, z in ((8, 1.6), (20, 1.05), (32, 0.5))],
            ]
        )
    height = (1.2, 1.9)[variant]
    wave = 0.05 if variant == 0 else 0.0
    path = curve(
        [
            (-0.1 * height, 0, height),
            (0.15 * height, 0, height * 0.94),
            (0.75 * height, 0, height * 0.48 + wave),
            (1.25 * height, 0, 0.16),
            (1.5 * height, 0, 0.14),
        ],
        24,
    )
    step = np.gradient(path, axis=0)
    normal = np.stack([-step[:, 2], np.zeros(24), step[:, 0]], 1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    side = np.array([0, 1.0, 0])
    profile = [
        (0.26, 0.14),
        (0.25, 0.0),
        (-0.25, 0.0),
        (-0.26, 0.14),
        (-0.29, 0.14),
        (-0.28, -0.03),
        (0.28, -0.03),
        (0.29, 0.14),
    ]
    chute = loft(np.stack([path + side * a + normal * b for a, b in profile], 1), color, smooth=False)
    steps = [
        block(-0.1 * height - 0.5 * height * (1 - t), 0, height * t - 0.03, 0.12, 0.44, 0.03, frame)
        for t in np.linspace(0.15, 0.92, 5 if variant == 0 else 7)
    ]
    side_rails = mirrored(
        [
            sweep(
                [
                    (-0.62 * height, 0.24, 0),
                    (-0.1 * height, 0.24, height),
                    (-0.1 * height, 0.24, height + 0.4),
                    (0.1 * height, 0.24, height + 0.3),
                ],
                0.024,
                frame,
            ),
            sweep([(0.1 * height, 0.24, 0), (0.05, 0.24, height * 0.95)], 0.024, frame),
        ]
    )
    return whole([chute, *steps, side_rails])


@kind(3)
def trampoline(variant: int, rng: Rng) -> Mesh:
    """A round trampoline, a square one, a small bouncer with a handle bar."""
    steel, mat = f.steel(), f.fabric(rng, (24, 26, 30))
    cover = f.plastic(((40, 110, 210), (40, 150, 80), (220, 90, 40))[variant], 0.5)
    radius, height = (1.5, 1.2, 0.55)[variant], (0.75, 0.7, 0.25)[variant]
    corners = 4 if variant == 1 else 40
    start = 45 if variant == 1 else 0
    disc = lathe(
        [(0, height - 0.02), (radius * 0.84, height - 0.02), (radius * 0.84, height), (0, height)],
        mat,
        detail=corners,
        smooth=False,
    )
    edge = lathe(
        [
            (radius * 0.82, height - 0.04),
            (radius * 1.02, height - 0.04),
            (radius * 1.02, height + 0.03),
            (radius * 0.82, height + 0.02),
            (radius * 0.82, height - 0.04),
        ],
        cover,
        detail=corners,
        smooth=False,
    )
    feet = 4 if variant == 1 else 6
    leg = sweep(
        curve([(radius * 0.98, 0.0, height), (radius, 0.0, 0.04), (radius * 0.9, 0.25 * radius, 0.03)], 10),
        0.024,
        steel,
    )
    parts: Parts = [
        turned([disc, edge], "z", start),
        ringed([leg, leg.transformed(np.diag([1, -1, 1, 1]))], feet, start),
    ]
    if variant == 0:
        net = f.plastic((60, 64, 70))
        posts = ringed(capsule((radius, 0, height), (radius, 0, height + 1.5), 0.035, f.plastic((40, 110, 210))), 6)
        strings = [
            sweep(arc((0, 0, z), radius * 0.98, 0, 360, "xy", 36), 0.005, net, detail=4, caps=False)
            for z in np.linspace(height + 0.25, height + 1.45, 7)
        ]
        parts += [
            posts,
            *strings,
            ringed(cylinder((radius * 0.98, 0, height), (radius * 0.98, 0, height + 1.45), 0.004, net, detail=4), 48),
        ]
    if variant == 2:
        parts.append(
            sweep(
                curve(
                    [
                        (0.5, 0.3, 0.05),
                        (0.52, 0.28, 0.9),
                        (0.52, 0.2, 1.0),
                        (0.52, -0.2, 1.0),
                        (0.52, -0.28, 0.9),
                        (0.5, -0.3, 0.05),
                    ],
                    30,
                ),
                0.017,
                f.rubber(),
            )
        )
    return whole(parts)


@kind(3)
def swing(variant: int, rng: Rng) -> Mesh:
    """A wooden swing, a metal double swing, a hanging garden couch."""
    frame: Material = (f.wood(rng, "pine"), f.paint((200, 50, 44)), f.paint((60, 90, 70)))[variant]
    width, height = ((1.6, 2.0), (2.4, 2.1), (2.0, 1.75))[variant]
    side = [sweep([(s * 0.75, 0, 0), (0, 0, height)], 0.045, frame) for s in (1, -1)]
    parts: Parts = [
        mirrored(
            moved([*side, cylinder((-0.42, 0, height * 0.45), (0.42, 0, height * 0.45), 0.03, frame)], y=width / 2)
        ),
        cylinder((0, -width / 2, height), (0, width / 2, height), 0.05, frame),
    ]
    rope = f.matt((206, 190, 150)) if variant == 0 else f.steel()
    if variant == 2:
        cloth = f.striped(rng, [(70, 130, 90), (236, 232, 214)], per_m=6)
        parts += [
            pad(0.02, 0, 0.45, 0.5, 1.5, 0.12, cloth, 0.2),
            turned(pad(-0.25, 0, 0.5, 0.12, 1.5, 0.5, cloth, 0.25), "y", -12, (-0.25, 0, 0.5)),
            mirrored(
                [
                    sweep([(0.2, 0.78, 0.5), (0, 0.78, height)], 0.012, rope),
                    sweep([(-0.3, 0.78, 0.6), (0, 0.78, height)], 0.012, rope),
                ]
            ),
        ]
        parts.append(turned(slab((-0.7, -width / 2, height + 0.1), (0.7, width / 2, height + 0.13), cloth), "y", 6))
        return whole(parts)
    seats = (0.0,) if variant == 0 else (-0.55, 0.55)
    for k, y in enumerate(seats):
        shift = 0.35 * k
        parts += [
            block(
                shift,
                y,
                0.48 + 0.05 * k,
                0.2,
                0.44,
                0.03,
                f.wood(rng, "oak") if variant == 0 else f.plastic((240, 190, 30)),
            ),
            *[sweep([(shift, y + s * 0.2, 0.5), (0, y + s * 0.2, height)], 0.011, rope, detail=6) for s in (1, -1)],
        ]
    return whole(parts)
