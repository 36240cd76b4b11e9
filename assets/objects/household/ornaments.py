"""Clocks, birdcages and carpets."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh, Part, translation
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, arc, block, curve, mirrored, moved, ringed, slab, turned, whole
from caos.assets.modelling.shapes import cylinder, ellipsoid, extrude, lathe, loft, sweep


@kind(3, fallen=True)
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


@kind(2, fallen=True)
def grandfather_clock(variant: int, rng: Rng) -> Mesh:
    """A long-case clock with pendulum, a slim painted one."""
    return _grandfather_clock_family(variant, rng)


@kind(1, fallen=True)
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
        ).transformed(translation(0, 0.22, 0.86))
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


@kind(3, fallen=True)
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
