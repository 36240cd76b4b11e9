"""Motorcycles and bicycles, each with its rider."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from assets.mesh import Material, Mesh, Part, join, rotation, translation
from assets.shapes import (
    Distance,
    ball,
    blend,
    blob,
    box,
    cylinder,
    ellipsoid,
    grid_faces,
    lathe,
    rod,
    rounded_box,
    sweep,
)
from simulator.embedded.models.people.body import build_body
from simulator.embedded.models.people.figures import Figure
from simulator.embedded.models.people.poses import riding
from simulator.embedded.models.vehicles import finishes
from simulator.embedded.models.vehicles.plan import Points

RIDER_TAG = 13
_UPRIGHT = rotation("x", -90)
_SADDLE = Material("saddle", (0.02, 0.018, 0.017), "plastic", 0.6)
_LEATHER = Material("brown leather", (0.13, 0.055, 0.025), "plastic", 0.5)


def _tube(points: Sequence[ArrayLike], radius: float | Sequence[float], material: Material, detail: int = 8) -> Part:
    return sweep([np.asarray(p, dtype=np.float64) for p in points], radius, material, detail=detail)


def _ring(radius: float, tyre: float, material: Material, *, flat: float = 1.0, detail: int = 32) -> Part:
    """A torus about the y axis."""
    turn = np.linspace(-np.pi, np.pi, 11)
    profile = np.stack([radius + tyre * np.cos(turn), flat * tyre * np.sin(turn)], 1)
    return lathe(profile, material, detail=detail).transformed(_UPRIGHT)


def _bicycle_wheel(x: float, radius: float, tyre: float) -> list[Part | Mesh]:
    parts = [
        _ring(radius - tyre, tyre, finishes.RUBBER),
        _ring(radius - 2 * tyre - 0.006, 0.011, finishes.ALLOY, detail=28),
    ]
    parts.append(cylinder((0, -0.045, 0), (0, 0.045, 0), 0.02, finishes.ALLOY, detail=10))
    rim = radius - 2 * tyre - 0.01
    for k in range(20):
        angle = 2 * np.pi * k / 20
        side = 0.03 if k % 2 else -0.03
        parts.append(_tube([(0, side, 0), (rim * np.cos(angle), 0, rim * np.sin(angle))], 0.0022, finishes.ALLOY, 3))
    return [p.transformed(translation(x, 0, radius)) for p in parts]


def _motor_wheel(
    x: float, radius: float, tyre: float, width: float, rim: Material, *, spokes: int = 5
) -> list[Part | Mesh]:
    flat = width / 2 / tyre
    parts = [
        _ring(radius - tyre, tyre, finishes.RUBBER, flat=flat),
        _ring(radius - 2 * tyre, 0.016, rim, flat=2.2, detail=28),
    ]
    parts.append(cylinder((0, -0.06, 0), (0, 0.06, 0), 0.045, rim, detail=12))
    reach = radius - 2 * tyre
    for k in range(spokes):
        angle = 2 * np.pi * k / spokes
        parts.append(_tube([(0, 0, 0), (reach * np.cos(angle), 0, reach * np.sin(angle))], [0.026, 0.018], rim, 6))
    parts.append(
        lathe([(0.6 * reach, 0.062), (0.38 * reach, 0.062)], finishes.STEEL, detail=20, smooth=False).transformed(
            _UPRIGHT
        )
    )
    return [p.transformed(translation(x, 0, radius)) for p in parts]


def _pair_y(make: Callable[[float], list[Part]]) -> list[Part]:
    return [*make(1.0), *make(-1.0)]


# --- bicycles ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bicycle:
    """A bicycle and its rider.

    Attributes:
        wheel, tyre: Radii of wheel and tyre.
        base: Wheelbase.
        frame: ``diamond`` or ``swan`` (step-through).
        bars: ``drop``, ``flat`` or ``swept``.
        lean_deg: Forward lean of the rider.
        equipped: Mudguards, chain case, rack and lamp.
        riders: Figures to choose from.
    """

    wheel: float
    tyre: float
    base: float
    frame: str
    bars: str
    lean_deg: float
    equipped: bool
    riders: tuple[Figure, ...]
    seat_z: float = 0.97

    @property
    def _rear(self) -> Points:
        return np.array([-0.49 * self.base, 0, self.wheel])

    @property
    def _front(self) -> Points:
        return np.array([0.51 * self.base, 0, self.wheel])

    @property
    def _crank(self) -> Points:
        return self._rear + (0.43, 0, -0.05)

    @property
    def _seat(self) -> Points:
        return np.array([float(self._crank[0]) - 0.2, 0, self.seat_z])

    @property
    def _stem(self) -> Points:
        return np.array([float(self._front[0]) - 0.2, 0, self.seat_z + (0.09 if self.bars == "swept" else -0.02)])

    def grips(self) -> Points:
        """Where the hands hold, right then left."""
        dx, half, dz = {"drop": (0.12, 0.2, -0.02), "flat": (0.05, 0.27, 0.03), "swept": (-0.16, 0.28, 0.05)}[self.bars]
        grip = self._stem + (dx, half, dz)
        return np.stack([grip, grip * (1, -1, 1)])

    def pedals(self) -> Points:
        """Under the feet, right (forward and down) then left."""
        arm = np.array([0.11, 0, -0.12])
        return np.stack([self._crank + arm + (0, 0.13, 0.02), self._crank - arm + (0, -0.13, 0.02)])

    def build(self, paint: Material, *, rider: int = 0, lit: bool = False) -> list[Part | Mesh]:
        """The machine's parts."""
        del rider, lit
        parts: list[Part | Mesh] = [
            *_bicycle_wheel(float(self._rear[0]), self.wheel, self.tyre),
            *_bicycle_wheel(float(self._front[0]), self.wheel, self.tyre),
        ]
        parts += [*self._tubes(paint), *self._drive(), *self._handlebar(), *self._saddle()]
        if self.equipped:
            parts += self._equipment(paint)
        return parts

    def _tubes(self, paint: Material) -> list[Part]:
        crank, rear, front, seat, stem = self._crank, self._rear, self._front, self._seat, self._stem
        cluster = crank + 0.74 * (seat - crank)
        head_top, head_low = stem - (-0.02, 0, 0.05), stem + 0.42 * (front - stem)
        parts = [
            _tube([head_top, head_low], 0.022, paint),
            _tube([crank, cluster], 0.017, paint),
            _tube([cluster, seat - (0, 0, 0.02)], 0.013, finishes.ALLOY),
            _tube([stem, head_top], 0.014, finishes.ALLOY),
        ]
        if self.frame == "diamond":
            parts += [_tube([cluster, head_top - (0, 0, 0.03)], 0.016, paint), _tube([head_low, crank], 0.019, paint)]
        else:
            low = crank + np.array([0.12, 0, 0.12])
            parts += [
                _tube([head_low + (0, 0, 0.02), low + (0.16, 0, 0.1), low, crank + (-0.02, 0, 0.1)], 0.017, paint),
                _tube([head_low, low + (0.1, 0, -0.06), crank], 0.018, paint),
            ]
        for side in (1, -1):
            y = np.array([0, 0.06 * side, 0])
            parts += [_tube([cluster, rear + y], 0.009, paint), _tube([crank, rear + y], 0.01, paint)]
            parts.append(
                _tube(
                    [head_low, head_low + 0.25 * (front - head_low) + y, front + y + (-0.01, 0, 0)],
                    [0.015, 0.014, 0.01],
                    paint,
                )
            )
        return parts

    def _drive(self) -> list[Part]:
        crank, arm = self._crank, np.array([0.11, 0, -0.12])
        parts = [
            lathe([(0.095, 0.05), (0.06, 0.056), (0.0, 0.056)], finishes.DARK_ALLOY, detail=24)
            .transformed(_UPRIGHT)
            .transformed(translation(*crank))
        ]
        parts += [
            _tube([crank + (0, 0.06, 0), crank + arm + (0, 0.075, 0)], 0.011, finishes.ALLOY),
            _tube([crank - (0, 0.06, 0), crank - arm - (0, 0.075, 0)], 0.011, finishes.ALLOY),
        ]
        for pedal in self.pedals():
            parts.append(box(pedal - (0.05, 0.045, 0.03), pedal + (0.05, 0.045, -0.008), finishes.TRIM))
        for dz in (0.09, -0.09):
            parts.append(_tube([crank + (0, 0.052, dz), self._rear + (0, 0.05, 0.4 * dz)], 0.005, finishes.STEEL, 4))
        return parts

    def _handlebar(self) -> list[Part]:
        stem, grips = self._stem, self.grips()
        parts = []
        for k, side in enumerate((1, -1)):
            grip = grips[k]
            if self.bars == "drop":
                top = stem + np.array([0.09, 0.2 * side, 0])
                path = [
                    stem + (0.08, 0, 0),
                    top,
                    top + (0.08, 0, -0.02),
                    top + (0.08, 0, -0.1),
                    top + (-0.03, 0, -0.13),
                ]
            elif self.bars == "flat":
                path = [stem + (0.05, 0, 0.01), stem + (0.05, 0.14 * side, 0.03), grip + (0, 0.06 * side, 0)]
            else:
                path = [
                    stem,
                    stem + (0.06, 0.1 * side, 0.03),
                    stem + (0.02, 0.24 * side, 0.05),
                    grip + (-0.06, 0.01 * side, 0),
                ]
            parts.append(_tube(path, 0.013, finishes.TRIM if self.bars == "drop" else finishes.ALLOY))
            parts.append(
                _tube(
                    [
                        grip - (0.05, 0, 0) if self.bars != "flat" else grip - (0, 0.05 * side, 0),
                        grip + (0.05, 0, 0) if self.bars != "flat" else grip + (0, 0.06 * side, 0),
                    ],
                    0.017,
                    finishes.TRIM,
                )
            )
        return parts

    def _saddle(self) -> list[Part]:
        seat = self._seat
        solid = blend(
            rod(seat + (0.14, 0, 0), seat, 0.028, 0.045),
            ball(seat - (0.08, 0, 0), (0.09, 0.085 if self.equipped else 0.07, 0.035)),
            softness=0.03,
        )
        return [
            blob(
                solid,
                seat - (0.2, 0.12, 0.08),
                seat + (0.2, 0.12, 0.08),
                _LEATHER if self.equipped else _SADDLE,
                cell_m=0.018,
            )
        ]

    def _equipment(self, paint: Material) -> list[Part]:
        parts = []
        for axle, start, stop in ((self._rear, 20, 200), (self._front, 40, 175)):
            angle = np.radians(np.linspace(start, stop, 12))
            r = self.wheel + 0.02
            parts.append(_tube([axle + (r * np.cos(a), 0, r * np.sin(a)) for a in angle], 0.02, paint, 6))
        rack = self._rear + (0, 0, self.wheel + 0.07)
        parts += [
            _tube([rack + (0.2, y, 0), rack + (-0.24, y, 0)], 0.007, finishes.TRIM, 5) for y in (-0.06, 0.0, 0.06)
        ]
        parts += [
            _tube([rack + (-0.18, 0.06 * s, 0), self._rear + (0, 0.06 * s, 0)], 0.006, finishes.TRIM, 5)
            for s in (1, -1)
        ]
        lamp = self._stem + (0.14, 0, -0.2)
        parts.append(ellipsoid(lamp, (0.05, 0.042, 0.042), finishes.CHROME, detail=12, rings=8))
        parts.append(ellipsoid(lamp + (0.03, 0, 0), (0.026, 0.036, 0.036), finishes.LENS, detail=12, rings=6))
        parts.append(box(rack + (-0.25, -0.025, -0.05), rack + (-0.235, 0.025, 0.0), finishes.TAIL_BRIGHT))
        case_low, case_high = self._crank + (0.09, 0.048, -0.06), self._rear + (-0.04, 0.062, 0.05)
        parts.append(
            rounded_box(np.minimum(case_low, case_high), np.maximum(case_low, case_high), 0.02, finishes.TRIM, detail=1)
        )
        return parts

    def rider(self, choice: int) -> list[Part]:
        """The rider's parts."""
        figure = self.riders[choice % len(self.riders)]
        pose = riding(
            figure.frame, self._seat, self.grips(), self.pedals(), lean_deg=self.lean_deg, foot_pitch_deg=(-6, -16)
        )
        return build_body(figure, pose)

    def head_points(self) -> Points:
        """The lamp ahead, ``(1, 3)``."""
        return np.asarray((self._stem + (0.16, 0, -0.2))[None])

    def tail_points(self) -> Points:
        """The lamp behind, ``(1, 3)``."""
        return np.asarray((self._rear + (-0.25, 0, self.wheel + 0.04))[None])


# --- motorcycles ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Motorcycle:
    """A motorcycle and its rider; ``body`` builds fairings, tank and engine."""

    wheel: float
    rear_wheel: float
    tyre: float
    width: float
    base: float
    body: Callable[[Motorcycle, Material, bool], list[Part]]
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
        """The machine's parts."""
        del rider
        parts: list[Part | Mesh] = [
            *_motor_wheel(float(self.front_axle[0]), self.wheel, self.tyre, self.width * 0.75, self.rim),
            *_motor_wheel(float(self.rear_axle[0]), self.rear_wheel, self.tyre, self.width, self.rim),
        ]
        return [*parts, *self.body(self, paint, lit)]

    def rider(self, choice: int) -> list[Part]:
        """The rider's parts."""
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

    def head_points(self) -> Points:
        """The lamp ahead, ``(1, 3)``."""
        return np.array([self.head])

    def tail_points(self) -> Points:
        """The lamp behind, ``(1, 3)``."""
        return np.array([self.tail])


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
    return _pair_y(
        lambda s: [
            _tube(
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
            _tube([middle, 0.5 * (middle + hand) + (0.02, 0, 0.02), hand + (0, 0.03 * s, 0)], 0.013, finishes.TRIM),
            _tube([hand - (0.01, 0.05 * s, 0), hand + (-0.01, 0.06 * s, 0)], 0.019, finishes.RUBBER),
        ]

    return _pair_y(one)


def _mirrors(root: ArrayLike, tip: ArrayLike) -> list[Part]:
    a, b = np.asarray(root, dtype=np.float64), np.asarray(tip, dtype=np.float64)

    def one(s: float) -> list[Part]:
        flip = np.array([1, s, 1])
        return [
            _tube([a * flip, b * flip], 0.008, finishes.TRIM, 6),
            ellipsoid(b * flip, (0.025, 0.06, 0.04), finishes.TRIM, detail=12, rings=8),
        ]

    return _pair_y(one)


def _rear_end(bike: Motorcycle, x: float, z: float, *, lit: bool) -> list[Part]:
    red = finishes.LIT_TAIL if lit else finishes.TAIL_BRIGHT
    return [
        rounded_box((x - 0.03, -0.06, z - 0.03), (x + 0.05, 0.06, z + 0.03), 0.02, red, detail=2),
        box((x - 0.05, -0.09, z - 0.24), (x - 0.04, 0.09, z - 0.1), finishes.PLATE_WHITE),
        _tube([(x, 0, z), (x - 0.04, 0, z - 0.16)], 0.012, finishes.TRIM, 6),
        *_pair_y(
            lambda s: [
                ellipsoid((x + 0.02, 0.13 * s, z - 0.05), (0.03, 0.025, 0.02), finishes.AMBER, detail=8, rings=6)
            ]
        ),
    ]


def _sport_body(bike: Motorcycle, paint: Material, lit: bool) -> list[Part]:
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
        _tube([(0.2, 0.12, 0.3), (-0.2, 0.16, 0.3), (-0.5, 0.19, 0.46)], 0.03, finishes.STEEL),
        _tube([(-0.44, 0.19, 0.44), (-0.84, 0.21, 0.66)], [0.05, 0.058], finishes.ALLOY, 12),
    ]
    return [
        _soft(fairing, (-0.3, -0.3, 0.18), (f[0] + 0.2, 0.3, 1.15), paint),
        _soft(tail, (-1.0, -0.22, 0.66), (-0.2, 0.22, 1.1), paint),
        _soft(tank, (-0.2, -0.2, 0.68), (0.46, 0.2, 1.06), paint),
        rounded_box((-0.42, -0.12, 0.8), (-0.08, 0.12, 0.87), 0.03, _SADDLE, detail=2),
        ellipsoid((f[0] - 0.14, 0, 1.04), (0.2, 0.13, 0.13), finishes.GLASS, detail=16, rings=10),
        *_pair_y(
            lambda s: [ellipsoid((f[0] + 0.055, 0.075 * s, 0.87), (0.05, 0.055, 0.035), head, detail=12, rings=8)]
        ),
        *engine,
        *pipe,
        *_fork(bike, f + np.array([-0.2, 0, 0.62]), 0.026),
        *_swing_arm(bike),
        _fender(f, bike.wheel + 0.03, 35, 150, paint),
        *_bars(bike, (f[0] - 0.28, 0, 0.98)),
        *_mirrors((f[0] - 0.1, 0.16, 1.02), (f[0] - 0.14, 0.34, 1.12)),
        *_rear_end(bike, -0.92, 0.96, lit=lit),
        *_pegs(bike),
        _tube([r, r + (0.1, 0, 0.38)], 0.02, finishes.STEEL, 6),
    ]


def _swing_arm(bike: Motorcycle) -> list[Part]:
    r = bike.rear_axle
    return _pair_y(
        lambda s: [_tube([r + (0, 0.11 * s, 0), (-0.16, 0.11 * s, 0.42)], [0.024, 0.034], finishes.DARK_ALLOY)]
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
    return _pair_y(
        lambda s: [
            _tube(
                [peg * (1, 0.35 * s, 1) - (0, 0, 0.02), peg * (1, s, 1) + (0, 0.05 * s, -0.02)], 0.014, finishes.TRIM, 6
            )
        ]
    )


def _cruiser_body(bike: Motorcycle, paint: Material, lit: bool) -> list[Part]:
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
            _SADDLE,
            cell=0.03,
        ),
        _fender(r, bike.rear_wheel + 0.05, 25, 175, paint, 0.1),
        _fender(f, bike.wheel + 0.035, 40, 160, paint, 0.07),
        *_fork(bike, neck + (0.04, 0, 0.06), 0.028, 0.11),
        ellipsoid((0.62, 0, 0.86), (0.1, 0.095, 0.095), finishes.CHROME, detail=18, rings=12),
        ellipsoid((0.67, 0, 0.86), (0.06, 0.084, 0.084), head, detail=18, rings=10),
        *_bars(bike, neck + (0, 0, 0.14)),
        *_mirrors((0.3, 0.24, 1.02), (0.26, 0.42, 1.16)),
        *_rear_end(bike, -1.12, 0.66, lit=lit),
        *_pegs(bike),
        *_swing_arm(bike),
        _tube([neck, (0.3, 0, 0.42), (0.2, 0, 0.26), (-0.3, 0, 0.26), (-0.36, 0, 0.6)], 0.026, paint),
        _tube([neck, (-0.1, 0, 0.66), (-0.5, 0, 0.62)], 0.026, paint),
        cylinder((0.02, -0.14, 0.36), (0.02, 0.14, 0.36), 0.15, finishes.CHROME, detail=20),
        rounded_box((-0.36, -0.1, 0.26), (0.0, 0.12, 0.5), 0.06, finishes.DARK_ALLOY, detail=2),
    ]
    for lean in (-24, 24):
        a = np.radians(lean)
        base, top = np.array([0.04, 0, 0.42]), np.array([0.04 + 0.32 * np.sin(a), 0, 0.42 + 0.32 * np.cos(a)])
        parts.append(_tube([base, top], [0.075, 0.07], finishes.DARK_ALLOY, 12))
        parts += [_disc(base + t * (top - base), (top - base) / 0.32, 0.088) for t in (0.35, 0.5, 0.65, 0.8)]
        parts.append(_tube([top, top + 0.16 * (top - base)], 0.08, finishes.CHROME, 12))
    for z, start in ((0.34, 0.24), (0.26, 0.1)):
        parts.append(
            _tube(
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


def _scooter_body(bike: Motorcycle, paint: Material, lit: bool) -> list[Part]:
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
            _LEATHER,
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
        _tube([(f[0] - 0.2, 0, 0.95), (f[0] - 0.1, 0, 0.5), f], [0.04, 0.04, 0.03], paint),
        *_bars(bike, (f[0] - 0.22, 0, 0.99)),
        *_mirrors((f[0] - 0.26, 0.2, 1.03), (f[0] - 0.28, 0.32, 1.2)),
        *_rear_end(bike, r[0] - 0.36, 0.58, lit=lit),
        _tube([(r[0] + 0.1, 0.2, 0.2), (r[0] - 0.3, 0.22, 0.24)], 0.045, finishes.STEEL, 10),
    ]


# --- the models -------------------------------------------------------------------------------------------------------

_HELMET_BLACK = (20, 20, 22)
_BIKER = Figure(
    1.78,
    False,
    1.05,
    (200, 150, 122),
    (40, 30, 24),
    (26, 26, 30),
    (24, 24, 28),
    top="jacket",
    hat="helmet",
    hat_color=_HELMET_BLACK,
)
_BIKERS = (
    _BIKER,
    replace(_BIKER, top_color=(150, 30, 30), hat_color=(200, 200, 196)),
    replace(_BIKER, height=1.70, female=True, top_color=(60, 64, 70), hat_color=(30, 80, 150)),
)
_RACER = Figure(
    1.76,
    False,
    0.95,
    (196, 146, 116),
    (50, 34, 24),
    (188, 40, 44),
    (22, 22, 26),
    (226, 226, 222),
    top="tee",
    bottom="shorts",
    hat="bike_helmet",
    hat_color=(230, 230, 226),
)
_RACERS = (
    _RACER,
    replace(_RACER, top_color=(36, 92, 160), skin=(132, 88, 62)),
    replace(_RACER, height=1.67, female=True, hair="ponytail", top_color=(220, 190, 40)),
)
_CITIZEN = Figure(
    1.70, True, 1.0, (216, 170, 142), (96, 60, 34), (150, 52, 62), (44, 54, 80), top="coat", bottom="jeans", hair="long"
)
_CITIZENS = (
    _CITIZEN,
    replace(
        _CITIZEN,
        height=1.80,
        female=False,
        hair="short",
        top="jacket",
        top_color=(64, 84, 66),
        bag="backpack",
        bag_color=(40, 42, 46),
    ),
    replace(_CITIZEN, top="jacket", top_color=(196, 158, 70), hair="bun"),
)
_RIDER = Figure(
    1.72,
    False,
    1.05,
    (186, 138, 108),
    (30, 24, 22),
    (92, 104, 116),
    (58, 74, 104),
    top="jacket",
    bottom="jeans",
    hat="helmet",
    hat_color=(214, 210, 200),
)
_RIDERS = (
    _RIDER,
    replace(_RIDER, height=1.65, female=True, top_color=(170, 60, 60)),
    replace(_RIDER, top_color=(40, 44, 52)),
)

CYCLES: dict[str, Bicycle | Motorcycle] = {
    "vehicle.diamondback.century": Bicycle(
        0.34, 0.014, 0.99, "diamond", "drop", 44, equipped=False, riders=_RACERS, seat_z=0.98
    ),
    "vehicle.bh.crossbike": Bicycle(
        0.35,
        0.024,
        1.06,
        "diamond",
        "flat",
        28,
        equipped=False,
        riders=(_RACERS[1], _CITIZENS[1], _RACERS[0]),
        seat_z=0.96,
    ),
    "vehicle.gazelle.omafiets": Bicycle(
        0.36, 0.02, 1.12, "swan", "swept", 4, equipped=True, riders=_CITIZENS, seat_z=0.94
    ),
    "vehicle.yamaha.yzf": Motorcycle(
        0.31,
        0.315,
        0.06,
        0.18,
        1.40,
        _sport_body,
        (-0.28, 0, 0.84),
        (0.36, 0.29, 0.93),
        (-0.3, 0.2, 0.44),
        36,
        (0.78, 0.0, 0.87),
        (-0.95, 0, 0.96),
        _BIKERS,
        finishes.DARK_ALLOY,
    ),
    "vehicle.kawasaki.ninja": Motorcycle(
        0.305,
        0.315,
        0.058,
        0.17,
        1.38,
        _sport_body,
        (-0.28, 0, 0.84),
        (0.36, 0.3, 0.96),
        (-0.28, 0.2, 0.43),
        28,
        (0.77, 0.0, 0.87),
        (-0.95, 0, 0.96),
        (_BIKERS[1], _BIKERS[2], _BIKERS[0]),
        finishes.DARK_ALLOY,
    ),
    "vehicle.harley-davidson.low_rider": Motorcycle(
        0.33,
        0.32,
        0.065,
        0.18,
        1.63,
        _cruiser_body,
        (-0.28, 0, 0.69),
        (0.24, 0.36, 0.98),
        (0.36, 0.24, 0.36),
        4,
        (0.7, 0.0, 0.86),
        (-1.15, 0, 0.66),
        (replace(_BIKER, bottom="jeans", bottom_color=(44, 56, 80)), _BIKERS[1], _BIKERS[2]),
        finishes.CHROME,
    ),
    "vehicle.vespa.zx125": Motorcycle(
        0.225,
        0.225,
        0.05,
        0.1,
        1.27,
        _scooter_body,
        (-0.3, 0, 0.8),
        (0.36, 0.3, 1.0),
        (0.2, 0.14, 0.33),
        3,
        (0.56, 0.0, 0.98),
        (-1.0, 0, 0.58),
        _RIDERS,
        finishes.ALLOY,
    ),
}


def cycle_mesh(cycle: Bicycle | Motorcycle, paint: Material, tag: int, *, rider: int, lit: bool) -> Mesh:
    """The machine with its tag and the rider with CARLA's rider tag, in one mesh."""
    machine = join(cycle.build(paint, lit=lit)).tagged(tag)
    person = join(cycle.rider(rider)).tagged(RIDER_TAG)
    return Mesh((*machine.parts, *person.parts))
