"""Sport and toys."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assets import finishes as f
from assets.bodies import Body, Head, horn
from assets.craft import (
    Pattern,
    Points,
    arc,
    block,
    curve,
    legs,
    mirrored,
    moved,
    pad,
    painted,
    ringed,
    scaled,
    slab,
    turned,
    wheel,
    whole,
)
from assets.kinds import kind
from assets.mesh import Material, Mesh, Part
from assets.shapes import capsule, cylinder, ellipsoid, extrude, lathe, loft, rounded_box, sweep

Rng = np.random.Generator
Parts = list[Mesh | Part]


@kind("sport_toys", 6)
def ball(variant: int, rng: Rng) -> Mesh:
    """A football, beach ball, basketball, gym ball, tennis ball (giant) and rugby ball."""
    radius = (0.32, 0.3, 0.26, 0.38, 0.3, 0.3)[variant]
    sphere = ellipsoid((0, 0, radius), (radius, radius, radius), f.plastic((240, 240, 240)), detail=64, rings=40)
    center = np.array([0, 0, radius])
    if variant == 0:
        return whole(
            _seamed(
                sphere,
                _ramp([(0, (24, 24, 26)), (0.49, (24, 24, 26)), (0.51, (240, 240, 238)), (1, (240, 240, 238))]),
                _football(center),
                at=0.5,
            )
        )
    if variant == 1:
        stripes: Parts = []
        colors = [(220, 40, 40), (244, 244, 240), (250, 200, 30), (244, 244, 240), (40, 110, 210), (244, 244, 240)]
        for k, color in enumerate(colors):
            a = np.radians(np.linspace(60 * k, 60 * k + 60, 9))
            t = np.linspace(-np.pi / 2, np.pi / 2, 17)
            rows = np.stack(
                [np.stack([np.cos(s) * np.cos(a), np.cos(s) * np.sin(a), np.full(9, np.sin(s))], 1) for s in t]
            )
            stripes.append(loft(rows * radius + center, f.plastic(color, 0.2), closed=False, caps=False))
        return whole(
            [
                *stripes,
                lathe(
                    [(0, 2 * radius - 0.004), (0.05, 2 * radius - 0.004), (0, 2 * radius + 0.004)],
                    f.plastic((240, 240, 240)),
                ),
            ]
        )
    if variant == 2:
        seams = _ramp([(0, (24, 20, 18)), (0.14, (24, 20, 18)), (0.2, (206, 96, 36)), (1, (214, 104, 42))], shiny=False)

        def lines(p: Points) -> Points:
            d = (p - center) / radius
            out: Points = (
                np.minimum.reduce(
                    [np.abs(d[:, 0]), np.abs(d[:, 1]), np.abs(np.abs(d[:, 2]) - 0.35 - 0.5 * d[:, 1] ** 2)]
                )
                * 5
            )
            return out

        return whole(_seamed(sphere, seams, lines, at=0.0))
    if variant == 3:
        rings = [
            sweep(
                arc((0, 0, radius + h), float(np.sqrt(radius**2 - h**2)), 0, 360, "xy", 48),
                0.008,
                f.plastic((60, 120, 190), 0.3),
                detail=6,
                caps=False,
            )
            for h in np.linspace(-0.3, 0.3, 7)
        ]
        return whole(
            [ellipsoid((0, 0, radius), (radius, radius, radius), f.plastic((70, 140, 210), 0.3), detail=40), *rings]
        )
    if variant == 4:
        seam = _ramp(
            [(0, (240, 240, 230)), (0.1, (240, 240, 230)), (0.16, (200, 220, 50)), (1, (206, 226, 60))], shiny=False
        )

        def curve_line(p: Points) -> Points:
            d = (p - center) / radius
            out: Points = np.abs(d[:, 2] - 0.55 * (d[:, 0] ** 2 - d[:, 1] ** 2)) * 4
            return out

        return whole(_seamed(sphere, seam, curve_line, at=0.0))
    rugby = lathe(
        [(0.17 * np.sin(t) ** 0.8, -0.3 * np.cos(t)) for t in np.linspace(0.02, np.pi - 0.02, 24)],
        f.leather(rng, (150, 70, 36)),
    )
    laces = [block(0.168, 0, z, 0.012, 0.06, 0.012, f.matt((240, 240, 236))) for z in np.linspace(-0.08, 0.08, 6)]
    bands = [
        lathe(
            [
                (0.17 * np.sqrt(1 - (z / 0.3) ** 2) + 0.003, z - 0.012),
                (0.17 * np.sqrt(1 - (z / 0.3) ** 2) + 0.003, z + 0.012),
            ],
            f.matt((240, 240, 236)),
        )
        for z in (-0.19, 0.19)
    ]
    return turned([rugby, *laces, *bands], "y", -70)


def _seamed(sphere: Part, look: Material, pattern: Pattern, *, at: float) -> Part:
    """The ball painted, with a groove where the pattern has the value ``at``."""
    value = pattern(sphere.vertices.astype(np.float64))
    groove = np.exp(-(((value - at) / 0.12) ** 2))[:, None]
    middle = sphere.vertices.mean(axis=0)
    pressed = middle + (sphere.vertices - middle) * (1 - 0.02 * groove)
    return painted(replace(sphere, vertices=pressed.astype(np.float32)), look, pattern)


def _ramp(stops: list[tuple[float, f.Color]], *, shiny: bool = True) -> Material:
    return f.coat(np.random.default_rng(7), stops, shiny=shiny)


def _football(center: np.ndarray) -> Pattern:
    g = (1 + np.sqrt(5)) / 2
    axes = np.array(
        [(0, s, t * g) for s in (1, -1) for t in (1, -1)]
        + [(s, t * g, 0) for s in (1, -1) for t in (1, -1)]
        + [(t * g, 0, s) for s in (1, -1) for t in (1, -1)]
    )
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)

    def value(p: Points) -> Points:
        d = (p - center) / np.linalg.norm(p - center, axis=1, keepdims=True)
        out: Points = 0.5 + 6 * (0.93 - (d @ axes.T).max(1))
        return out

    return value


@kind("sport_toys", 4)
def teddy_bear(variant: int, rng: Rng) -> Mesh:
    """A sitting teddy bear: brown, cream with a bow, a pink one on its back, a giant dark one with a scarf."""
    color = ((164, 106, 56), (226, 200, 160), (226, 150, 170), (92, 60, 40))[variant]
    plush, light = f.fur(rng, color, 0.35), f.fur(rng, tuple(min(c + 60, 245) for c in color), 0.3)
    body = Body().ball((0, 0, 0.24), (0.2, 0.2, 0.24))
    head = Head(np.array([0.03, 0, 0.6]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.26, 0.19, 0.08)
    body.ball(head.at, (0.18, 0.2, 0.18)).ball(head.at + (-0.02, 0.15, 0.15), (0.045, 0.07, 0.07), both=True)
    body.chain([(0.02, 0.15, 0.38), (0.14, 0.27, 0.26)], (0.08, 0.075), both=True)
    body.chain([(0.06, 0.12, 0.09), (0.3, 0.2, 0.09)], (0.1, 0.09), both=True)
    skin = body.skin(plush, cell_m=0.022, soft=0.03)
    soles = mirrored(ellipsoid((0.375, 0.2, 0.1), (0.03, 0.07, 0.08), light, detail=14))
    snout = ellipsoid(head.at + (0.17, 0, -0.04), (0.07, 0.08, 0.065), light, detail=16)
    tummy = ellipsoid((0.1, 0, 0.24), (0.12, 0.14, 0.17), light, detail=18)
    face: Parts = [
        mirrored(ellipsoid(head.at + (0.165, 0.075, 0.05), 0.02, f.plastic((16, 14, 14), 0.1), detail=10)),
        ellipsoid(head.at + (0.235, 0, -0.015), (0.02, 0.03, 0.022), f.plastic((20, 18, 18), 0.2), detail=10),
    ]
    parts: Parts = [skin, soles, snout, tummy, *face]
    if variant in (1, 2):
        parts += [
            mirrored(ellipsoid((0.18, 0.07, 0.44), (0.03, 0.07, 0.045), f.fabric(rng, (190, 30, 50)), detail=12)),
            ellipsoid((0.19, 0, 0.44), 0.028, f.fabric(rng, (190, 30, 50)), detail=10),
        ]
    if variant == 3:
        parts.append(
            sweep(
                arc((0.02, 0, 0.44), 0.17, 0, 360, "xy", 28),
                0.04,
                f.striped(rng, [(200, 40, 40), (240, 230, 210)], per_m=3),
                caps=False,
            )
        )
    mesh = scaled(parts, (1.0, 1.3, 1.1, 2.0)[variant])
    return turned(mesh, "y", -90) if variant == 2 else mesh


@kind("sport_toys", 3, fallen=True)
def rocking_horse(variant: int, rng: Rng) -> Mesh:
    """A painted rocking horse, a plain wooden one, a plush one."""
    hide = (f.paint((226, 220, 206)), f.wood(rng, "pine"), f.fur(rng, (176, 116, 66)))[variant]
    rail = (f.paint((190, 40, 40)), f.wood(rng, "oak"), f.wood(rng, "birch"))[variant]
    fat = (0.13, 0.1, 0.18)[variant]
    body = (
        Body()
        .rod((0.2, 0, 0.62), (-0.22, 0, 0.6), fat, fat)
        .chain([(0.24, 0, 0.66), (0.38, 0, 0.92), (0.42, 0, 1.0)], (0.1, 0.075, 0.07))
    )
    body.rod((0.42, 0, 1.0), (0.58, 0, 0.9), 0.075, 0.045).rod(
        (0.4, 0.035, 1.05), (0.39, 0.045, 1.13), 0.02, 0.008, both=True
    )
    body.chain([(0.2, 0.08, 0.58), (0.36, 0.13, 0.36), (0.42, 0.16, 0.14)], (0.065, 0.042, 0.04), both=True)
    body.chain([(-0.22, 0.08, 0.58), (-0.34, 0.13, 0.36), (-0.42, 0.16, 0.14)], (0.075, 0.045, 0.04), both=True)
    skin = body.skin(hide, cell_m=0.02, soft=0.04)
    hair = f.fur(rng, (60, 40, 26)) if variant != 1 else f.straw(rng)
    mane = Body()
    for t in np.linspace(0, 1, 7):
        c = np.array([0.2 + 0.17 * t, 0, 0.76 + 0.32 * t])
        mane.rod(c, c + (-0.04, 0.03, -0.07), 0.03, 0.015)
    mane.chain([(-0.34, 0, 0.66), (-0.46, 0, 0.6), (-0.5, 0, 0.38)], (0.03, 0.04, 0.015))
    runners = mirrored(moved(sweep(arc((0, 0, 1.25), 1.22, -122, -58, "xz", 20), 0.03, rail), y=0.18))
    bars = [block(x, 0, 0.1, 0.07, 0.42, 0.03, rail) for x in (0.4, -0.4)]
    saddle = pad(-0.02, 0, 0.66, 0.28, 0.3, 0.12, f.leather(rng, (150, 36, 36)), 0.6)
    eye = mirrored(ellipsoid((0.47, 0.06, 1.0), 0.018, f.plastic((12, 12, 12), 0.1), detail=8))
    return whole(
        [
            skin,
            mane.skin(hair, cell_m=0.018, soft=0.02),
            runners,
            *bars,
            saddle,
            eye,
            cylinder((0.36, -0.16, 0.9), (0.36, 0.16, 0.9), 0.015, rail),
        ]
    )


@kind("sport_toys", 3)
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


@kind("sport_toys", 3)
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


@kind("sport_toys", 2)
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


@kind("sport_toys", 3)
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


@kind("sport_toys", 3)
def toy_blocks(variant: int, rng: Rng) -> Mesh:
    """A tower of coloured cubes, a giant studded brick castle, a stacking-ring toy."""
    if variant == 2:
        return _ring_tower(rng)
    parts: Parts = []
    if variant == 0:
        size = 0.26
        for x, y, z, k in (
            (0, 0, 0, 0),
            (0, 1.05, 0, 1),
            (0, -1.05, 0, 2),
            (0, 0.5, 1, 3),
            (0, -0.5, 1, 4),
            (0, 0.05, 2, 5),
        ):
            cube = turned(
                rounded_box((-size / 2, -size / 2, 0), (size / 2, size / 2, size), 0.02, f.wood(rng, "pine")),
                "z",
                float(rng.uniform(-14, 14)),
            )
            face = [
                turned(
                    moved(
                        slab(
                            (size / 2, -size * 0.36, size * 0.14),
                            (size / 2 + 0.006, size * 0.36, size * 0.86),
                            f.paint(f.BRIGHT[k]),
                        ),
                        0,
                    ),
                    "z",
                    90 * i,
                )
                for i in range(4)
            ]
            parts.append(moved([cube, *[turned(p, "z", 0) for p in face]], x * size, y * size, z * size))
        return whole(parts)
    unit = 0.16
    for x, y, z, nx, ny, k in (
        (0, -2, 0, 2, 4, 0),
        (0, 2, 0, 2, 4, 1),
        (0, 0, 1, 2, 4, 2),
        (0, -3, 1, 2, 2, 3),
        (0, 3, 1, 2, 2, 4),
        (0, -2, 2, 2, 2, 5),
        (0, 2, 2, 2, 2, 6),
    ):
        plastic = f.plastic(f.BRIGHT[k], 0.2)
        parts.append(block(x * unit, y * unit, z * 0.19, nx * unit - 0.004, ny * unit - 0.004, 0.19, plastic))
        for i in range(nx):
            for j in range(ny):
                at = ((x + i - (nx - 1) / 2) * unit, (y + j - (ny - 1) / 2) * unit, (z + 1) * 0.19)
                parts.append(cylinder(at, (at[0], at[1], at[2] + 0.035), 0.048, plastic, detail=14))
    return whole(parts)


def _ring_tower(_rng: Rng) -> Mesh:
    """A stacking-ring toy."""
    rings = [
        sweep(
            arc((0, 0, 0.12 + 0.16 * i), 0.3 - 0.04 * i, 0, 360, "xy", 36),
            0.085,
            f.plastic(f.BRIGHT[i], 0.25),
            detail=14,
            caps=False,
        )
        for i in range(5)
    ]
    return whole(
        [
            lathe([(0, 0), (0.36, 0), (0.36, 0.06), (0, 0.06)], f.plastic((250, 220, 60))),
            sweep([(0, 0, 0), (0, 0, 0.95)], [0.08, 0.04], f.plastic((240, 240, 236))),
            *rings,
            ellipsoid((0, 0, 0.95), 0.1, f.plastic((220, 40, 40), 0.25), detail=20),
        ]
    )


@kind("sport_toys", 3)
def rubber_duck(variant: int, rng: Rng) -> Mesh:
    """A giant rubber duck, one with a top hat, a pirate one."""
    yellow, orange = f.plastic((250, 206, 40), 0.25), f.plastic((240, 120, 30), 0.3)
    body = (
        Body()
        .ball((0, 0, 0.3), (0.46, 0.34, 0.3))
        .rod((-0.35, 0, 0.4), (-0.56, 0, 0.56), 0.12, 0.03)
        .ball((-0.04, 0.3, 0.36), (0.24, 0.07, 0.15), both=True)
    )
    body.rod((0.22, 0, 0.45), (0.22, 0, 0.62), 0.18).ball((0.22, 0, 0.76), 0.25)
    beak = Body().ball((0.5, 0, 0.72), (0.12, 0.13, 0.035)).ball((0.47, 0, 0.68), (0.1, 0.1, 0.03))
    eye = mirrored(
        [
            ellipsoid((0.41, 0.11, 0.84), (0.03, 0.045, 0.06), f.plastic((250, 250, 250), 0.1), detail=12),
            ellipsoid((0.435, 0.115, 0.84), (0.015, 0.025, 0.035), f.plastic((16, 16, 16), 0.1), detail=10),
        ]
    )
    parts: Parts = [body.skin(yellow, cell_m=0.032, soft=0.07), beak.skin(orange, cell_m=0.02, soft=0.02), eye]
    if variant == 1:
        parts.append(
            moved(
                lathe(
                    [(0, 0), (0.28, 0), (0.28, 0.02), (0.17, 0.03), (0.18, 0.34), (0, 0.34)],
                    f.fabric(rng, (30, 28, 34)),
                    smooth=False,
                ),
                0.2,
                0,
                0.96,
            )
        )
        parts.append(
            moved(
                lathe([(0.173, 0.03), (0.178, 0.03), (0.18, 0.1), (0.173, 0.1)], f.fabric(rng, (190, 40, 50))),
                0.2,
                0,
                0.96,
            )
        )
    if variant == 2:
        parts += [
            ellipsoid((0.2, 0, 0.88), (0.26, 0.265, 0.16), f.fabric(rng, (190, 30, 36)), detail=24),
            lathe([(0, 0), (0.07, 0), (0, 0.02)], f.matt((20, 20, 22))).transformed(
                np.array([[0, 0, 1, 0.43], [1, 0, 0, 0.11], [0, 1, 0, 0.84], [0, 0, 0, 1.0]])
            ),
        ]
    return scaled(parts, (1.0, 1.15, 0.85)[variant])


@kind("sport_toys", 1)
def treadmill(_variant: int, rng: Rng) -> Mesh:
    """A running machine."""
    return _treadmill_family(0, rng)


@kind("sport_toys", 1)
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


@kind("sport_toys", 2)
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


@kind("sport_toys", 1)
def billiard_table(_variant: int, rng: Rng) -> Mesh:
    """A pool table with balls and cue."""
    return _billiard_table_family(0, rng)


@kind("sport_toys", 1)
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


@kind("sport_toys", 3)
def swim_ring(variant: int, _rng: Rng) -> Mesh:
    """A striped swim ring, an inflatable flamingo, a lifebuoy."""
    if variant == 1:
        pink = f.plastic((244, 130, 160), 0.25)
        neck = curve([(0.45, 0, 0.2), (0.62, 0, 0.5), (0.42, 0, 0.8), (0.55, 0, 1.02), (0.7, 0, 0.95)], 16)
        parts: Parts = [
            sweep(arc((0, 0, 0.18), 0.5, 0, 360, "xy", 40), 0.18, pink, detail=16, caps=False),
            sweep(neck, np.linspace(0.13, 0.09, 16), pink, detail=14),
            ellipsoid(neck[-1], (0.13, 0.1, 0.1), pink, detail=16),
            horn(
                [neck[-1] + (0.08, 0, 0), neck[-1] + (0.2, 0, -0.02), neck[-1] + (0.2, 0, -0.12)],
                0.06,
                f.plastic((30, 28, 30)),
            ),
        ]
        return whole(
            [
                *parts,
                mirrored(ellipsoid(neck[-1] + (0.06, 0.08, 0.03), 0.022, f.plastic((16, 16, 16)), detail=8)),
                mirrored(ellipsoid((-0.25, 0.55, 0.32), (0.28, 0.08, 0.14), pink, detail=16)),
                sweep([(-0.62, 0, 0.2), (-0.85, 0, 0.45)], [0.1, 0.02], pink),
            ]
        )
    colors = [(230, 60, 50), (246, 244, 238)] if variant == 0 else [(236, 100, 30), (244, 242, 236)]
    count = 8
    radius, tube = ((0.42, 0.15), (0.36, 0.085))[variant == 2]
    rings = [
        sweep(
            arc((0, 0, tube), radius, 360 * k / count, 360 * (k + 1) / count, "xy", 9),
            tube,
            f.plastic(colors[k % 2], 0.3),
            detail=18,
            caps=False,
        )
        for k in range(count)
    ]
    if variant == 2:
        rope = [
            sweep(
                curve(
                    [
                        (0.42 * np.cos(a), 0.42 * np.sin(a), tube),
                        (0.56 * np.cos(a + 0.78), 0.56 * np.sin(a + 0.78), tube),
                        (0.42 * np.cos(a + 1.57), 0.42 * np.sin(a + 1.57), tube),
                    ],
                    12,
                ),
                0.014,
                f.matt((226, 220, 200)),
                detail=6,
            )
            for a in np.linspace(0, 2 * np.pi, 4, endpoint=False)
        ]
        return turned([*rings, *rope], "y", -74)
    return whole(rings)


@kind("sport_toys", 3)
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


@kind("sport_toys", 2)
def bowling_pins(variant: int, _rng: Rng) -> Mesh:
    """Ten bowling pins with a ball, and one giant pin."""
    white, red = f.plastic((244, 240, 230), 0.2), f.plastic((200, 30, 34), 0.25)
    outline = curve(
        [(0.026, 0), (0.06, 0.12), (0.04, 0.22), (0.024, 0.26), (0.034, 0.33), (0.028, 0.37), (0.0, 0.38)], 26
    )
    pin = whole(
        [
            lathe([(0, 0), *[(max(r, 0.0), z) for r, z in outline]], white, detail=20),
            *[
                lathe([(r, z), (r + 0.002, z), (r + 0.002, z + 0.012), (r, z + 0.012)], red, detail=20)
                for r, z in ((0.0255, 0.245), (0.0262, 0.27))
            ],
        ]
    )
    if variant == 1:
        return scaled(pin, 3.6)
    pins = [moved(scaled(pin, 1.6), 0.4 * i * 0.87, 0.4 * (j - i / 2), 0) for i in range(3) for j in range(i + 1)]
    ball_mesh = ellipsoid((-0.7, 0.1, 0.17), (0.17, 0.17, 0.17), f.plastic((40, 30, 90), 0.08), detail=28)
    holes = [
        ellipsoid((-0.7 + dx, 0.1 + dy, 0.333), (0.02, 0.02, 0.012), f.matt((10, 10, 10)), detail=8)
        for dx, dy in ((-0.03, 0.0), (0.03, 0.03), (0.03, -0.03))
    ]
    fallen = moved(turned(scaled(pin, 1.6), "y", 90), 0.2, -0.6, 0.09)
    return whole([*pins, ball_mesh, *holes, fallen])


@kind("sport_toys", 4)
def tent(variant: int, rng: Rng) -> Mesh:
    """A dome tent, a ridge tent, a tipi, a striped circus-like pavilion."""
    if variant == 0:
        return _dome_tent(rng)
    if variant == 1:
        return _ridge_tent(rng)
    if variant == 2:
        return _tipi(rng)
    colors = [f.fabric(rng, (196, 30, 40)), f.fabric(rng, (244, 240, 226))]
    sides = 12
    panels: Parts = []
    for k in range(sides):
        turn = 2 * np.pi * np.array([k, k + 1]) / sides
        ring = np.stack([np.cos(turn), np.sin(turn)], 1)
        rows = [(1.3, 0.0), (1.3, 1.3), (1.42, 1.32), (0.5, 1.95), (0.04, 2.6)]
        panels.append(
            loft(
                np.stack([np.concatenate([ring * r, np.full((2, 1), z)], 1) for r, z in rows]),
                colors[k % 2],
                closed=False,
                caps=False,
                smooth=False,
            )
        )
    flag = [
        cylinder((0, 0, 2.55), (0, 0, 3.0), 0.015, f.brass()),
        slab((0, -0.005, 2.8), (0.35, 0.005, 2.98), f.fabric(rng, (250, 200, 40))),
    ]
    return whole([*panels, *flag, block(1.28, 0, 0, 0.06, 0.6, 1.1, f.matt((30, 20, 24)))])


def _tipi(rng: Rng) -> Mesh:
    """A tipi."""
    hide = f.leather(rng, (214, 190, 150))
    cone = lathe([(1.2, 0.0), (0.1, 2.3)], hide, detail=24)
    inside = lathe([(0.1, 2.29), (1.19, 0.0)], hide, detail=24)
    spars = ringed(sweep([(1.15, 0, 0.05), (-0.22, 0, 2.75)], 0.022, f.wood(rng, "oak")), 9)
    door = extrude(np.array([(-0.3, 0.0), (0.3, 0.0), (0.0, 1.1)]), 0, 0.012, f.matt((46, 36, 30))).transformed(
        np.array([[0, -0.43, 0.9, 1.2], [1, 0, 0, 0], [0, 0.9, 0.43, 0], [0, 0, 0, 1.0]])
    )
    band = [
        lathe([(1.205 - 0.478 * z, z), (1.205 - 0.478 * (z + 0.1), z + 0.1)], f.fabric(rng, c), detail=24)
        for z, c in ((0.25, (170, 50, 40)), (1.5, (40, 80, 120)))
    ]
    return whole([cone, inside, spars, door, *band])


def _ridge_tent(rng: Rng) -> Mesh:
    """A ridge tent."""
    cloth, dark = f.fabric(rng, (120, 128, 84)), f.fabric(rng, (52, 54, 40))
    roof = [
        turned(slab((-1.1, -0.005, 0), (1.1, 0.005, 1.55), cloth), "x", s * 40, (0, 0, 1.5)).transformed(
            np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.0], [0, 0, 0, 1.0]])
        )
        for s in (1, -1)
    ]
    gable = extrude(np.array([(-0.95, 0.37), (0.95, 0.37), (0, 1.5)]), -1.04, -1.03, cloth).transformed(
        np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    )
    flap = extrude(np.array([(-0.95, 0.37), (-0.3, 0.37), (0, 1.5)]), 1.02, 1.03, cloth).transformed(
        np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    )
    back = extrude(np.array([(-0.9, 0.38), (0.9, 0.38), (0, 1.45)]), 0.4, 0.41, dark).transformed(
        np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    )
    stick = [cylinder((s * 1.08, 0, 0.3), (s * 1.08, 0, 1.58), 0.02, f.wood(rng, "pine")) for s in (1, -1)]
    lines = [sweep([(s * 1.08, 0, 1.5), (s * 1.9, 0, 0.34)], 0.006, f.matt((230, 226, 210)), detail=5) for s in (1, -1)]
    return whole([*roof, gable, flap, flap.transformed(np.diag([1, -1, 1, 1])), back, *stick, *lines])


def _dome_tent(rng: Rng) -> Mesh:
    """A dome tent."""
    a, b = f.fabric(rng, (236, 120, 30)), f.fabric(rng, (90, 100, 110))
    sections = [
        np.stack(
            [x + np.zeros(15), w * np.cos(np.linspace(0, np.pi, 15)), h * np.sin(np.linspace(0, np.pi, 15)) ** 0.8],
            1,
        )
        for x, w, h in (
            (-1.25, 0.2, 0.15),
            (-1.0, 0.75, 0.75),
            (-0.5, 1.0, 1.15),
            (0, 1.08, 1.25),
            (0.5, 1.0, 1.15),
            (1.0, 0.75, 0.8),
            (1.3, 0.3, 0.2),
        )
    ]
    dome = [
        loft(np.array(sections[:4])[::-1], a, closed=False, caps=False),
        loft(np.array(sections[3:])[::-1], b, closed=False, caps=False),
    ]
    poles = [sweep(np.array([s[k] for s in sections]), 0.012, f.plastic((40, 40, 44)), detail=6) for k in (4, 10)]
    return whole([*dome, *poles, pad(1.02, 0, 0.02, 0.2, 0.6, 0.55, f.fabric(rng, (40, 44, 50)), 0.5)])
