"""Walls, fences and hedges: single pieces on free ground, and the walls of a plan."""

from __future__ import annotations

import itertools
import math

import shapely

from caos.simulator.embedded.towns.streetscape import street_models
from caos.simulator.embedded.towns.streetscape.collector import Collector
from caos.simulator.transform import Transform

PIECE_M = 4.0
Point = tuple[float, float]


def put_piece(out: Collector, start: Point, end: Point, kind: str, variant: int) -> None:
    """Place a piece between two points, its front to the right of its direction, if the ground is free."""
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    # Slightly shorter than the piece, so that it does not collide with the one that it continues.
    inner = [(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t) for t in (0.06, 0.94)]
    shape = shapely.LineString(inner).buffer(0.12, cap_style="flat")
    if length < 1.0 or not out.land.is_free(shape, 0.05):
        return
    mesh, tag = street_models.edge(kind, PIECE_M, variant)
    z0, z1 = out.ground(x0, y0), out.ground(x1, y1)
    yaw, pitch = math.degrees(math.atan2(y1 - y0, x1 - x0)), math.degrees(math.atan2(z1 - z0, length))
    out.land.take(shape)
    out.put(kind.replace(":", "_"), mesh, Transform(x0, y0, z0 - 0.03, pitch, yaw, 0), tag, stretch=length / PIECE_M)


def put_planned_walls(out: Collector, text: str) -> None:
    """Place the walls of a plan's option ``walls``: for each a kind and two points in OpenDRIVE's plane, then ``;``."""
    for row in filter(str.strip, text.split(";")):
        kind, *numbers = row.split()
        x0, y0, x1, y1 = (float(number) for number in numbers)
        count = max(round(math.hypot(x1 - x0, y1 - y0) / PIECE_M), 1)
        ends = [(x0 + (x1 - x0) * k / count, -y0 - (y1 - y0) * k / count) for k in range(count + 1)]
        for start, end in itertools.pairwise(ends):
            put_piece(out, start, end, kind, 0)
