"""Plan of a car body: the dimensions of a side view, and the curves that they define.

Distances along the car are measured backwards from the front bumper; heights from the ground; all in metres.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator

Points = NDArray[np.float64]
Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class BodyPlan:
    """Proportions of a body.

    Attributes:
        length, width, height: Outer size without mirrors.
        wheelbase, front_overhang, wheel_radius, tyre_width: The chassis.
        clearance: Height of the sills above the ground.
        nose_z: Height of the bonnet's leading edge.
        hood_z: Height of the bonnet at the windscreen, on the middle line.
        belt_z, belt_rear_z: Height of the window sill at the front and the rear pillar.
        tail_z: Height of the boot's or tailgate's shoulder at the rear end.
        cowl, header: Distance of the bottom and of the top of the windscreen.
        roof_end, backlight: Distance of the top and of the bottom of the rear window.
        header_z, roof_end_z: Roof height over the windscreen and over the rear window.
        peak: Distance of the highest point of the roof.
        roof_width: Roof width as a share of the width at the belt (tumblehome).
        shoulder: Ledge between the body side and the windows.
        front_square, rear_square: Exponents of the outline seen from above; 2 is an ellipse, 10 nearly a box.
        glass_front_square, glass_rear_square: The same for the cabin.
        front_profile, rear_profile: Inset of bumper and grille over relative height.
        side_profile: Inset of the flank over relative height.
        doors: Distances of the shut lines of doors and pillars, from the front edge of the first door backwards.
        a_pillar, c_pillar: Widths of the front and rear roof pillars.
        crown: Height of the roof's middle above its edge.
        deck_crown: The same for the boot lid.
        rear_skirt: Height of the rear bumper's lower edge above the sills.
        glass_bulge: Outward bulge of windscreen and rear window.
        single_axle: Only the front axle is under this body (a lorry's cab).
        arch_gap: Space between tyre and wheel arch.
        flare: Outward bulge of the wheel arches.
    """

    length: float
    width: float
    height: float
    wheelbase: float
    front_overhang: float
    wheel_radius: float
    tyre_width: float = 0.215
    clearance: float = 0.20
    nose_z: float = 0.72
    hood_z: float = 0.98
    belt_z: float = 0.92
    belt_rear_z: float = 0.98
    tail_z: float = 1.02
    cowl: float = 1.25
    header: float = 2.0
    roof_end: float = 3.4
    backlight: float = 4.0
    header_z: float = 1.38
    roof_end_z: float = 1.36
    peak: float = 2.4
    roof_width: float = 0.76
    shoulder: float = 0.03
    front_square: float = 4.6
    rear_square: float = 5.4
    glass_front_square: float = 4.6
    glass_rear_square: float = 5.0
    front_profile: Knots = ((0, 0.09), (0.16, 0.02), (0.36, 0.0), (0.6, 0.015), (0.85, 0.06), (1, 0.15))
    rear_profile: Knots = ((0, 0.10), (0.14, 0.02), (0.36, 0.0), (0.5, 0.035), (0.9, 0.05), (1, 0.09))
    side_profile: Knots = ((0, 0.06), (0.1, 0.022), (0.34, 0.01), (0.58, 0.0), (0.68, 0.008), (0.92, 0.022), (1, 0.055))
    doors: tuple[float, ...] = (1.45, 2.45, 3.4)
    a_pillar: float = 0.09
    c_pillar: float = 0.22
    crown: float = 0.05
    arch_gap: float = 0.055
    flare: float = 0.012
    deck_crown: float = 0.05
    rear_skirt: float = 0.05
    glass_bulge: float = 0.05
    single_axle: bool = False

    def at(self, distance: float) -> float:
        """X of a point ``distance`` behind the front bumper."""
        return self.length / 2 - distance

    @property
    def rear_axle(self) -> float:
        """The x of the rear axle."""
        return self.at(self.front_overhang + self.wheelbase)

    @property
    def axles(self) -> tuple[float, ...]:
        """The x of the axles under this body; a lorry's cab has the front one only."""
        front = self.at(self.front_overhang)
        return (front,) if self.single_axle else (front, self.rear_axle)

    @property
    def arch_radius(self) -> float:
        """Radius of the wheel arches."""
        return self.wheel_radius + self.arch_gap

    @cached_property
    def shoulder_line(self) -> PchipInterpolator:
        """Height of the body's upper edge over x: wing, belt line, boot."""
        return self._along(
            (0, self.nose_z - 0.03),
            (self.cowl * 0.5, 0.42 * self.nose_z + 0.58 * self.belt_z - 0.02),
            (self.cowl + 0.15, self.belt_z),
            ((self.cowl + self.backlight) / 2, (self.belt_z + self.belt_rear_z) / 2),
            (max(self.backlight - 0.25, self.cowl + 0.4), self.belt_rear_z),
            (self.length, self.tail_z - 0.015),
        )

    @cached_property
    def deck_crowns(self) -> PchipInterpolator:
        """Rise of bonnet and boot from their edges to the middle, over x."""
        bulge = max(self.hood_z - self.belt_z, 0.01)
        return self._along(
            (0, 0.03),
            (self.cowl * 0.6, bulge + 0.01),
            (self.cowl, bulge),
            (self.backlight, self.deck_crown),
            (self.length, 0.015),
        )

    @cached_property
    def roof_line(self) -> PchipInterpolator:
        """Height of the roof's middle line over x."""
        return self._along((self.header, self.header_z), (self.peak, self.height), (self.roof_end, self.roof_end_z))

    @cached_property
    def sill_line(self) -> PchipInterpolator:
        """Height of the body's lower edge over x."""
        c = self.clearance
        return self._along(
            (0, c + 0.02), (0.25 * self.length, c), (0.75 * self.length, c), (self.length, c + self.rear_skirt)
        )

    def _along(self, *knots: tuple[float, float]) -> PchipInterpolator:
        """A curve over x through knots given as (distance from the front, value)."""
        x, y = np.array([(self.at(d), value) for d, value in sorted(knots, reverse=True)]).T
        return _monotone_curve(x, y)


def _monotone_curve(x: Points, y: Points) -> PchipInterpolator:
    """Piecewise cubic curve through points ``x`` and ``y``, ``(n,)`` each, monotone between them; extrapolates."""
    from scipy.interpolate import PchipInterpolator

    return PchipInterpolator(x, y, extrapolate=True)


def profile(knots: Knots) -> PchipInterpolator:
    """A smooth curve over 0..1 through knots."""
    x, y = np.array(knots).T
    return _monotone_curve(x, y)


@dataclass(frozen=True, eq=False)
class Ring:
    """Half an outline seen from above, from the front's middle over the right side to the rear's middle.

    Attributes:
        front: x of the foremost point.
        rear: x of the rearmost point.
        half_width: Greatest y.
        front_square: Exponent of the front half's superellipse.
        rear_square: Exponent of the rear half's.
        waist: x where the halves meet.
    """

    front: float
    rear: float
    half_width: float
    front_square: float
    rear_square: float
    waist: float
    samples: int = field(default=721)

    @cached_property
    def shape(self) -> Points:
        """``(n, 2)`` normalised points: first coordinate 1 (front) to -1 (rear), second 0..1."""
        phi = np.linspace(0, np.pi, self.samples)
        c, s = np.cos(phi), np.sin(phi)
        power = np.where(c > 0, self.front_square, self.rear_square)
        radius = (np.abs(c) ** power + np.abs(s) ** power) ** (-1 / power)
        out = np.stack([c * radius, s * radius], 1)
        out[[0, -1], 1] = 0
        return out

    @cached_property
    def points(self) -> Points:
        """``(n, 2)`` points in metres."""
        x, y = self.shape.T
        reach = np.where(x > 0, self.front - self.waist, self.waist - self.rear)
        return np.stack([self.waist + reach * x, self.half_width * y], 1)

    @cached_property
    def arc(self) -> Points:
        """Arc length at each point."""
        return np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(self.points, axis=0), axis=1))])

    def at(self, arc: ArrayLike) -> tuple[Points, Points]:
        """Both coordinates in metres at arc lengths."""
        return _lookup(arc, self.arc, self.points[:, 0]), _lookup(arc, self.arc, self.points[:, 1])

    def normalised(self, arc: ArrayLike) -> tuple[Points, Points]:
        """Normalised coordinates at arc lengths."""
        return _lookup(arc, self.arc, self.shape[:, 0]), _lookup(arc, self.arc, self.shape[:, 1])

    def side(self, x: ArrayLike) -> Points:
        """Arc length where the side passes x."""
        return _lookup(-np.asarray(x), -self.points[:, 0], self.arc)

    def normalised_side(self, x: ArrayLike) -> Points:
        """Arc length where the normalised first coordinate is ``x``."""
        return _lookup(-np.asarray(x), -self.shape[:, 0], self.arc)

    def front_at(self, y: ArrayLike) -> Points:
        """Arc length on the front where the distance from the middle is ``y``."""
        half = self.samples // 2
        return _lookup(y, self.points[: half + 1, 1], self.arc[: half + 1])

    def rear_at(self, y: ArrayLike) -> Points:
        """Arc length on the rear where the distance from the middle is ``y``."""
        half = self.samples // 2
        return _lookup(y, self.points[half:, 1][::-1], self.arc[half:][::-1])


def _lookup(at: ArrayLike, x: Points, y: Points) -> Points:
    return np.asarray(np.interp(np.asarray(at, dtype=np.float64), x, y))
