"""The folded-steel pick-up: flat facets instead of a lofted shell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling.shapes import box
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork import fittings
from caos.assets.street.vehicles.bodywork.plan import Points
from caos.assets.street.vehicles.lorry import pair
from caos.assets.street.vehicles.wheels import WheelStyle, placed_wheel, wheel


def facet(points: list[tuple[float, float, float]], material: Material) -> Part:
    """A flat convex polygon, counter-clockwise from outside."""
    faces = np.array([[0, k, k + 1] for k in range(1, len(points) - 1)], np.int32)
    return Part(np.array(points, np.float32), faces, material)


@dataclass(frozen=True)
class Cybertruck:
    """Flat stainless facets from nose over a peak to the tail."""

    length: float = 5.68

    def build(self, paint: Material, *, lit: bool = False) -> list[Part | Mesh]:
        """Build all parts; the steel has the paint's colour."""
        steel = Material("brushed steel", paint.color, "metal", 0.38)
        head = finishes.LIT_HEAD if lit else finishes.LENS
        tail = finishes.LIT_TAIL if lit else finishes.TAIL_BRIGHT
        parts: list[Part | Mesh] = [
            *pair(self._side(steel)),
            *self._middle(steel),
            *self._lights(head, tail),
            *pair(self._arches()),
        ]
        mesh = wheel(0.44, 0.29, WheelStyle(rim=0.58, spokes=7, spoke_width=0.3, finish=finishes.DARK_ALLOY))
        parts += [placed_wheel(mesh, x, side * 0.86, 0.44) for x in (1.9, -1.75) for side in (1, -1)]
        return parts

    @staticmethod
    def _side(steel: Material) -> list[Part]:
        sill, belt = 0.42, 1.16
        low = [(2.72, 0.86, sill), (-2.72, 0.9, sill)]
        waist_front, waist_rear = (2.8, 0.9, 0.98), (-2.84, 0.96, 1.22)
        lower = facet([low[0], waist_front, waist_rear, low[1]], steel)
        upper = [waist_front, (0.35, 0.62, 1.72), (-2.84, 0.86, 1.32), waist_rear]
        glass = [(1.75, 0.852, 1.18), (0.35, 0.64, 1.65), (-1.15, 0.745, 1.51), (-1.35, 0.875, 1.24)]
        door = [
            facet(
                [
                    (x + 0.005, 0.9, sill),
                    (x + 0.005, 0.935, belt - 0.1),
                    (x - 0.005, 0.935, belt - 0.1),
                    (x - 0.005, 0.9, sill),
                ],
                finishes.GAP,
            )
            for x in (1.0, -0.2)
        ]
        return [
            lower,
            facet(upper, steel),
            facet([(x, y + 0.012, z + 0.012) for x, y, z in glass], finishes.GLASS),
            *door,
        ]

    @staticmethod
    def _middle(steel: Material) -> list[Part]:
        nose_r, nose_l = (2.8, 0.9, 0.98), (2.8, -0.9, 0.98)
        peak_r, peak_l = (0.35, 0.62, 1.72), (0.35, -0.62, 1.72)
        tail_r, tail_l = (-2.84, 0.86, 1.32), (-2.84, -0.86, 1.32)
        screen = [(1.95, 0.72, 1.242), (1.95, -0.72, 1.242), (0.42, -0.57, 1.702), (0.42, 0.57, 1.702)]
        cover = [(-0.2, 0.6, 1.66), (-0.2, -0.6, 1.66), (-2.8, -0.78, 1.335), (-2.8, 0.78, 1.335)]
        front = [(2.8, -0.9, 0.98), (2.8, 0.9, 0.98), (2.72, 0.86, 0.42), (2.72, -0.86, 0.42)]
        rear = [
            (-2.84, 0.86, 1.32),
            (-2.84, -0.86, 1.32),
            (-2.84, -0.96, 1.22),
            (-2.72, -0.9, 0.42),
            (-2.72, 0.9, 0.42),
            (-2.84, 0.96, 1.22),
        ]
        floor = [(2.72, 0.86, 0.42), (2.72, -0.86, 0.42), (-2.72, -0.9, 0.42), (-2.72, 0.9, 0.42)]
        return [
            facet([nose_r, nose_l, peak_l, peak_r][::-1], steel),
            facet([peak_r, peak_l, tail_l, tail_r][::-1], steel),
            facet([(x, y, z + 0.012) for x, y, z in screen][::-1], finishes.GLASS),
            facet([(x, y, z + 0.012) for x, y, z in cover][::-1], finishes.TRIM),
            facet(front[::-1], steel),
            facet(rear[::-1], steel),
            facet(floor, finishes.UNDERBODY),
            box((2.7, -0.8, 0.4), (2.8, 0.8, 0.62), finishes.TRIM),
            box((-2.82, -0.84, 0.4), (-2.7, 0.84, 0.62), finishes.TRIM),
        ]

    @staticmethod
    def _lights(head: Material, tail: Material) -> list[Part]:
        return [
            box((2.76, -0.88, 0.935), (2.81, 0.88, 0.965), head),
            box((-2.85, -0.9, 1.225), (-2.8, 0.9, 1.265), tail),
            *fittings.plate((2.795, 0, 0.52), 1, "CT 2044"),
            *fittings.plate((-2.815, 0, 0.52), -1, "CT 2044"),
            *pair([box((-2.83, 0.6, 0.66), (-2.74, 0.84, 0.72), tail)]),
        ]

    @staticmethod
    def _arches() -> list[Part]:
        parts = []
        for x in (1.9, -1.75):
            r, y = 0.56, 0.955
            shape = [(x + 0.62, y, 0.42), (x + 0.4, y, 0.42 + r), (x - 0.36, y, 0.42 + r + 0.02), (x - 0.66, y, 0.42)]
            inner = [(a, y - 0.09, c) for a, _, c in shape]
            parts.append(facet(shape, finishes.TRIM))
            for k in range(3):
                parts.append(facet([shape[k], inner[k], inner[k + 1], shape[k + 1]], finishes.TRIM))
            well = [
                (x + 0.5, y + 0.004, 0.42),
                (x + 0.34, y + 0.004, 0.42 + r - 0.08),
                (x - 0.32, y + 0.004, 0.42 + r - 0.07),
                (x - 0.53, y + 0.004, 0.42),
            ]
            parts.append(facet(well, finishes.WELL))
        return parts

    @property
    def wheelbase(self) -> float:
        """Metres between the axles."""
        return 3.65

    def head_points(self) -> Points:
        """Middles of the two headlamps ``(2, 3)``."""
        return np.array([[self.length / 2 - 0.02, y, 0.95] for y in (0.7, -0.7)])
