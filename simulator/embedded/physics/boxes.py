"""Upright oriented boxes in the plane: overlap tests, separation, and a spatial grid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from caos.simulator.embedded.protocol.wire import Box, Vector
from caos.simulator.transform import Transform

CELL_M = 8.0
ROUNDING = 1.001


@dataclass(frozen=True)
class Footprint:
    """An oriented rectangle with a range of heights.

    Attributes:
        x: Centre.
        y: Centre.
        yaw_rad: Direction of the rectangle's length.
        half_x: Half its length.
        half_y: Half its width.
        low: Lowest height.
        high: Highest height.
    """

    x: float
    y: float
    yaw_rad: float
    half_x: float
    half_y: float
    low: float
    high: float

    @property
    def reach(self) -> float:
        """Radius of its circumscribed circle."""
        return math.hypot(self.half_x, self.half_y)


def footprint(pose: Transform, box: Box, lift_m: float = 0.0) -> Footprint:
    """Footprint of a box in the frame of ``pose``; ``lift_m`` cuts off its lowest part."""
    yaw = math.radians(pose.yaw_deg)
    c, s = math.cos(yaw), math.sin(yaw)
    x = pose.x + c * box.center[0] - s * box.center[1]
    y = pose.y + s * box.center[0] + c * box.center[1]
    z = pose.z + box.center[2]
    turned = yaw + math.radians(box.rotation[1])
    return Footprint(x, y, turned, box.extent[0], box.extent[1], z - box.extent[2] + lift_m, z + box.extent[2])


def separation(a: Footprint, b: Footprint, moved: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float] | None:
    """Return the shift (x, y) of ``a`` that separates it from ``b``, or None if they do not overlap.

    It is the shortest if ``a`` has not ``moved``; otherwise the shortest of those that undo no more than the movement,
    if
    any: a narrow vehicle that hits the seam of two walls is not pushed from one into the other, and through.
    """
    if a.high <= b.low or b.high <= a.low:
        return None
    dx, dy = a.x - b.x, a.y - b.y
    if math.hypot(dx, dy) > a.reach + b.reach:
        return None
    best_rank, best = (True, math.inf), (0.0, 0.0)
    for yaw in (a.yaw_rad, a.yaw_rad + math.pi / 2, b.yaw_rad, b.yaw_rad + math.pi / 2):
        ux, uy = math.cos(yaw), math.sin(yaw)
        distance = dx * ux + dy * uy
        depth = _radius(a, ux, uy) + _radius(b, ux, uy) - abs(distance)
        if depth <= 0:
            return None
        sign = 1.0 if distance >= 0 else -1.0
        entered = -sign * (moved[0] * ux + moved[1] * uy)
        rank = (depth > entered * ROUNDING, depth)
        if rank < best_rank:
            best_rank, best = rank, (sign * ux * depth, sign * uy * depth)
    return best


def _radius(f: Footprint, ux: float, uy: float) -> float:
    c, s = math.cos(f.yaw_rad), math.sin(f.yaw_rad)
    return f.half_x * abs(ux * c + uy * s) + f.half_y * abs(uy * c - ux * s)


class Grid:
    """Spatial index of footprints."""

    def __init__(self, items: Iterable[tuple[int, Footprint]] = ()) -> None:
        self._cells: dict[tuple[int, int], list[tuple[int, Footprint]]] = {}
        for key, item in items:
            self.add(key, item)

    def add(self, key: int, item: Footprint) -> None:
        """Add a footprint under a key."""
        for cell in _cells(item):
            self._cells.setdefault(cell, []).append((key, item))

    def near(self, item: Footprint) -> list[tuple[int, Footprint]]:
        """Footprints in the cells that ``item`` touches, each once, ordered by key."""
        found = {key: other for cell in _cells(item) for key, other in self._cells.get(cell, ())}
        return sorted(found.items())


def _cells(item: Footprint) -> Iterator[tuple[int, int]]:
    reach = item.reach
    for i in range(math.floor((item.x - reach) / CELL_M), math.floor((item.x + reach) / CELL_M) + 1):
        for j in range(math.floor((item.y - reach) / CELL_M), math.floor((item.y + reach) / CELL_M) + 1):
            yield i, j


def shifted(pose: Transform, by: Vector) -> Transform:
    """Shift a pose by a vector."""
    return Transform(pose.x + by[0], pose.y + by[1], pose.z + by[2], *pose.rotation)
