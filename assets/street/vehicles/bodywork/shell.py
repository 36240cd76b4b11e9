"""Surface of a car body: flanks and bumpers, bonnet and boot, cabin, roof, wheel wells, floor.

Four sheets share one parameter, the arc length around the outline from the front's middle over the right side to the
rear's middle; the left half is their mirror image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike

from caos.assets.mesh import Material, Part
from caos.assets.modelling.shapes import triangulate
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.plan import BodyPlan, Points, Ring, profile
from caos.assets.street.vehicles.bodywork.sheets import Region, Sheet, spread_lines

_DECK_POWER = 2.6
_WELL_DEPTH_M = 0.38
_FLANK_ROWS = (0, 0.05, 0.13, 0.26, 0.4, 0.52, 0.62, 0.76, 0.88, 0.95, 1)
_DECK_ROWS = (0, 0.05, 0.15, 0.4, 0.7, 1)
_CABIN_ROWS = (0, 0.2, 0.45, 0.7, 0.86, 0.93, 1)
_ROOF_ROWS = (0, 0.08, 0.28, 0.6, 1)


def _step(low: float, high: float, value: Points) -> Points:
    t = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


@dataclass(frozen=True, eq=False)
class Shell:
    """Surfaces defined by a plan, and the conversions from points on the car to chart coordinates."""

    plan: BodyPlan

    @cached_property
    def ring(self) -> Ring:
        """Outline of the body at its widest."""
        p = self.plan
        return Ring(p.length / 2, -p.length / 2, p.width / 2, p.front_square, p.rear_square, 0.0)

    @cached_property
    def flank_height(self) -> float:
        """Nominal height of the flank's chart."""
        return self.plan.belt_z - self.plan.clearance

    @cached_property
    def flank(self) -> Sheet:
        """Front, side and rear below the belt line; the chart is (arc length, relative height times a nominal one)."""
        lines = spread_lines(self.ring.points, step_m=0.23, turn_deg=9.5)
        return Sheet(self._flank, self._with_arches(lines), np.array(_FLANK_ROWS) * self.flank_height)

    def _with_arches(self, lines: Points) -> Points:
        """Grid lines with a few more over each wheel arch, where the flank is narrow."""
        extra = [
            self.ring.side(axle + r * self.plan.arch_radius) for axle in self.plan.axles for r in (-0.6, -0.2, 0.2, 0.6)
        ]
        merged = np.unique(np.concatenate([lines, np.array(extra)]))
        keep = np.concatenate([[True], np.diff(merged) > 0.03])
        keep[-1] = True
        return np.asarray(merged[keep])

    def edge_heights(self, arc: ArrayLike) -> tuple[Points, Points]:
        """Lower and upper height of the flank at arc lengths."""
        x, y = self.ring.at(arc)
        p = self.plan
        top = p.shoulder_line(x) + p.deck_crowns(x) * (1 - (y / (p.width / 2)) ** _DECK_POWER)
        return p.sill_line(x), top

    def _flank(self, arc: Points, b: Points) -> Points:
        p = self.plan
        t = np.clip(b / self.flank_height, 0, 1)
        x, y = self.ring.at(arc)
        along, across = self.ring.normalised(arc)
        low, high = self.edge_heights(arc)
        z = low + t * (high - low)
        front, rear = _step(0.62, 0.97, along), _step(0.62, 0.97, -along)
        inset = profile(p.side_profile)(t)
        swell = sum((self._swell(x, z, axle) for axle in p.axles), np.zeros_like(x))
        x = x - front * profile(p.front_profile)(t) + rear * profile(p.rear_profile)(t)
        y = y * (1 - inset / (p.width / 2)) + across**4 * swell
        return np.stack([x, y, z], -1)

    def _swell(self, x: Points, z: Points, axle: float) -> Points:
        """Bulge of the flank around a wheel arch."""
        distance = np.hypot(x - axle, z - self.plan.wheel_radius) - self.plan.arch_radius
        return np.asarray(self.plan.flare * np.exp(-((np.maximum(distance, 0) / 0.09) ** 2)))

    def on_flank(self, arc: ArrayLike, z: ArrayLike) -> Points:
        """Chart points ``(n, 2)`` for arc lengths and heights."""
        a = np.asarray(arc, dtype=np.float64)
        low, high = self.edge_heights(a)
        t = (np.asarray(z) - low) / (high - low)
        return np.stack(np.broadcast_arrays(a, t * self.flank_height), -1)

    def from_side(self, shape: Any) -> Any:
        """Convert a drawing in the side view (x, z) to the flank's chart."""
        return self._redraw(shape, self.ring.side)

    def from_front(self, shape: Any) -> Any:
        """Convert a drawing in the front view (y, z), right half, to the flank's chart."""
        return self._redraw(shape, self.ring.front_at)

    def from_rear(self, shape: Any) -> Any:
        """Convert a drawing in the rear view (y, z), right half, to the flank's chart."""
        return self._redraw(shape, self.ring.rear_at)

    def _redraw(self, shape: Any, arc: Any) -> Any:
        fine = shapely.segmentize(shape, 0.05)
        return shapely.transform(fine, lambda c: self.on_flank(arc(c[:, 0]), c[:, 1])).buffer(0)

    def wrapped(self, points: Sequence[tuple[float, float]], radius: float) -> Any:
        """A rounded polygon of (arc length, height) corners on the flank's chart: lamps that reach round a corner."""
        fine = shapely.segmentize(shapely.Polygon(points), 0.04)
        shape = shapely.transform(fine, lambda c: self.on_flank(c[:, 0], c[:, 1])).buffer(0)
        return shape.buffer(-radius).buffer(radius, quad_segs=5)

    def point_on_flank(self, arc: float, z: float) -> Points:
        """The point in space at an arc length and a height."""
        chart = self.on_flank(np.array([arc]), np.array([z]))
        return np.asarray(self._flank(chart[:, 0], chart[:, 1])[0])

    def point_on_side(self, x: float, z: float) -> Points:
        """The point of the right flank at x and z."""
        return self.point_on_flank(float(self.ring.side(x)), z)

    @cached_property
    def arches(self) -> Any:
        """The wheel openings on the flank's chart."""
        p = self.plan
        shapes = []
        for axle in p.axles:
            circle = shapely.Point(axle, p.wheel_radius).buffer(p.arch_radius, quad_segs=12)
            slot = shapely.box(axle - p.arch_radius, -1, axle + p.arch_radius, p.wheel_radius)
            shapes.append(self.from_side(circle.union(slot)))
        return shapely.union_all(shapes)

    @cached_property
    def deck(self) -> Sheet:
        """Surface between the upper edges of the flanks; the chart is (arc length, share of the way to the middle)."""
        return Sheet(self._deck, self.flank.a_lines, np.array(_DECK_ROWS))

    def _deck(self, arc: Points, b: Points) -> Points:
        edge = self._flank(arc, np.full_like(arc, self.flank_height))
        x, y = self.ring.at(arc)
        q = 1 - b
        rise = self.plan.deck_crowns(x) * (y / (self.plan.width / 2)) ** _DECK_POWER * (1 - q**_DECK_POWER)
        return np.stack([edge[:, 0], edge[:, 1] * q, edge[:, 2] + rise], -1)

    def _under_cabin(self) -> Any:
        """Part of the deck that the cabin hides."""
        p = self.plan
        start, stop = self.ring.side(p.at(p.cowl + 0.3)), self.ring.side(p.at(p.backlight - 0.3))
        return shapely.box(float(start), 0.3, float(stop), 1.1) if stop > start else None

    @cached_property
    def cabin_ring(self) -> Ring:
        """Outline of the cabin at the belt line."""
        p = self.plan
        waist = p.at(0.5 * (p.header + p.roof_end))
        half = p.width / 2 - profile(p.side_profile)(1.0) - p.shoulder
        return Ring(p.at(p.cowl), p.at(p.backlight), float(half), p.glass_front_square, p.glass_rear_square, waist)

    @cached_property
    def cabin_height(self) -> float:
        """Nominal height of the cabin's chart."""
        return self.plan.height - self.plan.belt_z

    @cached_property
    def cabin(self) -> Sheet:
        """Windows and pillars; the chart is (arc length at the belt, relative height times a nominal one)."""
        lines = spread_lines(self.cabin_ring.points, step_m=0.23, turn_deg=9.5)
        return Sheet(self._cabin, lines, np.array(_CABIN_ROWS) * self.cabin_height)

    def cabin_ends(self, v: ArrayLike) -> tuple[Points, Points]:
        """X of windscreen and rear window in the plane y = 0, at relative heights."""
        p = self.plan
        v = np.asarray(v, dtype=np.float64)
        bulge = p.glass_bulge * 4 * v * (1 - v)
        front = p.at(p.cowl) + v * (p.cowl - p.header) + bulge
        rear = p.at(p.backlight) + v * (p.backlight - p.roof_end) - bulge
        return front, rear

    def _cabin_plan(self, arc: Points, v: Points) -> tuple[Points, Points]:
        p, ring = self.plan, self.cabin_ring
        along, across = ring.normalised(arc)
        front, rear = self.cabin_ends(v)
        x = ring.waist + np.where(along > 0, front - ring.waist, ring.waist - rear) * along
        taper = 1 - (1 - p.roof_width) * (0.82 * v + 0.18 * v**3) - 0.05 * np.maximum((v - 0.86) / 0.14, 0) ** 2
        return x, ring.half_width * taper * across

    def _cabin(self, arc: Points, b: Points) -> Points:
        v = np.clip(b / self.cabin_height, 0, 1)
        low, high = self._cabin_edges(arc)
        x, y = self._cabin_plan(arc, v)
        return np.stack([x, y, low + v * (high - low)], -1)

    def _cabin_edges(self, arc: Points) -> tuple[Points, Points]:
        p = self.plan
        zero, one = np.zeros_like(arc), np.ones_like(arc)
        x, y = self._cabin_plan(arc, zero)
        low = p.shoulder_line(x) + p.deck_crowns(x) * (1 - np.minimum(y / (p.width / 2), 1) ** _DECK_POWER) - 0.025
        x, y = self._cabin_plan(arc, one)
        return low, self.roof_height(x, y)

    def on_cabin(self, x: float, v: float) -> tuple[float, float]:
        """Chart point on the cabin's side at x and relative height."""
        ring = self.cabin_ring
        front, rear = (float(e) for e in self.cabin_ends(v))
        share = (x - ring.waist) / (front - ring.waist if x > ring.waist else ring.waist - rear)
        return float(ring.normalised_side(share)), v * self.cabin_height

    def roof_height(self, x: ArrayLike, y: ArrayLike) -> Points:
        """Height of the roof."""
        p = self.plan
        return np.asarray(p.roof_line(x) - p.crown * (np.asarray(y) / (p.width / 2)) ** 2)

    @cached_property
    def roof(self) -> Sheet:
        """The roof; the chart is (arc length at the belt, share of the way to the middle)."""
        return Sheet(self._roof, self.cabin.a_lines, np.array(_ROOF_ROWS))

    def _roof(self, arc: Points, b: Points) -> Points:
        edge = self._cabin(arc, np.full_like(arc, self.cabin_height))
        y = edge[:, 1] * (1 - b)
        return np.stack([edge[:, 0], y, self.roof_height(edge[:, 0], y)], -1)

    def wells(self, lip: Material) -> list[Part]:
        """Wheel wells of the right side: a lip, a dark barrel and its inner wall."""
        return [part for axle in self.plan.axles for part in self._well(axle, lip)]

    def _well(self, axle: float, lip: Material) -> list[Part]:
        p = self.plan
        floor = float(p.sill_line(axle))
        start = np.arcsin(np.clip((floor - p.wheel_radius) / p.arch_radius, -1, 1))
        angle = np.linspace(start, np.pi - start, 33)
        x, z = axle + p.arch_radius * np.cos(angle), p.wheel_radius + p.arch_radius * np.sin(angle)
        chart = self.on_flank(self.ring.side(x), z)
        rim = self._flank(chart[:, 0], chart[:, 1])
        rim[:, 0] = x
        inner = np.stack([x, np.full_like(x, p.width / 2 - _WELL_DEPTH_M), z], -1)
        fold = rim - (0, 0.025, 0)
        wall = np.concatenate([inner, [[axle, inner[0, 1], p.wheel_radius * 0.6]]])
        fan = [[len(wall) - 1, k, k + 1] for k in range(len(inner) - 1)]
        well = Part(wall.astype(np.float32), np.array(fan, np.int32)[:, ::-1].copy(), finishes.WELL)
        return [_band(rim, fold, lip), _band(fold, inner, finishes.WELL), well]

    def floor(self) -> Part:
        """The underside, seen from below, of both halves at once."""
        p = self.plan
        x, y = self.ring.points[::12].T
        right = np.stack([x * 0.97, y * 0.93], 1)
        outline = shapely.Polygon(np.concatenate([right, right[::-1] * (1, -1)])).buffer(0)
        inner = p.width / 2 - _WELL_DEPTH_M
        for axle in p.axles:
            r = p.arch_radius
            outline = outline.difference(shapely.box(axle - r, inner, axle + r, 2)).difference(
                shapely.box(axle - r, -2, axle + r, -inner)
            )
        flat, faces = triangulate(np.asarray(outline.exterior.coords)[:-1])
        points = np.column_stack([flat, np.full(len(flat), p.clearance + 0.03)])
        return Part(points.astype(np.float32), faces[:, ::-1].astype(np.int32).copy(), finishes.UNDERBODY)

    def skins(
        self,
        paint: Material,
        flank: Sequence[Region],
        deck: Sequence[Region],
        cabin: Sequence[Region],
        *,
        roof_material: Material | None = None,
        pillars: Material | None = None,
    ) -> list[Part]:
        """All sheets of the right half with their drawings."""
        return [
            *self.flank.skin(paint, flank, self.arches),
            *self.deck.skin(paint, deck, self._under_cabin()),
            *self.cabin.skin(pillars or paint, cabin),
            *self.roof.skin(roof_material or paint),
            *self.wells(paint),
        ]


def _band(first: Points, second: Points, material: Material) -> Part:
    """A strip between two polylines of equal length; it faces the side where first to second and along turn right."""
    n = len(first)
    k = np.arange(n - 1)
    faces = np.concatenate([np.stack([k, k + 1, k + n], 1), np.stack([k + 1, k + n + 1, k + n], 1)])
    return Part(np.concatenate([first, second]).astype(np.float32), faces.astype(np.int32), material, smooth=True)
