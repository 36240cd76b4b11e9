"""Parts that bicycles and motorcycles share: tubes, thin wheels, saddles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from caos.assets.mesh import Material, Mesh, Part, rotation, translation
from caos.assets.modelling.shapes import cylinder, lathe, sweep
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.wheels import on_axle

_UPRIGHT = rotation("x", -90)
SADDLE = Material("saddle", (0.02, 0.018, 0.017), "plastic", 0.6)
LEATHER = Material("brown leather", (0.13, 0.055, 0.025), "plastic", 0.5)


def tube(points: Sequence[ArrayLike], radius: float | Sequence[float], material: Material, detail: int = 8) -> Part:
    """A thin tube along points."""
    return sweep([np.asarray(p, dtype=np.float64) for p in points], radius, material, detail=detail)


def _ring(radius: float, tyre: float, material: Material, *, flat: float = 1.0, detail: int = 32) -> Part:
    """A torus about the y axis."""
    turn = np.linspace(-np.pi, np.pi, 11)
    profile = np.stack([radius + tyre * np.cos(turn), flat * tyre * np.sin(turn)], 1)
    return lathe(profile, material, detail=detail).transformed(_UPRIGHT)


def bicycle_wheel(x: float, radius: float, tyre: float) -> list[Part | Mesh]:
    """A spoked wheel whose axle stands at x."""
    parts = [
        _ring(radius - tyre, tyre, finishes.RUBBER),
        _ring(radius - 2 * tyre - 0.006, 0.011, finishes.ALLOY, detail=28),
    ]
    parts.append(cylinder((0, -0.045, 0), (0, 0.045, 0), 0.02, finishes.ALLOY, detail=10))
    rim = radius - 2 * tyre - 0.01
    for k in range(20):
        angle = 2 * np.pi * k / 20
        side = 0.03 if k % 2 else -0.03
        parts.append(tube([(0, side, 0), (rim * np.cos(angle), 0, rim * np.sin(angle))], 0.0022, finishes.ALLOY, 3))
    return [*on_axle((p.transformed(translation(x, 0, radius)) for p in parts), x, radius)]


def motor_wheel(
    x: float, radius: float, tyre: float, width: float, rim: Material, *, spokes: int = 5
) -> list[Part | Mesh]:
    """A cast wheel with a brake disc, its axle at x."""
    flat = width / 2 / tyre
    parts = [
        _ring(radius - tyre, tyre, finishes.RUBBER, flat=flat),
        _ring(radius - 2 * tyre, 0.016, rim, flat=2.2, detail=28),
    ]
    parts.append(cylinder((0, -0.06, 0), (0, 0.06, 0), 0.045, rim, detail=12))
    reach = radius - 2 * tyre
    for k in range(spokes):
        angle = 2 * np.pi * k / spokes
        parts.append(tube([(0, 0, 0), (reach * np.cos(angle), 0, reach * np.sin(angle))], [0.026, 0.018], rim, 6))
    parts.append(
        lathe([(0.6 * reach, 0.062), (0.38 * reach, 0.062)], finishes.STEEL, detail=20, smooth=False).transformed(
            _UPRIGHT
        )
    )
    return [*on_axle((p.transformed(translation(x, 0, radius)) for p in parts), x, radius)]


def pair_y(make: Callable[[float], list[Part]]) -> list[Part]:
    """Call a function for the right (1) and the left side (-1) and join the results."""
    return [*make(1.0), *make(-1.0)]
