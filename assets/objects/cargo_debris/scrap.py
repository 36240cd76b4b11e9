"""Scrap and rubbish: tyres, rope, metal and bags."""

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Parts, Rng, curve, moved, noise3, pad, ringed, slab, turned, whole
from caos.assets.modelling.shapes import blob, lathe, loft, sweep


@kind(4)
def tyre_stack(variant: int, rng: Rng) -> Mesh:
    """A stack of four, a single tyre that stands, a heap, a tractor tyre."""
    if variant == 3:
        return turned(_tyre(0.75, 0.45, 26), "x", 82)
    if variant == 1:
        return turned(_tyre(0.34, 0.22, 40), "x", 84)
    if variant == 0:
        return whole(
            [
                moved(
                    _tyre(0.33 + 0.015 * (i % 2), 0.2, 28),
                    float(rng.uniform(-0.04, 0.04)),
                    float(rng.uniform(-0.04, 0.04)),
                    0.1 + 0.2 * i,
                )
                for i in range(4)
            ]
        )
    low = [moved(_tyre(0.33, 0.2, 24), 0.36 * np.cos(a), 0.36 * np.sin(a), 0.1) for a in (0.3, 2.4, 4.5)]
    return whole(
        [
            *low,
            moved(turned(_tyre(0.33, 0.2, 24), "y", 22), 0.02, 0.1, 0.36),
            moved(turned(_tyre(0.31, 0.19, 24), "x", 74), -0.55, 0.5, 0.3),
        ]
    )


def _tyre(radius: float, width: float, treads: int) -> Mesh:
    rubber, w = f.rubber(), width / 2
    r = radius
    section = [
        (0.58 * r, -0.8 * w),
        (0.72 * r, -w),
        (0.92 * r, -0.95 * w),
        (0.98 * r, -0.7 * w),
        (0.98 * r, 0.7 * w),
        (0.92 * r, 0.95 * w),
        (0.72 * r, w),
        (0.58 * r, 0.8 * w),
        (0.64 * r, 0.0),
        (0.58 * r, -0.8 * w),
    ]
    lug = [
        turned(
            slab(
                (0.965 * r, -0.05 * r, s * 0.38 * w - 0.34 * w), (1.01 * r, 0.05 * r, s * 0.38 * w + 0.34 * w), rubber
            ),
            "x",
            s * 18,
        )
        for s in (1, -1)
    ]
    return whole([lathe(section, rubber, detail=32), ringed(lug[0], treads), ringed(lug[1], treads, 180 / treads)])


@kind(3)
def rope_coil(variant: int, rng: Rng) -> Mesh:
    """A neat coil of ship's rope, a chain heap, a tangle of garden hose."""
    if variant == 1:
        steel = f.rusty(rng, (110, 104, 98), 0.5)
        link = whole(
            sweep(
                np.array(
                    [
                        (0.06 * np.cos(a) + 0.03 * np.sign(np.cos(a)), 0.045 * np.sin(a), 0)
                        for a in np.linspace(0, 2 * np.pi, 15)
                    ]
                ),
                0.014,
                steel,
                detail=7,
                caps=False,
            )
        )
        turn = np.linspace(0, 5 * 2 * np.pi, 72)
        parts: Parts = []
        for k, a in enumerate(turn):
            r = 0.16 + 0.011 * a
            z = 0.05 + 0.25 * max(0.0, 1 - r / 0.5)
            parts.append(
                moved(
                    turned(turned(link, "x", 90 * (k % 2)), "z", float(np.degrees(a) + 90)),
                    r * np.cos(a),
                    r * np.sin(a),
                    z,
                )
            )
        return whole(parts)
    material = f.fabric(rng, (190, 160, 104)) if variant == 0 else f.plastic((40, 140, 70), 0.4)
    thick = 0.035 if variant == 0 else 0.018
    if variant == 0:
        turn = np.linspace(0, 6 * 2 * np.pi, 200)
        level = np.floor(turn / (2 * np.pi) / 2) * 0.062
        path = np.stack(
            [
                (0.3 + 0.036 * np.sin(turn / 4)) * np.cos(turn),
                (0.3 + 0.036 * np.sin(turn / 4)) * np.sin(turn),
                thick + np.interp(turn, turn, level) + 0.0,
            ],
            1,
        )
        path[:, 2] = thick + 0.032 * turn / (2 * np.pi)
    else:
        turn = np.linspace(0, 9 * 2 * np.pi, 300)
        field = noise3(rng, 3.0)
        wob = field(np.stack([turn, 0 * turn, 0 * turn], 1))
        path = np.stack(
            [
                (0.36 + 0.1 * wob) * np.cos(turn),
                (0.36 + 0.1 * wob) * np.sin(turn) * 0.8,
                thick + 0.02 * turn / (2 * np.pi) + 0.02 * np.abs(wob),
            ],
            1,
        )
    tail = curve([path[-1], path[-1] + (0.2, 0.25, 0), (0.9, 0.35, thick), (1.1, 0.1, thick)], 14)
    return whole(sweep(np.concatenate([path, tail[1:]]), thick, material, detail=8))


@kind(3)
def scrap_metal(variant: int, rng: Rng) -> Mesh:
    """A bent exhaust pipe with silencer, a crumpled metal sheet, a heap of cans and springs."""
    rust, steel = f.rusty(rng, (130, 126, 120), 0.55), f.steel()
    if variant == 0:
        pipe = sweep(
            curve([(-0.9, 0, 0.06), (-0.3, 0.05, 0.1), (0.1, -0.15, 0.16), (0.5, 0.1, 0.1), (0.95, 0.05, 0.14)], 30),
            0.035,
            rust,
        )
        silencer = turned(pad(0, 0, -0.09, 0.55, 0.26, 0.18, rust, 0.5), "z", 10).transformed(
            np.array([[1, 0, 0, -0.25], [0, 1, 0, 0.03], [0, 0, 1, 0.11], [0, 0, 0, 1.0]])
        )
        return whole(
            [pipe, silencer, sweep(curve([(0.3, 0.0, 0.1), (0.4, -0.3, 0.08), (0.7, -0.35, 0.06)], 10), 0.03, rust)]
        )
    if variant == 1:
        x, y = np.meshgrid(np.linspace(-0.9, 0.9, 40), np.linspace(-0.6, 0.6, 28), indexing="ij")
        a, b = noise3(rng, 0.7), noise3(rng, 0.25)
        p = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1)
        z = 0.3 + 0.2 * a(p) + 0.05 * b(p) + 0.05 * np.sin(22 * p[:, 1])
        rows = np.stack([x + 0.1 * a(p[:, [1, 0, 2]]).reshape(x.shape), y, z.reshape(x.shape)], -1)
        return whole(
            [
                loft(rows, rust, closed=False, caps=False, smooth=False),
                loft(rows[::-1] - (0, 0, 0.006), rust, closed=False, caps=False, smooth=False),
            ]
        )
    parts: Parts = []
    for k in range(14):
        paint = f.paint(f.BRIGHT[k % 9]) if k % 2 else steel
        can = moved(lathe([(0, 0), (0.06, 0), (0.06, 0.16), (0, 0.16)], paint, detail=16, smooth=False), z=-0.08)
        lying = turned(turned(can, "y", 90), "z", float(rng.uniform(0, 360)))
        far, turn = 0.13 * np.sqrt(k + 0.5), 2.4 * k
        parts.append(moved(lying, far * np.cos(turn), far * np.sin(turn), 0.06))
    t = np.linspace(0, 7 * 2 * np.pi, 120)
    spring = sweep(np.stack([0.08 * np.cos(t), 0.08 * np.sin(t), 0.055 * t / (2 * np.pi)], 1), 0.013, rust, detail=6)
    return whole([*parts, moved(spring, 0.62, 0.1, 0.0), moved(turned(spring, "x", 90), -0.6, 0.3, 0.09)])


@kind(3)
def rubbish_bags(variant: int, rng: Rng) -> Mesh:
    """One black bag, a heap of them, coloured sacks with a broken one."""
    parts: Parts = []
    spots = (
        [(0, 0, 0)]
        if variant == 0
        else [(0, 0, 0), (0.5, 0.25, 0), (-0.3, 0.5, 0), (0.2, 0.3, 0.38)]
        if variant == 1
        else [(0, 0, 0), (0.5, -0.1, 0), (0.1, 0.5, 0)]
    )
    colors = [(28, 28, 30)] if variant < 2 else [(40, 90, 170), (240, 200, 40), (60, 60, 64)]
    for k, (x, y, z) in enumerate(spots):
        plastic = f.plastic(colors[k % len(colors)], 0.22)
        fold, big = noise3(rng, 0.09), noise3(rng, 0.35)

        def bag(p: np.ndarray, fold=fold, big=big) -> np.ndarray:  # type: ignore[no-untyped-def]
            r = np.linalg.norm((p - (0, 0, 0.27)) / (0.3, 0.3, 0.28), axis=1)
            neck = np.linalg.norm(p[:, :2], axis=1) - (0.03 + 0.25 * np.abs(p[:, 2] - 0.58))
            neck = np.where((p[:, 2] > 0.5) & (p[:, 2] < 0.72), neck, 1.0)
            out: np.ndarray = np.minimum((r - 1) * 0.28 + 0.018 * fold(p) + 0.03 * big(p), neck)
            floored: np.ndarray = np.maximum(out, -p[:, 2])
            return floored

        skin = blob(bag, (-0.42, -0.42, 0.0), (0.42, 0.42, 0.75), plastic, cell_m=0.036)
        parts.append(moved(turned(skin, "z", float(rng.uniform(0, 360))), x, y, z))
    return whole(parts)
