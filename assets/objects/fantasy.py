"""Fantasy: what no training set holds."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from assets import finishes as f
from assets.bodies import Body, horn
from assets.craft import (
    Points,
    arc,
    block,
    curve,
    mirrored,
    moved,
    noise3,
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
from assets.objects.animals import HORSE, horse_like
from assets.shapes import capsule, cylinder, ellipsoid, extrude, lathe, loft, rounded_box, sweep

Rng = np.random.Generator
Parts = list[Mesh | Part]


def _scales(rng: Rng, dark: f.Color, light: f.Color) -> Material:
    return f.coat(rng, [(0, light), (0.35, light), (0.6, dark), (1, dark)], shiny=True)


@kind("fantasy", 4)
def dinosaur(variant: int, rng: Rng) -> Mesh:
    """A tyrannosaur, a long-necked sauropod, a triceratops, a stegosaur."""
    builders = (_tyrannosaur, _sauropod, _triceratops, _stegosaur)
    return whole(builders[variant](rng))


def _hide(rng: Rng, body: Body, look: Material, height: float, *, cell_m: float, soft: float) -> Part:
    spots = noise3(rng, 0.14)

    def shade(p: Points) -> Points:
        out: Points = p[:, 2] / height - 0.05 + 0.15 * spots(p)
        return out

    return painted(body.skin(look, cell_m=cell_m, soft=soft), look, shade)


def _tyrannosaur(rng: Rng) -> Parts:
    body = Body().chain(
        [(0.35, 0, 1.75), (-0.2, 0, 1.45), (-0.6, 0, 1.35), (-1.3, 0, 1.25), (-2.2, 0, 1.35)],
        (0.3, 0.42, 0.38, 0.2, 0.04),
    )
    body.rod((0.35, 0, 1.75), (0.75, 0, 2.2), 0.24, 0.2).ball((0.85, 0, 2.3), (0.3, 0.22, 0.24)).rod(
        (0.9, 0, 2.32), (1.45, 0, 2.22), 0.2, 0.13
    ).rod((0.85, 0, 2.1), (1.32, 0, 1.96), 0.12, 0.08)
    for s in (1, -1):
        step = 0.22 * s
        body.chain(
            [
                (-0.35, s * 0.26, 1.35),
                (-0.05 + step, s * 0.34, 0.85),
                (-0.4 + step, s * 0.34, 0.38),
                (-0.2 + step, s * 0.34, 0.08),
            ],
            (0.32, 0.2, 0.11, 0.09),
        )
        body.ball((-0.05 + step, s * 0.34, 0.07), (0.25, 0.14, 0.07))
    body.chain([(0.4, 0.22, 1.6), (0.58, 0.3, 1.4), (0.72, 0.26, 1.45)], (0.08, 0.05, 0.035), both=True)
    white = f.ceramic((240, 234, 214))
    teeth = [
        horn([(x, 0.13 - 0.08 * (x - 0.95), 2.16), (x + 0.01, 0.135 - 0.08 * (x - 0.95), 2.06)], 0.028, white)
        for x in np.linspace(0.98, 1.45, 6)
    ]
    claws = [
        horn([(0.15 + 0.22 * s, s * 0.34 + d, 0.07), (0.27 + 0.22 * s, s * 0.34 + d, 0.03)], 0.04, white)
        for s in (1, -1)
        for d in (-0.1, 0, 0.1)
    ]
    eye = mirrored(
        [
            ellipsoid((0.98, 0.19, 2.42), 0.045, f.plastic((230, 190, 40), 0.1), detail=12),
            ellipsoid((1.01, 0.21, 2.42), 0.025, f.plastic((10, 10, 10), 0.1), detail=8),
        ]
    )
    return [
        _hide(rng, body, _scales(rng, (70, 84, 44), (196, 186, 130)), 2.3, cell_m=0.066, soft=0.14),
        mirrored(teeth),
        *claws,
        eye,
    ]


def _sauropod(rng: Rng) -> Parts:
    body = Body().rod((0.6, 0, 1.35), (-0.6, 0, 1.3), 0.48, 0.5).ball((0, 0, 1.15), (0.9, 0.52, 0.5))
    neck = curve([(0.7, 0, 1.5), (1.4, 0, 2.1), (1.9, 0, 3.0), (2.2, 0, 3.5)], 10)
    body.chain([tuple(p) for p in neck], list(np.linspace(0.3, 0.13, 10))).rod(
        neck[-1], neck[-1] + (0.35, 0, -0.08), 0.15, 0.09
    )
    tail = curve([(-0.8, 0, 1.3), (-1.8, 0, 0.9), (-2.8, 0.3, 0.4), (-3.6, 0.8, 0.15)], 10)
    body.chain([tuple(p) for p in tail], list(np.linspace(0.38, 0.04, 10)))
    for x, step in ((0.55, 0.12), (-0.6, -0.12)):
        for s in (1, -1):
            body.chain(
                [(x, s * 0.36, 1.1), (x + step * s, s * 0.4, 0.5), (x + step * s, s * 0.4, 0.12)], (0.28, 0.19, 0.2)
            )
    eye = mirrored(ellipsoid(neck[-1] + (0.1, 0.13, 0.06), 0.03, f.plastic((10, 10, 10), 0.1), detail=8))
    return [_hide(rng, body, _scales(rng, (92, 110, 116), (180, 190, 180)), 2.0, cell_m=0.085, soft=0.16), eye]


def _triceratops(rng: Rng) -> Parts:
    body = (
        Body()
        .rod((0.5, 0, 0.95), (-0.6, 0, 0.95), 0.42, 0.42)
        .ball((0, 0, 0.85), (0.75, 0.46, 0.42))
        .chain([(-0.8, 0, 0.95), (-1.4, 0, 0.6), (-1.9, 0, 0.4)], (0.32, 0.15, 0.04))
    )
    body.rod((0.7, 0, 1.0), (1.1, 0, 1.0), 0.3, 0.26).rod((1.1, 0, 0.98), (1.6, 0, 0.72), 0.24, 0.1)
    for x in (0.45, -0.6):
        body.chain([(x, 0.3, 0.75), (x + 0.04, 0.38, 0.4), (x, 0.38, 0.1)], (0.2, 0.14, 0.14), both=True)
    look = _scales(rng, (120, 86, 56), (196, 170, 130))
    frill = lathe(
        [(0.0, 0), (0.62, 0.1), (0.66, 0.14), (0.6, 0.16), (0, 0.07)], f.leather(rng, (140, 96, 60)), detail=30
    )
    knobs = ringed(ellipsoid((0.64, 0, 0.13), 0.05, f.ceramic((226, 214, 186)), detail=8), 16)
    bone = f.ceramic((236, 226, 200))
    horns: Parts = [
        mirrored(horn([(1.15, 0.14, 1.2), (1.4, 0.22, 1.45), (1.75, 0.2, 1.55)], 0.075, bone)),
        horn([(1.45, 0, 0.92), (1.55, 0, 1.05), (1.6, 0, 1.14)], 0.07, bone),
    ]
    eye = mirrored(ellipsoid((1.28, 0.2, 1.02), 0.035, f.plastic((10, 10, 10), 0.1), detail=8))
    return [
        _hide(rng, body, look, 1.3, cell_m=0.06, soft=0.12),
        moved(turned([frill, knobs], "y", -62), 0.95, 0, 1.2),
        *horns,
        eye,
    ]


def _stegosaur(rng: Rng) -> Parts:
    spine = curve([(1.5, 0, 0.55), (1.0, 0, 0.8), (0.2, 0, 1.3), (-0.6, 0, 1.25), (-1.3, 0, 0.8), (-2.0, 0, 0.6)], 14)
    body = (
        Body()
        .chain(
            [tuple(p) for p in spine], [0.11, 0.14, 0.2, 0.3, 0.38, 0.42, 0.42, 0.4, 0.34, 0.26, 0.18, 0.12, 0.08, 0.03]
        )
        .rod((1.5, 0, 0.55), (1.75, 0, 0.48), 0.12, 0.07)
    )
    body.chain([(0.65, 0.26, 0.8), (0.7, 0.36, 0.4), (0.65, 0.36, 0.1)], (0.17, 0.12, 0.11), both=True).chain(
        [(-0.6, 0.28, 1.05), (-0.5, 0.4, 0.55), (-0.65, 0.4, 0.1)], (0.26, 0.16, 0.13), both=True
    )
    plate = f.leather(rng, (190, 90, 50))
    plates: Parts = []
    for k, p in enumerate(spine[2:12]):
        s = 0.36 * np.sin(np.pi * (k + 1.2) / 11.5)
        shape = extrude(
            np.array([(-s * 0.5, 0), (s * 0.5, 0), (s * 0.62, s * 0.6), (0, s * 1.35), (-s * 0.62, s * 0.6)]),
            -0.02,
            0.02,
            plate,
        )
        r = float(np.interp(k + 2, [0, 5, 8, 13], [0.11, 0.42, 0.38, 0.03]))
        plates.append(
            moved(
                turned(turned(shape, "x", 90), "x", 14 * (1 if k % 2 else -1)),
                p[0],
                0.06 * (1 if k % 2 else -1),
                p[2] + r * 0.9,
            )
        )
    spikes = mirrored(
        [horn([(x, 0.05, 0.62), (x - 0.1, 0.25, 0.8)], 0.035, f.ceramic((236, 226, 200))) for x in (-1.8, -1.95)]
    )
    eye = mirrored(ellipsoid((1.58, 0.1, 0.6), 0.024, f.plastic((10, 10, 10), 0.1), detail=8))
    return [
        _hide(rng, body, _scales(rng, (84, 104, 60), (190, 186, 130)), 1.4, cell_m=0.062, soft=0.12),
        *plates,
        spikes,
        eye,
    ]


@kind("fantasy", 3)
def dragon(variant: int, rng: Rng) -> Mesh:
    """A red dragon with spread wings, a green one that crouches, a long eastern dragon."""
    if variant == 2:
        return _eastern_dragon(rng)
    dark, light = ((150, 24, 24), (226, 160, 80)) if variant == 0 else ((36, 96, 54), (196, 190, 110))
    body = Body().rod((0.45, 0, 1.0), (-0.45, 0, 0.9), 0.34, 0.32)
    neck = curve(
        [(0.6, 0, 1.15), (1.0, 0, 1.6), (1.1, 0, 2.1), (1.4, 0, 2.35)]
        if variant == 0
        else [(0.6, 0, 1.05), (1.1, 0, 1.05), (1.6, 0, 0.85), (1.9, 0, 0.9)],
        8,
    )
    body.chain([tuple(p) for p in neck], list(np.linspace(0.26, 0.14, 8)))
    at = neck[-1]
    body.ball(at, 0.18).rod(at + (0.05, 0, 0.02), at + (0.5, 0, -0.06), 0.15, 0.08).rod(
        at + (0.05, 0, -0.1), at + (0.42, 0, -0.22), 0.08, 0.05
    )
    tail = curve([(-0.6, 0, 0.85), (-1.3, 0, 0.5), (-2.0, 0.3, 0.25), (-2.7, 0.2, 0.3)], 9)
    body.chain([tuple(p) for p in tail], list(np.linspace(0.28, 0.04, 9)))
    for x, s in ((0.4, 1), (-0.45, -1)):
        body.chain(
            [(x, 0.26, 0.85), (x + 0.1 * s, 0.4, 0.45), (x - 0.1 * s, 0.4, 0.22), (x + 0.12, 0.42, 0.06)],
            (0.2, 0.14, 0.09, 0.09),
            both=True,
        )
    look = _scales(rng, dark, light)
    bone = f.ceramic((230, 216, 180))
    parts: Parts = [
        _hide(rng, body, look, 1.2, cell_m=0.066, soft=0.11),
        mirrored(_dragon_wing(variant, look, f.leather(rng, light))),
    ]
    parts += [
        mirrored(horn([at + (-0.08, 0.1, 0.12), at + (-0.3, 0.16, 0.26), at + (-0.5, 0.16, 0.24)], 0.05, bone)),
        mirrored(ellipsoid(at + (0.14, 0.13, 0.08), 0.035, f.plastic((250, 200, 30), 0.1), detail=8)),
    ]
    ridge = np.concatenate([neck[1:], np.array([(0.3, 0, 1.32), (0, 0, 1.3), (-0.35, 0, 1.2)]), tail[1:7]])
    parts += [
        horn([p + (0, 0, r), p + (-0.06, 0, r + 0.1), p + (-0.14, 0, r + 0.16)], 0.055, bone)
        for p, r in zip(ridge, [*np.linspace(0.2, 0.13, 7), 0, 0, 0, *np.linspace(0.22, 0.08, 6)], strict=True)
    ]
    spade = extrude(np.array([(-0.35, 0), (0.05, 0.2), (0.0, 0), (0.05, -0.2)]), -0.02, 0.02, f.leather(rng, dark))
    return whole([*parts, moved(spade, tail[-1][0], tail[-1][1], tail[-1][2])])


def _dragon_wing(variant: int, arm: Material, skin: Material) -> Parts:
    root = np.array([0.25, 0.25, 1.25])
    wrist = np.array([0.35, 0.9, 2.1]) if variant == 0 else np.array([0.1, 0.55, 1.9])
    tips = [
        np.array(t)
        for t in (
            ((0.2, 2.3, 2.0), (-0.5, 2.1, 1.3), (-1.0, 1.3, 0.9), (-0.9, 0.4, 0.95))
            if variant == 0
            else ((-0.6, 1.1, 1.9), (-1.1, 1.0, 1.4), (-1.3, 0.75, 1.0), (-0.9, 0.35, 0.95))
        )
    ]
    bones: Parts = [
        sweep(curve([root, (root + wrist) / 2 + (0.1, 0, 0.05), wrist], 8), np.linspace(0.09, 0.05, 8), arm)
    ]
    bones += [
        sweep(curve([wrist, (wrist + t) / 2 + (0, 0, 0.12), t], 8), np.linspace(0.045, 0.012, 8), arm, detail=8)
        for t in tips[:3]
    ]
    edge = [*tips[:3], tips[3]]
    panels: Parts = []
    for a, b in itertools.pairwise(edge):
        rows = []
        for k in np.linspace(0, 1, 7):
            pa = wrist * (1 - k) + a * k + (0, 0, 0.24 * k * (1 - k))
            origin = root if b is tips[3] else wrist
            pb = (wrist if b is not tips[3] else root) * (1 - k) + b * k + (0, 0, 0.24 * k * (1 - k))
            s = np.linspace(0, 1, 7)[:, None]
            dip = 0.16 * np.sin(np.pi * s) * k
            rows.append(pa * (1 - s) + pb * s + dip * ((origin - (a + b) / 2) / np.linalg.norm(origin - (a + b) / 2)))
        grid = np.array(rows)
        panels += [
            loft(grid, skin, closed=False, caps=False),
            loft(grid[::-1] - (0, 0, 0.012), skin, closed=False, caps=False),
        ]
    return [*bones, *panels]


def _eastern_dragon(rng: Rng) -> Mesh:
    t = np.linspace(0, 1, 40)
    path = np.stack(
        [
            2.2 - 4.4 * t,
            0.45 * np.sin(3.2 * np.pi * t),
            0.45 + 0.42 * np.sin(4.5 * np.pi * t) * (1 - t) + 0.6 * (1 - t) ** 3,
        ],
        1,
    )
    body = Body().chain([tuple(p) for p in path], list(np.interp(t, [0, 0.1, 0.6, 1], [0.17, 0.22, 0.2, 0.03])))
    at = path[0]
    body.ball(at, 0.24).rod(at, at + (0.5, 0, -0.05), 0.18, 0.12).rod(
        at + (0, 0, -0.14), at + (0.4, 0, -0.24), 0.1, 0.06
    )
    for k in (12, 26):
        p = path[k]
        body.chain(
            [tuple(p + (0, 0.12, -0.05)), (p[0] + 0.1, p[1] + 0.35, 0.22), (p[0] + 0.25, p[1] + 0.35, 0.05)],
            (0.11, 0.07, 0.06),
        ).chain(
            [tuple(p + (0, -0.12, -0.05)), (p[0] + 0.1, p[1] - 0.35, 0.22), (p[0] + 0.25, p[1] - 0.35, 0.05)],
            (0.11, 0.07, 0.06),
        )
    look = _scales(rng, (30, 120, 110), (226, 190, 80))
    mane_stuff, bone = f.fur(rng, (220, 80, 40)), f.brass()
    spikes = [
        horn([p + (0, 0, 0.14), p + (-0.05, 0, 0.27), p + (-0.13, 0, 0.36)], 0.05, mane_stuff) for p in path[2:36:2]
    ]
    face: Parts = [
        mirrored(horn([at + (-0.05, 0.1, 0.18), at + (-0.25, 0.16, 0.4), at + (-0.5, 0.2, 0.42)], 0.04, bone)),
        mirrored(
            sweep(
                curve([at + (0.48, 0.08, -0.02), at + (0.7, 0.25, 0.1), at + (0.5, 0.5, 0.2)], 12),
                np.linspace(0.018, 0.006, 12),
                bone,
            )
        ),
        mirrored(ellipsoid(at + (0.15, 0.15, 0.13), 0.05, f.plastic((250, 240, 200), 0.1), detail=10)),
    ]
    mane = Body()
    for a in np.linspace(0, 2 * np.pi, 12, endpoint=False):
        c = at + (-0.1, 0.18 * np.cos(a), 0.18 * np.sin(a))
        mane.rod(c, c + (-0.2, 0.14 * np.cos(a), 0.14 * np.sin(a)), 0.06, 0.015)
    return whole(
        [
            _hide(rng, body, look, 0.9, cell_m=0.058, soft=0.07),
            *spikes,
            *face,
            mane.skin(mane_stuff, cell_m=0.045, soft=0.03),
        ]
    )


@kind("fantasy", 3)
def unicorn(variant: int, rng: Rng) -> Mesh:
    """A white unicorn, a rearing rosy one, a winged dark one."""
    beast = (HORSE, replace(HORSE, stride=0.25, nod_deg=36), replace(HORSE, stride=-0.15, neck=(0.55, 0.5)))[variant]
    hair = f.fur(rng, ((236, 150, 190), (150, 110, 220), (90, 190, 220))[variant], 0.3)
    skin, parts, head = horse_like(rng, beast, hair)
    color = ((244, 242, 240), (240, 206, 214), (70, 60, 90))[variant]
    coat = painted(skin, f.coat(rng, [(0, color), (1, color)]), lambda p: 0.5 + 0 * p[:, 0])
    tip = head.point(0.25, 0, 1.0)
    spike = sweep(np.array([tip, tip + (0.22, 0, 0.42)]), [0.04, 0.003], f.brass(), detail=12)
    turn = np.linspace(0, 10 * np.pi, 60)
    along = np.linspace(0, 1, 60)
    side, up = np.array([0, 1.0, 0]), np.array([-0.886, 0, 0.464])
    groove = (
        tip
        + np.outer(along, (0.22, 0, 0.42))
        + (0.04 * (1 - along))[:, None] * (np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * up)
    )
    mesh_parts: Parts = [coat, *parts, spike, sweep(groove, 0.006, f.brass(), detail=5)]
    if variant == 2:
        feather = f.fur(rng, (210, 220, 240), 0.3)
        wing = [
            ellipsoid((-0.12 - 0.15 * k, 0, 0.28 + 0.06 * k), (0.1, 0.025, 0.5 - 0.035 * k), feather, detail=12)
            for k in range(6)
        ]
        mesh_parts.append(mirrored(moved(turned(turned(wing, "y", -30), "x", -32), 0.25, 0.26, 1.3)))
    mesh = whole(mesh_parts)
    return turned(mesh, "y", -32, (-0.55, 0, 0)) if variant == 1 else mesh


@kind("fantasy", 4, fallen=True)
def robot(variant: int, rng: Rng) -> Mesh:
    """A tin toy robot, a rolling dome robot, a spider-legged walker, a bucket-headed one on tracks."""
    builders = (_tin_robot, _dome_robot, _walker, _tracked)
    return whole(builders[variant](rng))


def _tin_robot(_rng: Rng) -> Parts:
    tin, red, dark = f.metal((150, 170, 190), 0.3), f.paint((200, 40, 36)), f.plastic((30, 30, 34))
    parts: Parts = [
        rounded_box((-0.22, -0.3, 0.6), (0.22, 0.3, 1.15), 0.03, tin),
        rounded_box((-0.18, -0.2, 1.22), (0.18, 0.2, 1.55), 0.03, tin),
        cylinder((0, 0, 1.1), (0, 0, 1.25), 0.1, dark),
    ]
    parts += [
        mirrored(
            [
                rounded_box((-0.12, 0.06, 0.1), (0.12, 0.25, 0.6), 0.02, tin),
                rounded_box((-0.16, 0.04, 0), (0.26, 0.27, 0.14), 0.03, red),
            ]
        )
    ]
    parts += [
        mirrored(
            [
                ellipsoid((0, 0.34, 1.05), 0.1, red, detail=14),
                *[
                    cylinder((0, 0.38, 0.98 - 0.07 * i), (0, 0.38, 0.93 - 0.07 * i), 0.06, tin, detail=14)
                    for i in range(6)
                ],
                sweep(arc((0.02, 0.38, 0.44), 0.08, -60, 240, "xz", 14), 0.03, red),
            ]
        )
    ]
    parts += [
        mirrored(cylinder((0.17, 0.09, 1.42), (0.21, 0.09, 1.42), 0.06, f.plastic((250, 210, 60), 0.1))),
        slab((0.17, -0.12, 1.27), (0.19, 0.12, 1.33), dark),
        mirrored(sweep([(0, 0.2, 1.45), (0, 0.3, 1.45), (0, 0.3, 1.7)], 0.014, dark)),
        cylinder((0, 0, 1.55), (0, 0, 1.75), 0.012, dark),
        ellipsoid((0, 0, 1.77), 0.035, red, detail=10),
    ]
    return [
        *parts,
        slab((0.215, -0.2, 0.8), (0.235, 0.2, 1.05), dark),
        *[
            cylinder((0.23, y, 0.92), (0.25, y, 0.92), 0.04, f.plastic(c, 0.1))
            for y, c in ((-0.11, (220, 40, 40)), (0.0, (240, 200, 40)), (0.11, (60, 180, 80)))
        ],
    ]


def _dome_robot(_rng: Rng) -> Parts:
    white, blue, dark = f.paint((196, 206, 170)), f.paint((176, 84, 40)), f.plastic((40, 42, 46))
    body = lathe([(0, 0.25), (0.26, 0.25), (0.28, 0.3), (0.28, 0.9), (0, 0.92)], white, detail=36)
    dome = lathe(
        [(0.28, 0.92), (0.27, 1.0), (0.2, 1.13), (0.1, 1.19), (0, 1.2)], f.metal((190, 194, 200), 0.25), detail=36
    )
    panels = [
        turned(slab((0.275, -0.06, z), (0.287, 0.06, z + h), blue), "z", a)
        for a, z, h in ((0, 0.7, 0.15), (0, 0.4, 0.2), (35, 0.5, 0.3), (-35, 0.5, 0.3), (90, 0.6, 0.2), (-90, 0.6, 0.2))
    ]
    eye: Parts = [
        cylinder((0.2, 0, 1.05), (0.29, 0, 1.03), 0.055, dark),
        cylinder((0.28, 0, 1.03), (0.3, 0, 1.03), 0.04, f.glass()),
        ellipsoid((0.22, 0.1, 1.0), 0.03, f.plastic((220, 40, 40), 0.1), detail=10),
    ]
    side = mirrored(
        [
            rounded_box((-0.1, 0.29, 0.12), (0.1, 0.4, 0.85), 0.03, white),
            rounded_box((-0.22, 0.28, 0), (0.22, 0.42, 0.14), 0.04, white),
            lathe([(0, 0), (0.1, 0), (0.1, 0.02), (0, 0.02)], blue).transformed(
                np.array([[1, 0, 0, 0], [0, 0, 1, 0.4], [0, 1, 0, 0.72], [0, 0, 0, 1.0]])
            ),
        ]
    )
    return [
        body,
        dome,
        *panels,
        *eye,
        side,
        rounded_box((0.0, -0.1, 0), (0.3, 0.1, 0.12), 0.04, white),
        cylinder((0.1, 0, 0.1), (0, 0, 0.3), 0.08, dark),
    ]


def _walker(_rng: Rng) -> Parts:
    shell, dark = f.paint((230, 120, 30)), f.metal((70, 72, 78), 0.4)
    leg: Parts = [
        capsule((0.28, 0, 0.75), (0.62, 0, 1.0), 0.05, dark),
        ellipsoid((0.62, 0, 1.0), 0.075, shell, detail=14),
        sweep([(0.62, 0, 1.0), (0.88, 0, 0.45), (0.95, 0, 0.0)], [0.05, 0.04, 0.015], dark),
    ]
    body: Parts = [
        pad(0, 0, 0.6, 0.8, 0.62, 0.34, shell, 0.5),
        ringed(leg, 6, 30),
        moved(ellipsoid((0, 0, 0), (0.14, 0.14, 0.1), f.glass(), detail=18), 0.36, 0, 0.8),
    ]
    return [
        *body,
        *[ellipsoid((0.46, y, 0.8), 0.03, f.plastic((220, 40, 40), 0.1), detail=8) for y in (-0.07, 0.07)],
        cylinder((-0.15, 0, 0.9), (-0.15, 0, 1.3), 0.012, dark),
    ]


def _tracked(rng: Rng) -> Parts:
    yellow, dark = f.rusty(rng, (220, 170, 40), 0.25), f.rubber()
    track = mirrored(moved(rounded_box((-0.36, -0.09, 0), (0.36, 0.09, 0.3), 0.14, dark), y=0.3))
    wheels = mirrored([moved(wheel(0.1, 0.2, dark, f.steel()), x, 0.3, 0.14) for x in (-0.2, 0.0, 0.2)])
    head: Parts = [
        mirrored(
            [
                cylinder((-0.05, 0.12, 0.98), (0.16, 0.12, 0.96), 0.1, f.steel()),
                cylinder((0.16, 0.12, 0.96), (0.17, 0.12, 0.96), 0.08, f.glass()),
            ]
        ),
        cylinder((0, 0, 0.7), (0, 0, 0.95), 0.035, f.steel()),
    ]
    arms = mirrored(
        [
            sweep([(0.0, 0.3, 0.6), (0.2, 0.38, 0.5), (0.42, 0.32, 0.5)], 0.035, f.steel()),
            *[sweep([(0.42, 0.32 + d, 0.5), (0.55, 0.32 + 1.5 * d, 0.5)], 0.02, yellow) for d in (-0.04, 0.04)],
        ]
    )
    return [
        track,
        wheels,
        block(0, 0, 0.26, 0.5, 0.52, 0.46, yellow),
        *head,
        arms,
        slab((0.24, -0.18, 0.5), (0.26, 0.18, 0.64), f.plastic((40, 42, 46))),
    ]


@kind("fantasy", 3)
def ufo(variant: int, _rng: Rng) -> Mesh:
    """A flying saucer on legs, a cigar-shaped one, a classic crashed disc."""
    hull_metal, dome = f.metal((176, 182, 190), 0.25), f.glass()
    if variant == 1:
        body = Body().ball((0, 0, 0.8), (2.0, 0.55, 0.5))
        fins = ringed(slab((-0.02, 0.4, -0.3), (0.02, 1.0, 0.0), f.paint((180, 40, 50))), 3)
        ports = [
            mirrored(
                ellipsoid(
                    (x, 0.5 * np.sqrt(max(0.05, 1 - (x / 2) ** 2)) + 0.02, 0.85),
                    (0.09, 0.03, 0.09),
                    f.plastic((250, 230, 120), 0.1),
                    detail=12,
                )
            )
            for x in np.linspace(-1.2, 1.2, 7)
        ]
        return whole(
            [
                body.skin(hull_metal, cell_m=0.075, soft=0.05),
                moved(turned(fins, "y", 90), -1.5, 0, 0.8),
                *ports,
                *[
                    cylinder((x, y, 0.5), (x * 1.1, y * 1.6, 0), 0.04, f.steel())
                    for x in (0.9, -0.9)
                    for y in (0.25, -0.25)
                ],
            ]
        )
    disc = lathe(
        [(0, 0.5), (0.35, 0.48), (1.0, 0.68), (1.6, 0.8), (1.65, 0.84), (1.6, 0.88), (1.0, 1.0), (0.6, 1.1), (0, 1.12)],
        hull_metal,
        detail=48,
    )
    cabin = lathe(
        [(0.55, 1.1), (0.5, 1.3), (0.3, 1.48), (0, 1.55)], dome if variant == 0 else f.paint((60, 170, 90)), detail=32
    )
    lights = ringed(
        ellipsoid((1.3, 0, 0.96), 0.08, f.plastic((250, 80, 60) if variant == 0 else (90, 220, 255), 0.1), detail=12),
        12,
    )
    if variant == 2:
        return turned([disc, cabin, lights], "y", 20)
    foot: Parts = [
        sweep([(0.7, 0, 0.65), (1.05, 0, 0.04)], 0.04, f.steel()),
        lathe([(0, 0), (0.16, 0), (0.12, 0.05), (0, 0.06)], f.steel()).transformed(
            np.array([[1, 0, 0, 1.05], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        ),
    ]
    return whole([disc, cabin, lights, ringed(foot, 3)])


@kind("fantasy", 3, fallen=True)
def rocket(variant: int, _rng: Rng) -> Mesh:
    """A red-and-white comic rocket, a slim missile-like one, a playground rocket."""
    red, white = f.paint((206, 36, 36)), f.paint((240, 238, 234))
    checks = []
    if variant == 0:
        profile = curve([(0.22, 0.5), (0.5, 1.1), (0.55, 1.8), (0.35, 2.6), (0.0, 3.1)], 24)
        body = lathe([(0, 0.5), *[(max(float(r), 0.0), float(z)) for r, z in profile]], white, detail=36)
        nose = lathe([(float(r) + 0.006, float(z)) for r, z in profile if z > 2.35] + [(0, 3.12)], red, detail=36)
        fin = extrude(np.array([(0.35, 1.2), (0.95, 0.4), (0.95, 0.0), (0.3, 0.6)]), -0.03, 0.03, red)
        fins = ringed(turned(fin, "x", 90), 3)
        port = moved(
            turned(
                [
                    sweep(arc((0, 0, 0), 0.17, 0, 360, "xy", 28), 0.035, f.brass(), caps=False),
                    lathe([(0, -0.01), (0.17, -0.01), (0, 0.01)], f.glass()),
                ],
                "y",
                84,
            ),
            0.53,
            0,
            1.9,
        )
        return whole(
            [body, nose, fins, port, lathe([(0.1, 0.3), (0.25, 0.3), (0.2, 0.52)], f.metal((90, 90, 94), 0.4))]
        )
    if variant == 1:
        body = lathe([(0, 0.1), (0.16, 0.1), (0.16, 2.4), (0.1, 2.75), (0.0, 3.0)], white, detail=28)
        checks = [
            lathe([(0.161, z), (0.165, z), (0.165, z + 0.2), (0.161, z + 0.2)], f.plastic((24, 24, 26)), detail=28)
            for z in (0.5, 1.3, 2.1)
        ]
        fins = ringed(
            turned(
                extrude(
                    np.array([(0.15, 0.75), (0.45, 0.3), (0.45, 0.0), (0.15, 0.1)]),
                    -0.015,
                    0.015,
                    f.plastic((24, 24, 26)),
                ),
                "x",
                90,
            ),
            4,
        )
        return whole([body, *checks, fins, lathe([(0.05, 0), (0.12, 0.0), (0.08, 0.12)], f.metal((90, 90, 94), 0.4))])
    blue, yellow = f.plastic((40, 100, 190), 0.3), f.plastic((246, 200, 40), 0.3)
    body = lathe([(0, 0.35), (0.4, 0.35), (0.42, 1.3), (0.3, 1.75), (0, 2.1)], blue, detail=32)
    side = ringed(
        moved(lathe([(0, 0), (0.16, 0), (0.16, 0.6), (0.1, 0.8), (0, 0.9)], yellow, detail=20), x=0.5, z=0.15), 3
    )
    return whole(
        [
            body,
            side,
            lathe([(0.425, 1.2), (0.43, 1.2), (0.42, 1.35)], yellow, detail=32),
            moved(turned(lathe([(0, 0), (0.18, 0), (0.16, 0.04), (0, 0.05)], f.glass()), "y", 90), 0.38, 0, 1.0),
            lathe([(0, 2.08), (0.05, 2.08), (0, 2.3)], red),
        ]
    )


@kind("fantasy", 3, fallen=True)
def throne(variant: int, rng: Rng) -> Mesh:
    """A gilded throne, a stone one, one of swords."""
    frame: Material = (f.brass(), f.stone(rng, (120, 116, 110)), f.metal((90, 94, 100), 0.3))[variant]
    velvet = f.fabric(rng, ((150, 20, 30), (60, 60, 90), (40, 40, 44))[variant])
    parts: Parts = [
        block(0, 0, 0, 0.9, 1.0, 0.12, frame),
        block(0, 0, 0.12, 0.7, 0.76, 0.38, frame),
        pad(0.04, 0, 0.48, 0.62, 0.62, 0.12, velvet, 0.3),
        block(-0.34, 0, 0.12, 0.12, 0.84, 1.35, frame),
        mirrored(block(0.02, 0.4, 0.5, 0.7, 0.12, 0.3, frame)),
    ]
    if variant == 2:
        blades = [
            turned(
                extrude(
                    np.array([(-0.03, 0), (0.03, 0), (0.028, 0.9), (0, 1.0), (-0.028, 0.9)]), -0.006, 0.006, f.steel()
                ).transformed(np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])),
                "x",
                a,
            ).transformed(np.array([[1, 0, 0, -0.34 - 0.02 * (k % 3)], [0, 1, 0, 0], [0, 0, 1, 0.95], [0, 0, 0, 1.0]]))
            for k, a in enumerate(np.linspace(-72, 72, 21))
        ]
        return whole([*parts, *blades])
    crown = (
        np.concatenate([[(0.42, 0)], arc((0, 0, 0), 0.42, 0, 180, "yz", 18)[:, 1:], [(-0.42, 0)]])
        if variant == 0
        else np.array([(0.42, 0), (0.42, 0.25), (0.2, 0.1), (0, 0.45), (-0.2, 0.1), (-0.42, 0.25), (-0.42, 0)])
    )
    top = extrude(crown, -0.06, 0.06, frame).transformed(
        np.array([[0, 0, 1, -0.34], [1, 0, 0, 0], [0, 1, 0, 1.46], [0, 0, 0, 1.0]])
    )
    knobs = mirrored(
        [ellipsoid((0.37, 0.4, 0.84), 0.08, frame, detail=16), ellipsoid((-0.34, 0.42, 1.55), 0.09, frame, detail=16)]
    )
    gems = [
        ellipsoid((-0.27, y, z), 0.045, f.plastic(c, 0.05), detail=12)
        for y, z, c in ((0, 1.68, (200, 20, 40)), (0.2, 1.58, (30, 80, 200)), (-0.2, 1.58, (30, 160, 80)))
    ]
    return whole([*parts, top, knobs, pad(-0.26, 0, 0.65, 0.1, 0.6, 0.75, velvet, 0.3), *gems])


@kind("fantasy", 3)
def treasure_chest(variant: int, rng: Rng) -> Mesh:
    """A closed chest with iron bands, an open one full of gold, a sunken barnacled one."""
    wood = f.wood(rng, ("oak", "mahogany", "weathered")[variant])
    iron = f.metal((80, 78, 76), 0.5) if variant != 1 else f.brass()
    x, y, z = 0.3, 0.45, 0.36
    bow = arc((0, 0, 0), x, 0, 180, "xz", 18)[:, [0, 2]]
    lid_parts: Parts = [
        _along_y(bow, y, wood),
        *[moved(_along_y(np.concatenate([bow * 1.03, bow[::-1] * 0.9]), 0.04, iron), y=q) for q in (-0.36, 0.0, 0.36)],
    ]
    lid: Mesh = whole(lid_parts)
    parts: Parts = [
        slab((-x, -y, 0), (x, y, z), wood),
        *[slab((-x - 0.01, q - 0.04, -0.005), (x + 0.01, q + 0.04, z), iron) for q in (-0.36, 0, 0.36)],
        slab((x, -0.07, z - 0.14), (x + 0.03, 0.07, z + 0.02), f.brass()),
    ]
    if variant == 1:
        lid = turned(lid, "y", -95, (-x, 0, 0))
        gold = f.metal((240, 196, 70), 0.18)
        coins = [
            moved(
                turned(
                    turned(
                        lathe([(0, 0), (0.045, 0), (0.045, 0.012), (0, 0.012)], gold, detail=12),
                        "x",
                        float(rng.uniform(-60, 60)),
                    ),
                    "y",
                    float(rng.uniform(-60, 60)),
                ),
                float(a),
                float(b),
                z + 0.02 + 0.12 * max(0.0, 1 - (a / 0.3) ** 2 - (b / 0.45) ** 2),
            )
            for a, b in rng.uniform((-0.25, -0.4), (0.25, 0.4), (90, 2))
        ]
        parts += [
            ellipsoid((0, 0, z - 0.03), (0.27, 0.41, 0.15), gold, detail=20),
            *coins,
            *[
                ellipsoid((0.1, q, z + 0.13), 0.05, f.plastic(c, 0.05), detail=10)
                for q, c in ((-0.2, (200, 20, 40)), (0.1, (30, 90, 210)), (0.25, (30, 170, 90)))
            ],
        ]
    if variant == 2:
        parts += [
            ellipsoid((float(a), float(b), float(c)), 0.03, f.stone(rng, (190, 190, 176)), detail=6)
            for a, b, c in np.concatenate(
                [
                    rng.uniform((0.3, -0.4, 0), (0.32, 0.4, 0.36), (20, 3)),
                    rng.uniform((-0.25, -0.4, 0.6), (0.2, 0.4, 0.62), (12, 3)),
                ]
            )
        ]
    return whole([*parts, moved(lid, z=z)])


def _along_y(outline: np.ndarray, half: float, material: Material) -> Mesh:
    flat = extrude(outline, -half, half, material)
    return whole(flat).transformed(np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]]))


@kind("fantasy", 3)
def snowman(variant: int, rng: Rng) -> Mesh:
    """A snowman with a top hat, one with a bucket and broom, a melting one with a scarf."""
    snow, coal = Material("snow", (0.82, 0.85, 0.9)), f.matt((20, 20, 22))
    sizes = (0.48, 0.36, 0.26) if variant != 2 else (0.55, 0.36, 0.24)
    heights = (0.42, 1.05, 1.55) if variant != 2 else (0.34, 0.85, 1.28)
    lump = noise3(rng, 0.4)
    body = Body()
    for r, z in zip(sizes, heights, strict=True):
        body.ball((0, 0, z), (r, r, r * (0.92 if variant != 2 else 0.8)))
    skin = body.skin(snow, cell_m=0.045, soft=0.03)
    v = skin.vertices.astype(np.float64)
    v *= 1 + 0.02 * lump(v)[:, None]
    v[:, 2] = np.maximum(v[:, 2], 0.02)
    parts: Parts = [Part(v.astype(np.float32), skin.faces, snow, skin.uv, smooth=True)]
    top, r = heights[2], sizes[2]
    parts.append(sweep([(r * 0.95, 0, top), (r + 0.26, 0, top - 0.02)], [0.045, 0.006], f.plastic((236, 120, 30), 0.5)))
    parts.append(mirrored(ellipsoid((r * 0.9, 0.09, top + 0.08), 0.03, coal, detail=10)))
    parts += [ellipsoid((sizes[1] * 0.98, 0, heights[1] + d), 0.032, coal, detail=10) for d in (-0.15, 0.0, 0.15)]
    parts += [
        ellipsoid((r * 0.93, 0.12 * np.sin(a), top - 0.07 - 0.05 * np.cos(a)), 0.017, coal, detail=8)
        for a in np.linspace(-1.1, 1.1, 6)
    ]
    twig = f.wood(rng, "walnut")
    parts.append(
        mirrored(
            [
                sweep(
                    curve(
                        [(0, 0.3, heights[1] + 0.1), (0.05, 0.6, heights[1] + 0.3), (0.05, 0.85, heights[1] + 0.32)], 8
                    ),
                    np.linspace(0.022, 0.01, 8),
                    twig,
                ),
                sweep([(0.05, 0.7, heights[1] + 0.32), (0.1, 0.8, heights[1] + 0.48)], [0.012, 0.006], twig),
            ]
        )
    )
    if variant == 0:
        parts.append(
            moved(
                lathe(
                    [(0, 0), (0.3, 0), (0.3, 0.02), (0.19, 0.03), (0.2, 0.34), (0, 0.34)],
                    f.fabric(rng, (30, 28, 34)),
                    smooth=False,
                ),
                z=top + 0.2,
            )
        )
    if variant == 1:
        parts += [
            moved(lathe([(0.2, 0.0), (0.14, 0.26), (0, 0.26)], f.metal((150, 154, 160), 0.4)), z=top + 0.13),
            sweep([(0.1, 0.85, 0.0), (0.1, 0.85, 1.6)], 0.018, twig),
            moved(lathe([(0.03, 0.3), (0.16, 0.0), (0, 0.0)], f.straw(rng)), 0.1, 0.85, 1.55).transformed(np.eye(4)),
        ]
    if variant in (0, 2):
        parts += [
            sweep(
                arc((0, 0, top - r * 0.8), r * 0.82, 0, 360, "xy", 28),
                0.06,
                f.striped(rng, [(196, 36, 40), (240, 236, 226)], per_m=4),
                caps=False,
            ),
            sweep(
                [(r * 0.8, 0.08, top - r * 0.85), (sizes[1] * 1.1, 0.14, heights[1] - 0.12)],
                0.05,
                f.striped(rng, [(196, 36, 40), (240, 236, 226)], per_m=4),
            ),
        ]
    return whole(parts)


@kind("fantasy", 6, fallen=True)
def chess_piece(variant: int, rng: Rng) -> Mesh:
    """A giant pawn, rook, bishop, queen, king and knight."""
    stuff = (
        f.wood(rng, "birch"),
        f.wood(rng, "walnut"),
        f.marble(rng),
        f.plastic((26, 26, 28), 0.2),
        f.plastic((236, 232, 222), 0.2),
        f.wood(rng, "black"),
    )[variant]
    foot = [(0, 0), (0.28, 0), (0.3, 0.05), (0.26, 0.1), (0.22, 0.14), (0.23, 0.18)]
    if variant == 5:
        base = lathe([*foot, (0.18, 0.24), (0, 0.26)], stuff)
        body = (
            Body()
            .chain([(-0.04, 0, 0.25), (-0.08, 0, 0.55), (0.0, 0, 0.85)], (0.19, 0.16, 0.14))
            .rod((0.0, 0, 0.85), (0.26, 0, 0.68), 0.14, 0.085)
            .rod((-0.04, 0.05, 0.95), (-0.05, 0.06, 1.06), 0.04, 0.012, both=True)
            .rod((-0.16, 0, 0.4), (-0.12, 0, 0.95), 0.05, 0.04)
        )
        return whole(
            [
                base,
                body.skin(stuff, cell_m=0.028, soft=0.05),
                mirrored(ellipsoid((0.09, 0.12, 0.87), 0.02, f.matt((120, 110, 100)), detail=8)),
            ]
        )
    tall = (0.62, 0.62, 0.85, 1.0, 1.05)[variant]
    shaft = [(0.15, 0.26), (0.11, tall * 0.5), (0.12, tall * 0.8), (0.2, tall * 0.84), (0.12, tall * 0.89)]
    if variant == 0:
        return whole(
            [
                lathe([*foot, *shaft, (0, tall * 0.9)], stuff),
                ellipsoid((0, 0, tall * 0.9 + 0.12), 0.16, stuff, detail=28),
            ]
        )
    if variant == 1:
        towers = ringed(slab((0.13, -0.06, tall + 0.14), (0.22, 0.06, tall + 0.26), stuff), 6)
        return whole(
            [
                lathe(
                    [
                        *foot,
                        *shaft,
                        (0.17, tall * 0.95),
                        (0.22, tall + 0.02),
                        (0.22, tall + 0.16),
                        (0.14, tall + 0.16),
                        (0, tall + 0.1),
                    ],
                    stuff,
                    smooth=False,
                ),
                towers,
            ]
        )
    if variant == 2:
        cut = turned(slab((0.03, -0.11, -0.012), (0.17, 0.11, 0.012), f.matt((60, 56, 52))), "y", -38)
        slit = moved(cut, 0.0, 0, tall + 0.12)
        return whole(
            [
                lathe(
                    [*foot, *shaft, (0.17, tall + 0.02), (0.16, tall + 0.14), (0.05, tall + 0.3), (0, tall + 0.31)],
                    stuff,
                ),
                ellipsoid((0, 0, tall + 0.33), 0.05, stuff, detail=14),
                slit,
            ]
        )
    crown = lathe([*foot, *shaft, (0.13, tall * 0.95), (0.23, tall + 0.2), (0.16, tall + 0.2), (0, tall + 0.24)], stuff)
    if variant == 3:
        return whole(
            [
                crown,
                ringed(ellipsoid((0.2, 0, tall + 0.22), 0.045, stuff, detail=12), 8),
                ellipsoid((0, 0, tall + 0.28), 0.07, stuff, detail=16),
            ]
        )
    return whole(
        [
            crown,
            slab((-0.03, -0.03, tall + 0.2), (0.03, 0.03, tall + 0.48), stuff),
            slab((-0.03, -0.1, tall + 0.33), (0.03, 0.1, tall + 0.39), stuff),
        ]
    )


@kind("fantasy", 3)
def cannon(variant: int, rng: Rng) -> Mesh:
    """A ship's cannon, a field gun on spoked wheels, a mortar with a heap of balls."""
    iron = (f.metal((64, 64, 66), 0.45), f.metal((150, 110, 60), 0.35), f.metal((70, 72, 74), 0.5))[variant]
    wood = f.wood(rng, ("oak", "mahogany", "weathered")[variant])
    length = (1.5, 1.7, 0.7)[variant]
    r = (0.16, 0.13, 0.28)[variant]
    barrel_shape = lathe(
        [
            (0, -0.1),
            (0.06, -0.12),
            (0.05, -0.03),
            (r * 1.25, 0),
            (r * 1.3, 0.1),
            (r * 1.15, 0.14),
            (r * 1.1, length * 0.5),
            (r * 1.18, length * 0.52),
            (r * 0.9, length * 0.9),
            (r * 1.2, length * 0.96),
            (r * 1.15, length),
            (r * 0.55, length),
            (r * 0.5, length * 0.7),
        ],
        iron,
        detail=28,
    )
    tilt = (82, 76, 40)[variant]
    gun = turned(barrel_shape, "y", tilt)
    balls = [
        ellipsoid((x, y, z), 0.1, f.metal((50, 50, 52), 0.4), detail=18)
        for x, y, z in ((0, 0, 0.1), (0.2, 0, 0.1), (0.1, 0.17, 0.1), (0.1, 0.06, 0.26))
    ]
    if variant == 1:
        wheels = mirrored(moved(wheel(0.6, 0.09, wood, wood, spokes=12), 0.35, 0.48, 0.6))
        trail = sweep([(0.35, 0, 0.6), (-1.1, 0, 0.08)], [0.12, 0.08], wood, detail=8)
        return whole(
            [moved(gun, -0.3, 0, 0.72), wheels, trail, cylinder((0.35, -0.5, 0.6), (0.35, 0.5, 0.6), 0.05, f.steel())]
        )
    if variant == 0:
        carriage: Parts = [
            mirrored(
                _along_y(
                    np.array(
                        [
                            (-0.5, 0.12),
                            (0.7, 0.12),
                            (0.7, 0.5),
                            (0.2, 0.5),
                            (0.1, 0.36),
                            (-0.2, 0.36),
                            (-0.3, 0.24),
                            (-0.5, 0.24),
                        ]
                    ),
                    0.05,
                    wood,
                ).transformed(np.array([[1, 0, 0, 0], [0, 1, 0, 0.2], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
            ),
            slab((-0.5, -0.18, 0.14), (0.65, 0.18, 0.2), wood),
        ]
        small = [moved(wheel(0.14, 0.09, wood, f.steel()), x, y, 0.14) for x in (0.5, -0.35) for y in (0.3, -0.3)]
        return whole([moved(gun, -0.4, 0, 0.5), *carriage, *small, *[moved(b, -0.2, 0.62) for b in balls]])
    bed_block: Parts = [
        block(0, 0, 0, 0.9, 0.7, 0.3, wood),
        mirrored(slab((-0.2, 0.28, 0.3), (0.25, 0.36, 0.62), wood)),
    ]
    return whole([moved(gun, -0.12, 0, 0.42), *bed_block, *[moved(b, 0.1, 0.6) for b in balls]])


@kind("fantasy", 2)
def cauldron(variant: int, rng: Rng) -> Mesh:
    """A cauldron over a fire, a bubbling one."""
    return _cauldron_family(variant, rng)


@kind("fantasy", 1)
def teapot(_variant: int, rng: Rng) -> Mesh:
    """A giant teapot."""
    return _cauldron_family(2, rng)


def _cauldron_family(variant: int, rng: Rng) -> Mesh:
    """A witch's cauldron over a fire, a bubbling one, a giant teapot."""
    iron = f.metal((44, 44, 46), 0.5)
    if variant == 2:
        pot = f.ceramic((60, 110, 170))
        body: Parts = [
            lathe([(0, 0), (0.3, 0), (0.46, 0.16), (0.5, 0.36), (0.4, 0.6), (0.2, 0.7), (0, 0.7)], pot, detail=40),
            lathe([(0, 0.69), (0.21, 0.69), (0.16, 0.76), (0, 0.8)], pot),
            ellipsoid((0, 0, 0.84), 0.06, f.brass(), detail=14),
        ]
        spout = sweep(
            curve([(0.42, 0, 0.26), (0.65, 0, 0.35), (0.72, 0, 0.55), (0.85, 0, 0.66)], 16),
            np.linspace(0.13, 0.05, 16),
            pot,
        )
        handle = sweep(curve([(-0.4, 0, 0.56), (-0.72, 0, 0.58), (-0.76, 0, 0.34), (-0.46, 0, 0.2)], 20), 0.045, pot)
        dots = ringed(ellipsoid((0.49, 0, 0.34), (0.015, 0.07, 0.07), f.ceramic((240, 236, 226)), detail=12), 9, 20)
        return whole([*body, spout, handle, dots])
    pot_shape = lathe(
        [
            (0, 0.22),
            (0.25, 0.26),
            (0.46, 0.45),
            (0.48, 0.65),
            (0.36, 0.86),
            (0.42, 0.9),
            (0.38, 0.92),
            (0.32, 0.86),
            (0.3, 0.8),
            (0, 0.8),
        ],
        iron,
        detail=36,
    )
    feet = ringed(sweep([(0.3, 0, 0.32), (0.36, 0, 0.0)], [0.06, 0.03], iron), 3)
    ears = mirrored(sweep(arc((0, 0.44, 0.8), 0.09, -90, 90, "yz", 12), 0.02, iron))
    brew = lathe([(0, 0.81), (0.32, 0.81), (0, 0.83)], f.plastic((80, 190, 60), 0.1))
    parts: Parts = [pot_shape, feet, ears, brew]
    if variant == 1:
        parts += [
            ellipsoid((float(a), float(b), 0.84), float(s), f.plastic((110, 210, 80), 0.1), detail=12)
            for (a, b), s in zip(rng.uniform(-0.2, 0.2, (9, 2)), rng.uniform(0.04, 0.1, 9), strict=True)
        ]
        return whole([*parts, sweep([(0.05, 0, 0.75), (-0.35, 0, 1.5)], 0.022, f.wood(rng, "oak"))])
    logs = [
        turned(sweep([(0.05, 0, 0.06), (0.65, 0, 0.06)], 0.06, f.wood(rng, "walnut")), "z", a)
        for a in np.linspace(0, 360, 7, endpoint=False)
    ]
    flames = [
        horn(
            [
                (0.2 * np.cos(a), 0.2 * np.sin(a), 0.06),
                (0.24 * np.cos(a), 0.24 * np.sin(a), 0.2),
                (0.2 * np.cos(a + 0.4), 0.2 * np.sin(a + 0.4), 0.34),
            ],
            0.07,
            Material("flame", (1.2, 0.42, 0.06), "emissive"),
        )
        for a in np.linspace(0.3, 6.6, 8, endpoint=False)
    ]
    tripod = ringed(sweep([(0.75, 0, 0), (0.02, 0, 1.6)], 0.025, iron), 3, 30)
    return whole([moved(parts, z=0.12), *logs, *flames, tripod, cylinder((0, 0, 1.0), (0, 0, 1.55), 0.01, iron)])


@kind("fantasy", 3)
def gnome(variant: int, rng: Rng) -> Mesh:
    """A garden gnome with a lantern, a sitting one, one with a fishing rod."""
    hat = f.plastic(((200, 36, 34), (40, 90, 170), (60, 140, 70))[variant], 0.4)
    coat, beard, skin = (
        f.plastic(((40, 80, 160), (60, 130, 70), (190, 120, 40))[variant], 0.45),
        f.plastic((240, 236, 228), 0.5),
        f.plastic((232, 180, 150), 0.4),
    )
    boots = f.plastic((70, 46, 30), 0.4)
    body = (
        Body()
        .chain([(0, 0, 0.2), (0, 0, 0.38)], (0.17, 0.13))
        .chain([(0.02, 0.14, 0.42), (0.1, 0.22, 0.3), (0.17, 0.16, 0.28)], (0.055, 0.05, 0.05), both=True)
    )
    parts: Parts = [
        body.skin(coat, cell_m=0.025, soft=0.03),
        ellipsoid((0.02, 0, 0.58), (0.12, 0.12, 0.13), skin, detail=20),
        ellipsoid((0.14, 0, 0.57), 0.035, skin, detail=12),
        mirrored(ellipsoid((0.115, 0.045, 0.61), 0.017, f.plastic((20, 20, 22), 0.1), detail=8)),
    ]
    beard_body = (
        Body()
        .chain([(0.09, 0, 0.51), (0.13, 0, 0.4), (0.14, 0, 0.3)], (0.09, 0.075, 0.02))
        .ball((0.05, 0.08, 0.52), 0.06, both=True)
    )
    parts += [
        beard_body.skin(beard, cell_m=0.02, soft=0.03),
        sweep(
            curve([(0, 0, 0.64), (-0.01, 0, 0.82), (-0.08, 0, 1.02)], 14), np.linspace(0.135, 0.008, 14), hat, detail=20
        ),
    ]
    if variant == 1:
        parts += [
            mirrored(
                [
                    capsule((0.08, 0.09, 0.1), (0.3, 0.11, 0.08), 0.07, f.plastic((90, 80, 120))),
                    ellipsoid((0.36, 0.11, 0.11), (0.07, 0.065, 0.1), boots, detail=14),
                ]
            ),
            lathe([(0, -0.12), (0.24, -0.12), (0.2, 0.05), (0, 0.08)], f.stone(rng)),
        ]
    else:
        parts.append(mirrored(ellipsoid((0.06, 0.085, 0.05), (0.13, 0.075, 0.06), boots, detail=16)))
    if variant == 0:
        parts += [
            cylinder((0.2, 0.19, 0.28), (0.2, 0.19, 0.2), 0.008, f.brass()),
            lathe([(0, 0), (0.05, 0), (0.045, 0.1), (0, 0.14)], f.plastic((250, 210, 90), 0.1)).transformed(
                np.array([[1, 0, 0, 0.2], [0, 1, 0, 0.19], [0, 0, 1, 0.08], [0, 0, 0, 1.0]])
            ),
        ]
    if variant == 2:
        parts += [
            sweep([(0.1, 0.17, 0.2), (0.75, 0.17, 0.85)], [0.014, 0.005], f.wood(rng, "birch")),
            cylinder((0.75, 0.17, 0.85), (0.75, 0.17, 0.3), 0.003, f.steel(), detail=4),
            ellipsoid((0.75, 0.17, 0.26), (0.03, 0.012, 0.06), f.plastic((230, 120, 60)), detail=10),
        ]
    return scaled(parts, 1.1)


@kind("fantasy", 2)
def octopus(variant: int, rng: Rng) -> Mesh:
    """A red octopus, a purple one with raised arms."""
    return _octopus_family(variant, rng)


@kind("fantasy", 1)
def sea_serpent(_variant: int, rng: Rng) -> Mesh:
    """A sea serpent's coils."""
    return _octopus_family(2, rng)


def _octopus_family(variant: int, rng: Rng) -> Mesh:
    """A red octopus, a purple one with raised arms, a sea serpent's coils."""
    if variant == 2:
        t = np.linspace(0, 1, 50)
        path = np.stack(
            [
                -1.8 + 3.6 * t,
                0.3 * np.sin(5 * t),
                0.75 * np.abs(np.sin(2.5 * np.pi * t)) + 0.6 * np.clip(t - 0.85, 0, 1) * 6,
            ],
            1,
        )
        body = Body().chain([tuple(p) for p in path], list(np.interp(t, [0, 0.2, 0.8, 1], [0.03, 0.2, 0.22, 0.17])))
        at = path[-1]
        body.ball(at, 0.22).rod(at, at + (0.42, 0, -0.04), 0.17, 0.12)
        fins = [
            horn([p + (0, 0, 0.18), p + (-0.05, 0, 0.3), p + (-0.1, 0, 0.4)], 0.07, f.leather(rng, (220, 160, 60)))
            for p in path[6:-2:3]
            if p[2] > 0.3
        ]
        eye = mirrored(ellipsoid(at + (0.14, 0.15, 0.1), 0.05, f.plastic((250, 230, 80), 0.1), detail=10))
        return whole(
            [_hide(rng, body, _scales(rng, (30, 100, 90), (190, 200, 130)), 0.9, cell_m=0.055, soft=0.06), *fins, eye]
        )
    color = ((196, 60, 44), (120, 60, 150))[variant]
    body = Body().ball((-0.05, 0, 0.75), (0.36, 0.33, 0.42)).ball((0.05, 0, 0.4), (0.3, 0.3, 0.22))
    for k in range(8):
        a = 2 * np.pi * (k + 0.5) / 8
        up = 0.5 if variant == 1 and k % 2 else 0.0
        c, s = np.cos(a), np.sin(a)
        c2, s2 = np.cos(a + 0.5), np.sin(a + 0.5)
        arm = curve(
            [
                (0.15 * c, 0.15 * s, 0.3),
                (0.55 * c, 0.55 * s, 0.18 + up * 0.5),
                (0.9 * c2, 0.9 * s2, 0.08 + up * 1.2),
                (1.15 * c, 1.15 * s, 0.07 + up * 1.9),
                (1.1 * np.cos(a - 0.2), 1.1 * np.sin(a - 0.2), 0.16 + up * 2.2),
            ],
            12,
        )
        body.chain([tuple(p) for p in arm], list(np.linspace(0.14, 0.03, 12)))
    skin = body.skin(f.leather(rng, color), cell_m=0.05, soft=0.08)
    spots = noise3(rng, 0.12)
    light = tuple(min(v + 50, 250) for v in color)
    coat = painted(
        skin,
        f.coat(rng, [(0, light), (0.3, light), (0.5, color), (1, color)], shiny=True),
        lambda p: 0.5 + 0.4 * spots(p),
    )
    eye = mirrored(
        [
            ellipsoid((0.24, 0.17, 0.62), 0.08, f.plastic((244, 236, 200), 0.1), detail=14),
            ellipsoid((0.3, 0.19, 0.62), (0.025, 0.045, 0.03), f.plastic((12, 12, 12), 0.1), detail=10),
        ]
    )
    return whole([coat, eye])


@kind("fantasy", 1)
def ghost(_variant: int, rng: Rng) -> Mesh:
    """A sheet ghost."""
    return _ghost_family(0, rng)


@kind("fantasy", 1)
def jack_in_the_box(_variant: int, rng: Rng) -> Mesh:
    """A jack-in-the-box."""
    return _ghost_family(1, rng)


def _ghost_family(variant: int, rng: Rng) -> Mesh:
    """A sheet ghost, and a jack-in-the-box."""
    if variant == 1:
        return _jack(rng)
    turn = np.linspace(0, 2 * np.pi, 49)[:-1]
    rows = []
    for z in np.linspace(0, 1, 22):
        r = 0.5 * (1 - 0.45 * z) if z < 0.75 else 0.34 * np.sqrt(max(0.0, 1 - ((z - 0.75) / 0.25) ** 2))
        fold = 1 + 0.16 * (1 - z) ** 2 * np.sin(9 * turn)
        rows.append(
            np.stack(
                [
                    max(r, 0.003) * fold * np.cos(turn),
                    max(r, 0.003) * fold * np.sin(turn),
                    1.7 * z + 0.06 * (1 - z) ** 4 * np.sin(9 * turn + 1),
                ],
                1,
            )
        )
    sheet = loft(np.array(rows), f.fabric(rng, (236, 236, 240)))
    holes = mirrored(ellipsoid((0.29, 0.1, 1.38), (0.05, 0.05, 0.085), f.matt((14, 14, 18)), detail=14))
    mouth = ellipsoid((0.345, 0, 1.14), (0.04, 0.06, 0.08), f.matt((14, 14, 18)), detail=14)
    arms = mirrored(
        sweep(
            curve([(0.05, 0.25, 1.0), (0.25, 0.42, 1.05), (0.45, 0.48, 1.0)], 10),
            np.linspace(0.14, 0.06, 10),
            f.fabric(rng, (236, 236, 240)),
        )
    )
    return whole([sheet, holes, mouth, arms])


def _jack(rng: Rng) -> Mesh:
    """A jack-in-the-box."""
    box_paint = f.paint((40, 90, 180))
    t = np.linspace(0, 5 * 2 * np.pi, 80)
    spring = sweep(np.stack([0.13 * np.cos(t), 0.13 * np.sin(t), 0.5 + 0.5 * t / t[-1]], 1), 0.016, f.steel(), detail=6)
    head: Parts = [
        ellipsoid((0, 0, 1.15), 0.2, f.plastic((244, 210, 180), 0.3), detail=24),
        ellipsoid((0.2, 0, 1.14), 0.055, f.plastic((220, 40, 40), 0.2), detail=14),
        mirrored(ellipsoid((0.17, 0.08, 1.22), 0.03, f.plastic((20, 20, 24), 0.1), detail=8)),
        sweep(arc((0.16, 0, 1.12), 0.1, 215, 325, "yz", 10), 0.016, f.plastic((200, 30, 40))),
    ]
    jester = mirrored(
        [
            horn([(0, 0.08, 1.3), (0, 0.26, 1.5), (0, 0.36, 1.36)], 0.1, f.fabric(rng, (200, 40, 60))),
            ellipsoid((0, 0.37, 1.34), 0.035, f.brass(), detail=10),
        ]
    )
    lid = turned(slab((-0.3, -0.3, 0.5), (0.3, 0.3, 0.53), f.paint((220, 50, 50))), "y", -105, (-0.3, 0, 0.5))
    stars = [
        turned(
            moved(
                lathe([(0, 0), (0.13, 0), (0, 0.02)], f.paint((250, 200, 40)), detail=5).transformed(
                    np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
                ),
                0.3,
                0,
                0.25,
            ),
            "z",
            90 * k,
        )
        for k in range(4)
    ]
    return whole(
        [
            slab((-0.3, -0.3, 0), (0.3, 0.3, 0.5), box_paint),
            spring,
            *head,
            jester,
            lid,
            *stars,
            lathe([(0.1, 1.0), (0.24, 0.96), (0.1, 0.98)], f.fabric(rng, (250, 200, 60))),
        ]
    )
