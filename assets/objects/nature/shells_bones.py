"""Seashells, starfish, skulls and bones."""

# ruff: noqa: RUF005 - sums of an array and a tuple are vectors here

from __future__ import annotations

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Mesh
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Rng, curve, mirrored, turned, whole
from caos.assets.modelling.bodies import Body, horn
from caos.assets.modelling.shapes import ellipsoid, loft, sweep


@kind(2)
def seashell(variant: int, rng: Rng) -> Mesh:
    """A giant snail shell, a scallop."""
    return _seashell_family(variant, rng)


@kind(1)
def starfish(_variant: int, rng: Rng) -> Mesh:
    """A starfish."""
    return _seashell_family(2, rng)


def _seashell_family(variant: int, rng: Rng) -> Mesh:
    """A giant snail shell, a scallop, a starfish."""
    if variant == 2:
        body = Body().ball((0, 0, 0.1), (0.25, 0.25, 0.12))
        for k in range(5):
            a = 2 * np.pi * k / 5
            body.chain(
                [
                    (0.1 * np.cos(a), 0.1 * np.sin(a), 0.1),
                    (0.45 * np.cos(a), 0.45 * np.sin(a), 0.08),
                    (0.75 * np.cos(a + 0.1), 0.75 * np.sin(a + 0.1), 0.05),
                ],
                (0.16, 0.11, 0.04),
            )
        dots = [
            ellipsoid((r * np.cos(a), r * np.sin(a), 0.23 - 0.12 * r), 0.025, f.matt((246, 200, 150)), detail=8)
            for a in np.linspace(0, 2 * np.pi, 5, endpoint=False)
            for r in np.linspace(0.1, 0.6, 6)
        ]
        return whole([body.skin(f.leather(rng, (220, 96, 50)), cell_m=0.035, soft=0.06), *dots])
    if variant == 1:
        fan = np.linspace(-1.15, 1.15, 61)
        rows = []
        for s in np.linspace(0.06, 1, 16):
            r = 0.75 * s
            bulge = 0.24 * np.sin(np.pi * min(s * 0.75, 1)) * np.cos(fan) + 0.025 * s * np.cos(26 * fan)
            rows.append(np.stack([r * np.cos(fan), r * np.sin(fan), bulge + 0.08], 1))
        shell = np.array(rows)
        stuff = f.ceramic((240, 190, 160))
        lower = shell * (1, 1, -0.15) + (0, 0, 0.1)
        return turned(
            [
                loft(shell[::-1], stuff, closed=False, caps=False),
                loft(lower, stuff, closed=False, caps=False),
                ellipsoid((0.02, 0, 0.1), (0.08, 0.2, 0.06), stuff, detail=14),
            ],
            "y",
            -24,
        )
    t = np.linspace(0.0, 5 * 2 * np.pi, 110)
    grow = np.exp(0.115 * t) / np.exp(0.115 * t[-1])
    path = np.stack([0.4 * grow * np.cos(t), 0.4 * grow * np.sin(t), -0.9 * grow], 1)
    shell_part = sweep(path, 0.3 * grow + 0.004, f.marble(rng, (226, 190, 150), (150, 90, 50)), detail=18)
    return turned(shell_part, "y", 70)


@kind(1)
def skull(_variant: int, rng: Rng) -> Mesh:
    """A steer's skull."""
    return _skull_family(0, rng)


@kind(2)
def bones(variant: int, rng: Rng) -> Mesh:
    """A giant animal's rib cage, a big bone."""
    return _skull_family((1, 2)[variant], rng)


def _skull_family(variant: int, rng: Rng) -> Mesh:
    """A steer's skull, a giant animal rib cage, a big bone."""
    bone = f.leather(rng, (226, 216, 190))
    if variant == 2:
        body = (
            Body()
            .rod((-0.4, 0, 0.1), (0.4, 0, 0.1), 0.07)
            .ball((0.45, 0.08, 0.11), 0.11, both=True)
            .ball((-0.45, 0.08, 0.11), 0.11, both=True)
        )
        return whole(body.skin(bone, cell_m=0.03, soft=0.05))
    if variant == 1:
        spine = curve([(-1.2, 0, 0.9), (0, 0, 1.05), (1.2, 0, 0.8)], 14)
        ribs = [
            mirrored(
                sweep(
                    curve([p, p + (0.05, 0.45, -0.1), p + (0.12, 0.55, -0.5), p + (0.1, 0.25, -p[2] + 0.03)], 14),
                    np.linspace(0.05, 0.02, 14),
                    bone,
                    detail=8,
                )
            )
            for p in spine[1:-1:1]
        ]
        return whole(
            [sweep(spine, 0.07, bone), *[ellipsoid(p, (0.07, 0.1, 0.11), bone, detail=10) for p in spine], *ribs]
        )
    body = (
        Body()
        .ball((-0.05, 0, 0.25), (0.24, 0.2, 0.16))
        .rod((0.0, 0, 0.22), (0.45, 0, 0.1), 0.14, 0.075)
        .ball((0.06, 0.17, 0.26), (0.09, 0.06, 0.07), both=True)
    )
    dark = f.matt((34, 26, 20))
    sockets = mirrored(
        [
            ellipsoid((0.1, 0.2, 0.28), (0.055, 0.04, 0.05), dark, detail=12),
            ellipsoid((0.49, 0.035, 0.13), (0.04, 0.02, 0.03), dark, detail=8),
        ]
    )
    horns = mirrored(
        horn(
            [(-0.1, 0.15, 0.35), (-0.12, 0.42, 0.42), (-0.02, 0.62, 0.62), (0.05, 0.6, 0.8)],
            0.065,
            f.wood(rng, "walnut"),
        )
    )
    return whole([body.skin(bone, cell_m=0.03, soft=0.05), sockets, horns])
