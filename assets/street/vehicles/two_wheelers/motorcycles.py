# ruff: noqa: RUF005  (sums of numpy arrays and tuples, not of lists)
"""Motorcycles: sports bike, cruiser and scooter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.shapes import (
    Distance,
    ball,
    blend,
    blob,
    box,
    cylinder,
    ellipsoid,
    grid_faces,
    rod,
    rounded_box,
)
from caos.assets.street.people.body import build_body
from caos.assets.street.people.figures import Figure
from caos.assets.street.people.poses import riding
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.plan import Points
from caos.assets.street.vehicles.two_wheelers.cycle_parts import LEATHER, SADDLE, motor_wheel, pair_y, tube


class Bodywork(Protocol):
    """Builds fairings, tank and engine."""

    def __call__(self, bike: Motorcycle, paint: Material, *, lit: bool) -> list[Part]:
        """All parts in a paint."""


@dataclass(frozen=True)
class Motorcycle:
    """A motorcycle and its rider; ``body`` builds fairings, tank and engine."""

    wheel: float
    rear_wheel: float
    tyre: float
    width: float
    base: float
    body: Bodywork
    seat: tuple[float, float, float]
    grip: tuple[float, float, float]
    peg: tuple[float, float, float]
    lean_deg: float
    head: tuple[float, float, float]
    tail: tuple[float, float, float]
    riders: tuple[Figure, ...]
    rim: Material = finishes.DARK_ALLOY

    @property
    def front_axle(self) -> Points:
        """Middle of the front wheel."""
        return np.array([self.base / 2, 0, self.wheel])

    @property
    def rear_axle(self) -> Points:
        """Middle of the rear wheel."""
        return np.array([-self.base / 2, 0, self.rear_wheel])

    def build(self, paint: Material, *, rider: int = 0, lit: bool = False) -> list[Part | Mesh]:
        """Build the vehicle's parts."""
        del rider
        parts: list[Part | Mesh] = [
            *motor_wheel(float(self.front_axle[0]), self.wheel, self.tyre, self.width * 0.75, self.rim),
            *motor_wheel(float(self.rear_axle[0]), self.rear_wheel, self.tyre, self.width, self.rim),
        ]
        return [*parts, *self.body(self, paint, lit=lit)]

    def rider(self, choice: int) -> list[Part]:
        """Build the rider's parts."""
        figure = self.riders[choice % len(self.riders)]
        grip, peg = np.array(self.grip), np.array(self.peg)
        mirror = np.array([1, -1, 1])
        pose = riding(
            figure.frame,
            self.seat,
            np.stack([grip, grip * mirror]),
            np.stack([peg, peg * mirror]),
            lean_deg=self.lean_deg,
            foot_pitch_deg=(-8, -8),
        )
        return build_body(figure, pose)

    @property
    def wheelbase(self) -> float:
        """Metres between the axles."""
        return self.base

    def head_points(self) -> Points:
        """Position of the headlamp, ``(1, 3)``."""
        return np.array([self.head])


def _soft(
    shapes: Sequence[Distance],
    low: ArrayLike,
    high: ArrayLike,
    material: Material,
    *,
    cell: float = 0.034,
    softness: float = 0.04,
) -> Part:
    return blob(blend(*shapes, softness=softness), low, high, material, cell_m=cell)


def _fork(bike: Motorcycle, top: Points, radius: float, spread: float = 0.1) -> list[Part]:
    return pair_y(
        lambda s: [
            tube(
                [top + (0, spread * s, 0), bike.front_axle + (0, spread * s, 0)],
                [radius * 1.15, radius],
                finishes.STEEL,
            )
        ]
    )


def _bars(bike: Motorcycle, center: ArrayLike) -> list[Part]:
    middle, grip = np.asarray(center, dtype=np.float64), np.array(bike.grip)

    def one(s: float) -> list[Part]:
        hand = grip * (1, s, 1)
        return [
            tube([middle, 0.5 * (middle + hand) + (0.02, 0, 0.02), hand + (0, 0.03 * s, 0)], 0.013, finishes.TRIM),
            tube([hand - (0.01, 0.05 * s, 0), hand + (-0.01, 0.06 * s, 0)], 0.019, finishes.RUBBER),
        ]

    return pair_y(one)


def _mirrors(root: ArrayLike, tip: ArrayLike) -> list[Part]:
    a, b = np.asarray(root, dtype=np.float64), np.asarray(tip, dtype=np.float64)

    def one(s: float) -> list[Part]:
        flip = np.array([1, s, 1])
        return [
            tube([a * flip, b * flip], 0.008, finishes.TRIM, 6),
            ellipsoid(b * flip, (0.025, 0.06, 0.04), finishes.TRIM, detail=12, rings=8),
        ]

    return pair_y(one)


def _rear_end(x: float, z: float, *, lit: bool) -> list[Part]:
    red = finishes.LIT_TAIL if lit else finishes.TAIL_BRIGHT
    return [
        rounded_box((x - 0.03, -0.06, z - 0.03), (x + 0.05, 0.06, z + 0.03), 0.02, red, detail=2),
        box((x - 0.05, -0.09, z - 0.24), (x - 0.04, 0.09, z - 0.1), finishes.PLATE_WHITE),
        tube([(x, 0, z), (x - 0.04, 0, z - 0.16)], 0.012, finishes.TRIM, 6),
        *pair_y(
            lambda s: [
                ellipsoid((x + 0.02, 0.13 * s, z - 0.05), (0.03, 0.025, 0.02), finishes.AMBER, detail=8, rings=6)
            ]
        ),
    ]


def sport_body(bike: Motorcycle, paint: Material, *, lit: bool) -> list[Part]:
    """A faired sports bike."""
    f, r = bike.front_axle, bike.rear_axle
    head = finishes.LIT_HEAD if lit else finishes.LENS
    fairing = [
        *[rod((f[0] - 0.02, 0.1 * s, 0.88), (f[0] - 0.32, 0.16 * s, 0.6), 0.09, 0.1) for s in (1, -1)],
        *[rod((f[0] - 0.32, 0.15 * s, 0.6), (f[0] - 0.42, 0.12 * s, 0.32), 0.09, 0.06) for s in (1, -1)],
        rod((f[0] + 0.02, 0, 0.9), (f[0] - 0.2, 0, 0.98), 0.09, 0.1),
        *[rod((f[0] - 0.42, 0.1 * s, 0.32), (-0.18, 0.09 * s, 0.27), 0.055, 0.05) for s in (1, -1)],
    ]
    tail = [
        rod((-0.36, 0, 0.8), (-0.86, 0, 0.98), 0.11, 0.06),
        *[rod((-0.36, 0.06 * s, 0.76), (-0.8, 0.07 * s, 0.93), 0.06, 0.04) for s in (1, -1)],
    ]
    tank = [ball((0.12, 0, 0.86), (0.26, 0.145, 0.14)), rod((0.28, 0, 0.86), (-0.1, 0, 0.8), 0.12, 0.1)]
    engine = [
        box((-0.12, -0.16, 0.3), (0.32, 0.16, 0.66), finishes.DARK_ALLOY),
        rounded_box((-0.34, -0.12, 0.36), (-0.05, 0.12, 0.74), 0.05, finishes.TRIM, detail=1),
    ]
    pipe = [
        tube([(0.2, 0.12, 0.3), (-0.2, 0.16, 0.3), (-0.5, 0.19, 0.46)], 0.03, finishes.STEEL),
        tube([(-0.44, 0.19, 0.44), (-0.84, 0.21, 0.66)], [0.05, 0.058], finishes.ALLOY, 12),
    ]
    return [
        _soft(fairing, (-0.3, -0.3, 0.18), (f[0] + 0.2, 0.3, 1.15), paint),
        _soft(tail, (-1.0, -0.22, 0.66), (-0.2, 0.22, 1.1), paint),
        _soft(tank, (-0.2, -0.2, 0.68), (0.46, 0.2, 1.06), paint),
        rounded_box((-0.42, -0.12, 0.8), (-0.08, 0.12, 0.87), 0.03, SADDLE, detail=2),
        ellipsoid((f[0] - 0.14, 0, 1.04), (0.2, 0.13, 0.13), finishes.GLASS, detail=16, rings=10),
        *pair_y(lambda s: [ellipsoid((f[0] + 0.055, 0.075 * s, 0.87), (0.05, 0.055, 0.035), head, detail=12, rings=8)]),
        *engine,
        *pipe,
        *_fork(bike, f + np.array([-0.2, 0, 0.62]), 0.026),
        *_swing_arm(bike),
        _fender(f, bike.wheel + 0.03, 35, 150, paint),
        *_bars(bike, (f[0] - 0.28, 0, 0.98)),
        *_mirrors((f[0] - 0.1, 0.16, 1.02), (f[0] - 0.14, 0.34, 1.12)),
        *_rear_end(-0.92, 0.96, lit=lit),
        *_pegs(bike),
        tube([r, r + (0.1, 0, 0.38)], 0.02, finishes.STEEL, 6),
    ]


def _swing_arm(bike: Motorcycle) -> list[Part]:
    r = bike.rear_axle
    return pair_y(
        lambda s: [tube([r + (0, 0.11 * s, 0), (-0.16, 0.11 * s, 0.42)], [0.024, 0.034], finishes.DARK_ALLOY)]
    )


def _fender(axle: Points, radius: float, start: float, stop: float, material: Material, width: float = 0.075) -> Part:
    """A mudguard: a band over the wheel, rounded across."""
    angle = np.radians(np.linspace(start, stop, 14))
    across = np.linspace(-1, 1, 7)
    a, t = np.meshgrid(angle, across, indexing="ij")
    r = radius - 0.028 * t**2
    vertices = np.stack([axle[0] + r * np.cos(a), width * t, axle[2] + r * np.sin(a)], -1).reshape(-1, 3)
    faces = grid_faces(14, 7)
    return Part(vertices.astype(np.float32), faces[:, ::-1].copy(), material, smooth=True)


def _pegs(bike: Motorcycle) -> list[Part]:
    peg = np.array(bike.peg)
    return pair_y(
        lambda s: [
            tube(
                [peg * (1, 0.35 * s, 1) - (0, 0, 0.02), peg * (1, s, 1) + (0, 0.05 * s, -0.02)], 0.014, finishes.TRIM, 6
            )
        ]
    )


def cruiser_body(bike: Motorcycle, paint: Material, *, lit: bool) -> list[Part]:
    """A long cruiser with a bare V-twin."""
    f, r = bike.front_axle, bike.rear_axle
    head = finishes.LIT_HEAD if lit else finishes.LENS
    neck = np.array([0.42, 0, 0.86])
    tank = [ball((0.2, 0, 0.78), (0.3, 0.14, 0.12)), rod((0.36, 0, 0.8), (-0.02, 0, 0.72), 0.1, 0.07)]
    parts = [
        _soft(tank, (-0.2, -0.2, 0.6), (0.56, 0.2, 0.96), paint, cell=0.028),
        _soft(
            [rod((-0.1, 0, 0.66), (-0.36, 0, 0.62), 0.11, 0.13), rod((-0.5, 0, 0.68), (-0.72, 0, 0.74), 0.1, 0.08)],
            (-0.86, -0.2, 0.5),
            (0.06, 0.2, 0.86),
            SADDLE,
            cell=0.03,
        ),
        _fender(r, bike.rear_wheel + 0.05, 25, 175, paint, 0.1),
        _fender(f, bike.wheel + 0.035, 40, 160, paint, 0.07),
        *_fork(bike, neck + (0.04, 0, 0.06), 0.028, 0.11),
        ellipsoid((0.62, 0, 0.86), (0.1, 0.095, 0.095), finishes.CHROME, detail=18, rings=12),
        ellipsoid((0.67, 0, 0.86), (0.06, 0.084, 0.084), head, detail=18, rings=10),
        *_bars(bike, neck + (0, 0, 0.14)),
        *_mirrors((0.3, 0.24, 1.02), (0.26, 0.42, 1.16)),
        *_rear_end(-1.12, 0.66, lit=lit),
        *_pegs(bike),
        *_swing_arm(bike),
        tube([neck, (0.3, 0, 0.42), (0.2, 0, 0.26), (-0.3, 0, 0.26), (-0.36, 0, 0.6)], 0.026, paint),
        tube([neck, (-0.1, 0, 0.66), (-0.5, 0, 0.62)], 0.026, paint),
        cylinder((0.02, -0.14, 0.36), (0.02, 0.14, 0.36), 0.15, finishes.CHROME, detail=20),
        rounded_box((-0.36, -0.1, 0.26), (0.0, 0.12, 0.5), 0.06, finishes.DARK_ALLOY, detail=2),
    ]
    for lean in (-24, 24):
        a = np.radians(lean)
        base, top = np.array([0.04, 0, 0.42]), np.array([0.04 + 0.32 * np.sin(a), 0, 0.42 + 0.32 * np.cos(a)])
        parts.append(tube([base, top], [0.075, 0.07], finishes.DARK_ALLOY, 12))
        parts += [_disc(base + t * (top - base), (top - base) / 0.32, 0.088) for t in (0.35, 0.5, 0.65, 0.8)]
        parts.append(tube([top, top + 0.16 * (top - base)], 0.08, finishes.CHROME, 12))
    for z, start in ((0.34, 0.24), (0.26, 0.1)):
        parts.append(
            tube(
                [
                    (start, 0.08, 0.6),
                    (start + 0.06, 0.15, 0.42),
                    (0.0, 0.18, z),
                    (-0.5, 0.2, z),
                    (-0.95, 0.21, z + 0.03),
                ],
                [0.024, 0.026, 0.03, 0.042, 0.042],
                finishes.CHROME,
                10,
            )
        )
    return parts


def _disc(center: Points, axis: Points, radius: float) -> Part:
    """A cooling fin."""
    return cylinder(center - axis * 0.006, center + axis * 0.006, radius, finishes.ALLOY, detail=14)


def scooter_body(bike: Motorcycle, paint: Material, *, lit: bool) -> list[Part]:
    """A scooter with leg shield and rounded rear."""
    f, r = bike.front_axle, bike.rear_axle
    head = finishes.LIT_HEAD if lit else finishes.LENS
    shield = [
        rod((f[0] - 0.1, y, 0.34), (f[0] - 0.2, y * 1.05, 0.84), 0.045, 0.05) for y in (-0.2, -0.1, 0.0, 0.1, 0.2)
    ]
    rear = [
        *[ball((r[0] + 0.04, 0.13 * s, 0.46), (0.36, 0.11, 0.2)) for s in (1, -1)],
        rod((r[0] + 0.3, 0, 0.58), (r[0] - 0.26, 0, 0.6), 0.14, 0.1),
        rod((r[0] + 0.36, 0, 0.3), (r[0] + 0.3, 0, 0.58), 0.13, 0.13),
    ]
    floor = [rod((f[0] - 0.14, y, 0.28), (r[0] + 0.3, y, 0.26), 0.045) for y in (-0.16, -0.05, 0.05, 0.16)]
    return [
        _soft(shield, (f[0] - 0.4, -0.32, 0.24), (f[0] + 0.05, 0.32, 0.98), paint, cell=0.036, softness=0.05),
        _soft(rear, (r[0] - 0.5, -0.32, 0.14), (r[0] + 0.6, 0.32, 0.8), paint, cell=0.04, softness=0.07),
        _soft(floor, (r[0], -0.28, 0.16), (f[0] + 0.05, 0.28, 0.4), paint, cell=0.04),
        _soft(
            [rod((r[0] + 0.36, 0, 0.74), (r[0] - 0.18, 0, 0.75), 0.1, 0.09)],
            (r[0] - 0.4, -0.18, 0.6),
            (r[0] + 0.56, 0.18, 0.88),
            LEATHER,
            cell=0.034,
        ),
        _fender(f, bike.wheel + 0.05, 20, 170, paint, 0.1),
        _soft(
            [rod((f[0] - 0.26, 0, 1.0), (f[0] - 0.14, 0, 0.98), 0.08, 0.09)],
            (f[0] - 0.4, -0.14, 0.86),
            (f[0] + 0.05, 0.14, 1.12),
            paint,
            cell=0.026,
        ),
        ellipsoid((f[0] - 0.07, 0, 0.98), (0.04, 0.07, 0.07), head, detail=16, rings=8),
        tube([(f[0] - 0.2, 0, 0.95), (f[0] - 0.1, 0, 0.5), f], [0.04, 0.04, 0.03], paint),
        *_bars(bike, (f[0] - 0.22, 0, 0.99)),
        *_mirrors((f[0] - 0.26, 0.2, 1.03), (f[0] - 0.28, 0.32, 1.2)),
        *_rear_end(r[0] - 0.36, 0.58, lit=lit),
        tube([(r[0] + 0.1, 0.2, 0.2), (r[0] - 0.3, 0.22, 0.24)], 0.045, finishes.STEEL, 10),
    ]
