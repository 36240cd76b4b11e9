"""The city bus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.shapes import box, rounded_box, sweep
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.exterior import Exterior, HeadLamp, Panes, TailLamp
from caos.assets.street.vehicles.bodywork.plan import BodyPlan, Points
from caos.assets.street.vehicles.cars import Car
from caos.assets.street.vehicles.liveries import mirrored_panel, poster
from caos.assets.street.vehicles.lorry import CAB_FRONT, CAB_SIDE, LORRY_WHEEL, pair

_BUS_POSTS = tuple(float(d) for d in np.arange(1.55, 9.8, 1.42))
_BUS_PLAN = BodyPlan(
    10.2,
    2.5,
    3.15,
    5.3,
    2.3,
    0.48,
    tyre_width=0.29,
    clearance=0.3,
    nose_z=1.1,
    hood_z=1.12,
    belt_z=1.12,
    belt_rear_z=1.12,
    tail_z=1.12,
    cowl=0.06,
    header=0.26,
    peak=5.0,
    header_z=3.06,
    roof_end=10.02,
    roof_end_z=3.08,
    backlight=10.16,
    a_pillar=0.1,
    c_pillar=0.3,
    roof_width=0.93,
    shoulder=0.006,
    front_square=8,
    rear_square=12,
    glass_front_square=8,
    glass_rear_square=12,
    front_profile=CAB_FRONT,
    rear_profile=((0, 0.04), (0.2, 0.0), (1, 0.02)),
    side_profile=CAB_SIDE,
    crown=0.1,
    doors=(),
    rear_skirt=0.04,
    arch_gap=0.07,
    glass_bulge=0.03,
)


@dataclass(frozen=True)
class Bus:
    """A city bus: one long shell, doors on the right, a destination display."""

    body: Car

    def build(self, paint: Material, *, lit: bool = False) -> list[Part | Mesh]:
        """All parts in a paint."""
        parts = self.body.build(paint, lit=lit)
        parts += [part for x in (4.02, -0.35) for part in self._door(x)]
        parts += self._front_arms()
        parts.append(rounded_box((-3.6, -0.85, 3.02), (-1.2, 0.85, 3.24), 0.08, finishes.WHITE, detail=2))
        parts.append(mirrored_panel((4.99, -0.78, 2.66), (0, 1.56, 0), (-0.03, 0, 0.28), poster("display", (8, 8, 8))))
        parts.append(box((4.9, -0.84, 2.6), (4.985, 0.84, 3.0), finishes.TRIM))
        return parts

    @staticmethod
    def _door(x: float) -> list[Part]:
        """Two glazed leaves in a black frame on the right side."""
        parts = [box((x - 0.62, 1.2, 0.36), (x + 0.62, 1.262, 2.72), finishes.TRIM)]
        for a, b in ((x - 0.57, x - 0.03), (x + 0.03, x + 0.57)):
            parts.append(box((a, 1.25, 0.44), (b, 1.268, 2.62), finishes.GLASS))
        return parts

    @staticmethod
    def _front_arms() -> list[Part]:
        arm = sweep([(4.95, 1.05, 2.85), (5.16, 1.22, 2.8), (5.17, 1.3, 2.5)], 0.02, finishes.TRIM, detail=8)
        glass = rounded_box((5.12, 1.2, 2.05), (5.21, 1.4, 2.5), 0.04, finishes.TRIM, detail=2)
        return pair([arm, glass])

    @property
    def wheelbase(self) -> float:
        """Metres between the axles."""
        return self.body.wheelbase

    def head_points(self) -> Points:
        """Middles of the two headlamps ``(2, 3)``."""
        return self.body.head_points()


BUS = Bus(
    Car(
        _BUS_PLAN,
        Exterior(
            HeadLamp(0.74, 0.2, 0.62, 0.8, 0.64, 0.8),
            TailLamp(1.02, 0.06, 0.7, 1.04, 0.7, 1.04),
            Panes(low=0.06, high=0.74, posts=_BUS_POSTS, post_width=0.06, radius=0.05, rear_low=0.3),
            intake=(0.8, 0.36, 0.46),
            wheel=LORRY_WHEEL,
            exhausts=0,
            handles=False,
            plate_z=(0.54, 0.62),
            mirror_size=0.01,
            stripe=finishes.WHITE,
        ),
        "17 4500",
    )
)
