"""Wheelchair, for the walkers that can use one in CARLA."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caos.assets.mesh import Material, Part, rotation, translation
from caos.assets.modelling.shapes import cylinder, lathe, rounded_box, sweep
from caos.assets.street.people.figures import Figure, cloth
from caos.assets.street.people.poses import SIDES, BodyPose, Points, riding

WHEEL_M = 0.3
SEAT_Z = 0.5
_STEEL = Material("wheelchair frame", (0.35, 0.36, 0.38), "metal", 0.3)
_RUBBER = Material("wheelchair tyre", (0.025, 0.025, 0.026), "plastic", 0.8)
_UPRIGHT = rotation("x", -90)


def dressed_to_sit(figure: Figure) -> Figure:
    """Change clothes that cannot be modelled sitting: trousers for skirts, a jacket for a coat, no bag."""
    dress = figure.bottom == "dress"
    return replace(
        figure,
        bottom="trousers" if figure.bottom in ("skirt", "long_skirt", "dress") else figure.bottom,
        top="jacket" if figure.top == "coat" else figure.top,
        top_color=figure.bottom_color if dress else figure.top_color,
        bag="none",
        pose="rest",
    )


def seated(figure: Figure) -> BodyPose:
    """The person sitting in the chair, hands on the wheels."""
    s = figure.size
    grip = np.array([0.12, 0.31, 0.62])
    rest = np.array([0.5 * s, 0.1, 0.14])
    flip = np.array([1, -1, 1])
    return riding(
        figure.frame, (-0.08, 0, SEAT_Z), np.stack([grip, grip * flip]), np.stack([rest, rest * flip]), lean_deg=-4
    )


def wheelchair(figure: Figure) -> list[Part]:
    """The chair's parts."""
    black = cloth((24, 26, 32), 0.6)
    seat = rounded_box((-0.28, -0.22, SEAT_Z - 0.06), (0.24, 0.22, SEAT_Z), 0.025, black, detail=2)
    back = rounded_box((-0.33, -0.22, SEAT_Z), (-0.27, 0.22, SEAT_Z + 0.42), 0.025, black, detail=2)
    parts = [seat, back]
    for side in SIDES:
        parts += [*_wheel(side), *_frame(side, figure.size)]
    return parts


def _wheel(side: float) -> list[Part]:
    turn = np.linspace(-np.pi, np.pi, 9)
    rings = [(WHEEL_M - 0.015, 0.015, 0.27, _RUBBER), (WHEEL_M - 0.05, 0.01, 0.31, _STEEL)]
    parts = []
    for radius, tube, y, material in rings:
        profile = np.stack([radius + tube * np.cos(turn), tube * np.sin(turn)], 1)
        ring = lathe(profile, material, detail=28).transformed(_UPRIGHT)
        parts.append(ring.transformed(translation(-0.12, side * y, WHEEL_M)))
    hub = np.array([-0.12, side * 0.27, WHEEL_M])
    parts.append(cylinder(hub - (0, 0.03, 0), hub - (0, -0.03, 0), 0.03, _STEEL, detail=10))
    for angle in np.arange(12) * np.pi / 6:
        rim = hub + (WHEEL_M - 0.02) * np.array([np.cos(angle), 0, np.sin(angle)])
        parts.append(sweep([hub, rim], 0.003, _STEEL, detail=3))
    return parts


def _frame(side: float, size: float) -> list[Part]:
    y = side * 0.23

    def bar(*points: tuple[float, float]) -> Part:
        path: Points = np.array([(x, y, z) for x, z in points])
        return sweep(path, 0.013, _STEEL, detail=8)

    caster = cylinder((0.3, y - 0.02, 0.07), (0.3, y + 0.02, 0.07), 0.07, _RUBBER, detail=16)
    foot = 0.5 * size
    plate = rounded_box(
        (foot - 0.12, min(0.02 * side, y), 0.11), (foot + 0.08, max(0.02 * side, y), 0.135), 0.01, _STEEL, detail=1
    )
    return [
        bar((-0.3, SEAT_Z + 0.42), (-0.3, SEAT_Z - 0.03), (0.26, SEAT_Z - 0.03), (0.36, 0.3), (foot - 0.06, 0.12)),
        bar((-0.3, SEAT_Z + 0.42), (-0.42, SEAT_Z + 0.42)),
        bar((-0.28, SEAT_Z + 0.2), (0.16, SEAT_Z + 0.2), (0.18, SEAT_Z - 0.03)),
        bar((-0.12, WHEEL_M), (-0.12, SEAT_Z - 0.03)),
        bar((0.3, 0.07), (0.3, 0.34)),
        caster,
        plate,
    ]
