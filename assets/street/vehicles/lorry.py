# ruff: noqa: RUF005  (sums of numpy arrays and tuples, not of lists)
"""A lorry: a cab built like a short car, and the common parts behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from caos.assets.mesh import Material, Mesh, Part, translation
from caos.assets.modelling.shapes import box, cylinder, rounded_box
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork import fittings
from caos.assets.street.vehicles.bodywork.exterior import Exterior, Grille, HeadLamp, Panes
from caos.assets.street.vehicles.bodywork.plan import BodyPlan, Points
from caos.assets.street.vehicles.bodywork.sheets import mirrored
from caos.assets.street.vehicles.cars import Car
from caos.assets.street.vehicles.liveries import mirrored_panel
from caos.assets.street.vehicles.wheels import WheelStyle, placed_wheel, wheel

LORRY_WHEEL = WheelStyle(rim=0.6, spokes=0, finish=finishes.STEEL)
CAB_FRONT = ((0, 0.06), (0.1, 0.0), (0.3, 0.0), (0.34, 0.03), (0.8, 0.03), (1, 0.06))
CAB_REAR = ((0, 0.0), (0.5, 0.0), (1, 0.02))
CAB_SIDE = ((0, 0.03), (0.06, 0.0), (0.7, 0.0), (0.94, 0.0), (1, 0.012))


class Load(Protocol):
    """Builder of the parts behind the cab."""

    def __call__(self, paint: Material, *, lit: bool) -> list[Part | Mesh]:
        """All parts in a paint, in the vehicle's frame."""


@dataclass(frozen=True)
class Lorry:
    """A cab at the front of a longer vehicle, and a function that builds the rest.

    Attributes:
        length: Length of the whole vehicle.
        cab: The cab as a short car; its front is the vehicle's front.
        load: Builds the rest from the paint, in the vehicle's frame.
        tail: Centre of the right tail lamp.
        rear_axle: x of the (first) rear axle.
    """

    length: float
    cab: Car
    load: Load
    tail: tuple[float, float, float]
    rear_axle: float

    @property
    def _offset(self) -> float:
        return self.length / 2 - self.cab.plan.length / 2

    def build(self, paint: Material, *, lit: bool = False) -> list[Part | Mesh]:
        """All parts in a paint."""
        shift = translation(self._offset, 0, 0)
        cab = [item.transformed(shift) for item in self.cab.build(paint, lit=lit)]
        return [*cab, *self.load(paint, lit=lit)]

    @property
    def wheelbase(self) -> float:
        """Metres between the axles."""
        return self.cab.plan.axles[0] + self._offset - self.rear_axle

    def head_points(self) -> Points:
        """Middles of the two headlamps ``(2, 3)``."""
        return np.asarray(self.cab.head_points() + (self._offset, 0, 0))


def pair(parts: list[Part]) -> list[Part]:
    """The parts and their mirror images."""
    return [*parts, *(mirrored(p) for p in parts)]


def axle(x: float, radius: float, width: float, half_track: float, *, twin: bool) -> list[Mesh]:
    """Both wheels of an axle; twin tyres have a plain inner one."""
    mesh = wheel(radius, width, LORRY_WHEEL, detail=26)
    placed = [placed_wheel(mesh, x, side * half_track, radius) for side in (1, -1)]
    if twin:
        inner = half_track - width - 0.03
        placed += [
            Mesh(
                (cylinder((x, y - width / 2, radius), (x, y + width / 2, radius), radius, finishes.RUBBER, detail=20),)
            )
            for y in (inner, -inner)
        ]
    return placed


def chassis(front: float, rear: float, z: float) -> list[Part]:
    """Two rails and their cross members."""
    rails = pair([box((rear, 0.32, z - 0.12), (front, 0.42, z + 0.1), finishes.UNDERBODY)])
    cross = [
        box((x - 0.06, -0.4, z - 0.08), (x + 0.06, 0.4, z + 0.06), finishes.UNDERBODY)
        for x in np.linspace(rear + 0.1, front - 0.1, 5)
    ]
    return [*rails, *cross]


def tail_boards(x: float, half: float, z: float, *, lit: bool) -> list[Part]:
    """Bumper bar, lamp clusters and number plate at the rear end."""
    red = finishes.LIT_TAIL if lit else finishes.TAIL_BRIGHT
    lamp = [
        rounded_box((x - 0.03, half - 0.4, z - 0.07), (x + 0.05, half - 0.06, z + 0.07), 0.02, finishes.TRIM, detail=1),
        box((x - 0.036, half - 0.38, z - 0.05), (x - 0.02, half - 0.22, z + 0.05), red),
        box((x - 0.036, half - 0.21, z - 0.05), (x - 0.02, half - 0.15, z + 0.05), finishes.LENS),
        box((x - 0.036, half - 0.14, z - 0.05), (x - 0.02, half - 0.08, z + 0.05), finishes.AMBER),
    ]
    bar = rounded_box((x, -half + 0.1, z - 0.26), (x + 0.12, half - 0.1, z - 0.14), 0.03, finishes.STEEL, detail=1)
    return [*pair(lamp), bar, *fittings.plate((x + 0.01, 0, z), -1, "CA 170")]


def mudguards(x: float, radius: float, half: float, width: float) -> list[Part]:
    """Curved guards over the wheels of an axle."""
    angle = np.linspace(np.radians(12), np.radians(168), 11)
    r = radius + 0.08
    outer = np.stack([x + r * np.cos(angle), np.full(11, half), radius + r * np.sin(angle)], -1)
    inner = outer - (0, width, 0)
    n = len(outer)
    k = np.arange(n - 1)
    faces = np.concatenate([np.stack([k, k + 1, k + n], 1), np.stack([k + 1, k + n + 1, k + n], 1)])
    both = np.concatenate([faces[:, ::-1], faces])
    return pair([Part(np.concatenate([outer, inner]).astype(np.float32), both.astype(np.int32), finishes.TRIM)])


def cargo_box(rear: float, front: float, half: float, low: float, high: float, skin: Material) -> list[Part]:
    """A box body with corner posts, roof rail and rear doors."""
    parts = [rounded_box((rear, -half, low), (front, half, high), 0.04, skin, detail=2)]
    rail = finishes.ALLOY
    for z in (low + 0.03, high - 0.03):
        parts += pair([box((rear + 0.03, half - 0.02, z - 0.035), (front - 0.03, half + 0.006, z + 0.035), rail)])
    for x in (rear + 0.035, front - 0.035):
        parts += pair([box((x - 0.035, half - 0.02, low + 0.06), (x + 0.035, half + 0.005, high - 0.06), rail)])
    parts.append(box((rear - 0.004, -0.008, low + 0.05), (rear + 0.02, 0.008, high - 0.05), finishes.GAP))
    bars = [
        cylinder((rear - 0.02, y, low + 0.02), (rear - 0.02, y, high - 0.05), 0.016, finishes.STEEL, detail=8)
        for y in (0.16, 0.8 * half)
    ]
    hinges = [
        box((rear - 0.012, half - 0.1, z - 0.03), (rear + 0.01, half + 0.004, z + 0.03), finishes.STEEL)
        for z in np.linspace(low + 0.2, high - 0.2, 4)
    ]
    return [*parts, *pair(bars), *pair(hinges)]


def posters(rear: float, front: float, half: float, low: float, high: float, picture: Material) -> list[Part]:
    """One poster on both sides, not mirrored on either."""
    u, v = np.array([front - rear, 0, 0]), np.array([0, 0, high - low])
    right = mirrored_panel((front, half + 0.008, low), -u, v, picture)
    left = mirrored_panel((rear, -half - 0.008, low), u, v, picture)
    return [right, left]


def side_guards(rear: float, front: float, half: float, z: float) -> list[Part]:
    """Side underrun guards, which protect cyclists."""
    return pair(
        [box((rear, half - 0.06, h - 0.05), (front, half - 0.02, h + 0.05), finishes.ALLOY) for h in (z, z + 0.24)]
    )


def cab_over(
    length: float, width: float, height: float, belt: float, radius: float, clearance: float, *, crew: bool = False
) -> BodyPlan:
    """Plan of a cab whose driver sits over the front axle; a crew cab has two rows of doors."""
    back = length - 0.02
    return BodyPlan(
        length,
        width,
        height,
        20.0,
        1.05 if crew else min(1.25, 0.62 * length),
        radius,
        tyre_width=0.29,
        clearance=clearance,
        nose_z=belt,
        hood_z=belt + 0.03,
        belt_z=belt,
        belt_rear_z=belt,
        tail_z=belt,
        cowl=0.07,
        header=0.32,
        peak=0.75 * length,
        header_z=height - 0.14,
        roof_end=back - 0.05,
        roof_end_z=height - 0.03,
        backlight=back,
        a_pillar=0.1,
        c_pillar=0.25,
        roof_width=0.9,
        shoulder=0.008,
        front_square=7.5,
        rear_square=16,
        glass_front_square=7.5,
        glass_rear_square=16,
        front_profile=CAB_FRONT,
        rear_profile=CAB_REAR,
        side_profile=CAB_SIDE,
        crown=0.06,
        arch_gap=0.08,
        rear_skirt=0.0,
        doors=(0.35, 1.45, 2.5) if crew else (0.35, min(1.55, length - 0.35)),
        single_axle=True,
        glass_bulge=0.03,
    )


def cab_exterior(plan: BodyPlan, lamp_z: float, *, crew: bool = False, dark_rear: bool = True) -> Exterior:
    """Lamps, grille and windows of such a cab."""
    half = plan.width / 2
    return Exterior(
        HeadLamp(half - 0.48, 0.16, lamp_z - 0.09, lamp_z + 0.09, lamp_z - 0.07, lamp_z + 0.09),
        None,
        Panes(
            low=0.05,
            high=0.72,
            posts=(1.45,) if crew else (),
            side_to=(2.4 if crew else plan.doors[-1] - 0.08),
            rear=not dark_rear,
            radius=0.06,
        ),
        grille=Grille(
            half - 0.45,
            half - 0.5,
            lamp_z + 0.16,
            plan.belt_z - 0.12,
            bars=4,
            frame=False,
            bar_material=finishes.DARK_ALLOY,
        ),
        intake=(half - 0.55, plan.clearance + 0.1, plan.clearance + 0.22),
        wheel=LORRY_WHEEL,
        black_arches=True,
        exhausts=0,
        plate_z=(plan.clearance + 0.3, plan.belt_z - 0.3),
        mirror_size=1.9,
    )
