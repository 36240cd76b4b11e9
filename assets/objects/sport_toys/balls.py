"""Balls and bowling pins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caos.assets.catalogue.kinds import kind
from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import (
    Parts,
    Pattern,
    Points,
    Rng,
    arc,
    block,
    curve,
    moved,
    painted,
    scaled,
    turned,
    whole,
)
from caos.assets.modelling.shapes import ellipsoid, lathe, loft, sweep


@kind(6)
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


@kind(2)
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
