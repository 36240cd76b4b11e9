"""Dragons, octopuses and sea serpents."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import itertools

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, curve, mirrored, moved, noise3, painted, whole
from caos.assets.modelling.bodies import Body, horn
from caos.assets.modelling.shapes import ellipsoid, extrude, loft, sweep
from caos.assets.objects.fantasy.hides import scaly_coat, shaded_hide


@kind(3)
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
    look = scaly_coat(rng, dark, light)
    bone = f.ceramic((230, 216, 180))
    parts: Parts = [
        shaded_hide(rng, body, look, 1.2, cell_m=0.066, soft=0.11),
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
    look = scaly_coat(rng, (30, 120, 110), (226, 190, 80))
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
            shaded_hide(rng, body, look, 0.9, cell_m=0.058, soft=0.07),
            *spikes,
            *face,
            mane.skin(mane_stuff, cell_m=0.045, soft=0.03),
        ]
    )


@kind(2)
def octopus(variant: int, rng: Rng) -> Mesh:
    """A red octopus, a purple one with raised arms."""
    return _octopus_family(variant, rng)


@kind(1)
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
            [
                shaded_hide(rng, body, scaly_coat(rng, (30, 100, 90), (190, 200, 130)), 0.9, cell_m=0.055, soft=0.06),
                *fins,
                eye,
            ]
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
