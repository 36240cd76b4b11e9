# ruff: noqa: RUF005  (sums of numpy arrays and tuples, not of lists)
"""Bicycles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caos.assets.mesh import Material, Mesh, Part, rotation, translation
from caos.assets.modelling.shapes import ball, blend, blob, box, ellipsoid, lathe, rod, rounded_box
from caos.assets.street.people.body import build_body
from caos.assets.street.people.figures import Figure
from caos.assets.street.people.poses import riding
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.plan import Points
from caos.assets.street.vehicles.two_wheelers.cycle_parts import LEATHER, SADDLE, bicycle_wheel, tube

_UPRIGHT = rotation("x", -90)


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
        """Positions of the hands ``(2, 3)``, right then left."""
        dx, half, dz = {"drop": (0.12, 0.2, -0.02), "flat": (0.05, 0.27, 0.03), "swept": (-0.16, 0.28, 0.05)}[self.bars]
        grip = self._stem + (dx, half, dz)
        return np.stack([grip, grip * (1, -1, 1)])

    def pedals(self) -> Points:
        """Positions of the pedals ``(2, 3)``, right (forward and down) then left."""
        arm = np.array([0.11, 0, -0.12])
        return np.stack([self._crank + arm + (0, 0.13, 0.02), self._crank - arm + (0, -0.13, 0.02)])

    def build(self, paint: Material, *, rider: int = 0, lit: bool = False) -> list[Part | Mesh]:
        """Build the vehicle's parts."""
        del rider, lit
        parts: list[Part | Mesh] = [
            *bicycle_wheel(float(self._rear[0]), self.wheel, self.tyre),
            *bicycle_wheel(float(self._front[0]), self.wheel, self.tyre),
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
            tube([head_top, head_low], 0.022, paint),
            tube([crank, cluster], 0.017, paint),
            tube([cluster, seat - (0, 0, 0.02)], 0.013, finishes.ALLOY),
            tube([stem, head_top], 0.014, finishes.ALLOY),
        ]
        if self.frame == "diamond":
            parts += [tube([cluster, head_top - (0, 0, 0.03)], 0.016, paint), tube([head_low, crank], 0.019, paint)]
        else:
            low = crank + np.array([0.12, 0, 0.12])
            parts += [
                tube([head_low + (0, 0, 0.02), low + (0.16, 0, 0.1), low, crank + (-0.02, 0, 0.1)], 0.017, paint),
                tube([head_low, low + (0.1, 0, -0.06), crank], 0.018, paint),
            ]
        for side in (1, -1):
            y = np.array([0, 0.06 * side, 0])
            parts += [tube([cluster, rear + y], 0.009, paint), tube([crank, rear + y], 0.01, paint)]
            parts.append(
                tube(
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
            tube([crank + (0, 0.06, 0), crank + arm + (0, 0.075, 0)], 0.011, finishes.ALLOY),
            tube([crank - (0, 0.06, 0), crank - arm - (0, 0.075, 0)], 0.011, finishes.ALLOY),
        ]
        for pedal in self.pedals():
            parts.append(box(pedal - (0.05, 0.045, 0.03), pedal + (0.05, 0.045, -0.008), finishes.TRIM))
        for dz in (0.09, -0.09):
            parts.append(tube([crank + (0, 0.052, dz), self._rear + (0, 0.05, 0.4 * dz)], 0.005, finishes.STEEL, 4))
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
            parts.append(tube(path, 0.013, finishes.TRIM if self.bars == "drop" else finishes.ALLOY))
            parts.append(
                tube(
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
                LEATHER if self.equipped else SADDLE,
                cell_m=0.018,
            )
        ]

    def _equipment(self, paint: Material) -> list[Part]:
        parts = []
        for axle, start, stop in ((self._rear, 20, 200), (self._front, 40, 175)):
            angle = np.radians(np.linspace(start, stop, 12))
            r = self.wheel + 0.02
            parts.append(tube([axle + (r * np.cos(a), 0, r * np.sin(a)) for a in angle], 0.02, paint, 6))
        rack = self._rear + (0, 0, self.wheel + 0.07)
        parts += [tube([rack + (0.2, y, 0), rack + (-0.24, y, 0)], 0.007, finishes.TRIM, 5) for y in (-0.06, 0.0, 0.06)]
        parts += [
            tube([rack + (-0.18, 0.06 * s, 0), self._rear + (0, 0.06 * s, 0)], 0.006, finishes.TRIM, 5) for s in (1, -1)
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
        """Build the rider's parts."""
        figure = self.riders[choice % len(self.riders)]
        pose = riding(
            figure.frame, self._seat, self.grips(), self.pedals(), lean_deg=self.lean_deg, foot_pitch_deg=(-6, -16)
        )
        return build_body(figure, pose)

    @property
    def wheelbase(self) -> float:
        """Metres between the axles."""
        return self.base

    def head_points(self) -> Points:
        """Position of the headlamp, ``(1, 3)``."""
        return np.asarray((self._stem + (0.16, 0, -0.2))[None])
