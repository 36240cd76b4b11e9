"""Junctions of a plan: clearance of the roads that meet there, and the lane links between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from caos.simulator.embedded.towns.plan import RoadKind
from caos.simulator.embedded.towns.roads.curves import Curve, PlanarPose, biarc

CORNER_RADIUS = 6.0
STRAIGHT_DEG = 35.0


@dataclass(frozen=True)
class Leg:
    """One road end at a junction.

    Attributes:
        road_id: The road.
        at_end: The road's end (True) or its start touches the junction.
        kind: Its cross-section.
        mouth: PlanarPose on the centre line where the road stops, looking away from the junction.
    """

    road_id: int
    at_end: bool
    kind: RoadKind
    mouth: PlanarPose

    @property
    def entering_sign(self) -> int:
        """Sign of the lane ids that drive into the junction."""
        return -1 if self.at_end else 1


@dataclass(frozen=True)
class Turn:
    """A connecting road: one driving lane from a leg to another, perhaps with the corner's sidewalk beside it."""

    source: Leg
    target: Leg
    source_lane: int
    target_lane: int
    path: Curve
    widths: tuple[tuple[str, float, float, int, int], ...]
    """Per lane outwards: type, width at start and end, lane id on source and target road (0: none)."""


def clearance(angle_to_neighbours: list[tuple[float, float]], half: float) -> float:
    """Distance in metres from a junction's centre at which a leg stops, for each neighbour's angle and half width."""
    need = 4.0
    for angle, other in angle_to_neighbours:
        if angle >= math.radians(150):
            continue
        corner = (other + half * math.cos(angle)) / math.sin(angle) + CORNER_RADIUS / math.tan(angle / 2)
        need = max(need, corner)
    return need


def turns(legs: list[Leg]) -> list[Turn]:
    """Every connecting road of a junction; legs in any order."""
    ordered = sorted(legs, key=lambda leg: leg.mouth.heading % (2 * math.pi))
    out = []
    for i, source in enumerate(ordered):
        for j in range(1, len(ordered)):
            target = ordered[(i + j) % len(ordered)]
            out += _between(source, target, corner=j == 1, last=j == len(ordered) - 1)
        out += _stranded(source, [t for t in out if t.source is source])
    for target in ordered:
        out += _unfed(target, [t for t in out if t.target is target])
    return out


def _stranded(source: Leg, known: list[Turn]) -> list[Turn]:
    """Links for entering lanes without an exit, to the leg with the most lanes that the source leg reaches."""
    target = max((turn.target for turn in known), key=lambda leg: leg.kind.lanes)
    linked = {turn.source_lane for turn in known}
    sign = source.entering_sign
    missing = [k for k in range(source.kind.lanes) if source.kind.lane_number(k, sign) not in linked]
    return [_turn(source, target, k, min(k, target.kind.lanes - 1), walk=False) for k in missing]


def _unfed(target: Leg, known: list[Turn]) -> list[Turn]:
    """Links for leaving lanes without an entry, from the leg with the most lanes."""
    source = max((turn.source for turn in known), key=lambda leg: leg.kind.lanes)
    linked = {turn.target_lane for turn in known}
    sign = -target.entering_sign
    missing = [k for k in range(target.kind.lanes) if target.kind.lane_number(k, sign) not in linked]
    return [_turn(source, target, min(k, source.kind.lanes - 1), k, walk=False) for k in missing]


def _between(source: Leg, target: Leg, *, corner: bool, last: bool) -> list[Turn]:
    """Lane-by-lane links: ``corner`` marks the nearest leg to the right, ``last`` the nearest to the left."""
    angle = math.degrees(math.remainder(target.mouth.heading - source.mouth.heading - math.pi, 2 * math.pi))
    n, m = source.kind.lanes, target.kind.lanes
    if abs(angle) <= STRAIGHT_DEG or (corner and last):
        pairs = [(k, min(k, m - 1)) for k in range(n)] if n >= m else [(min(k, n - 1), k) for k in range(m)]
    elif angle < 0:
        pairs = [(n - 1, m - 1)]
    else:
        pairs = [(0, 0)]
    if corner and (n - 1, m - 1) not in pairs:
        pairs.append((n - 1, m - 1))
    return [_turn(source, target, a, b, walk=corner and (a, b) == (n - 1, m - 1)) for a, b in pairs]


def _offset(kind: RoadKind, lane: int) -> float:
    """Distance from the middle of the road to the near edge of driving lane ``lane`` (0 is innermost)."""
    return kind.median / 2 + lane * kind.lane_width


def _turn(source: Leg, target: Leg, a: int, b: int, *, walk: bool) -> Turn:
    # A mouth faces away from the junction, so traffic entering the junction keeps to the mouth's left-hand side.
    begin = source.mouth.moved(left=_offset(source.kind, a)).turned()
    finish = target.mouth.moved(left=-_offset(target.kind, b))
    source_lane = source.kind.lane_number(a, source.entering_sign)
    target_lane = target.kind.lane_number(b, -target.entering_sign)
    rows = [("driving", source.kind.lane_width, target.kind.lane_width, source_lane, target_lane)]
    if walk:
        rows += _beside(source, target, source_lane, target_lane)
    return Turn(source, target, source_lane, target_lane, biarc(begin, finish), tuple(rows))


def _beside(source: Leg, target: Leg, source_lane: int, target_lane: int) -> list[tuple[str, float, float, int, int]]:
    """Lanes outside the driving lane that continue around a corner: shoulder (also for parking) and sidewalk."""
    gap = tuple(kind.kerb_m - kind.median / 2 - kind.lanes * kind.lane_width for kind in (source.kind, target.kind))
    walk = (source.kind.sidewalk, target.kind.sidewalk)
    rows: list[tuple[str, float, float, int, int]] = []
    if max(gap) > 0:
        rows.append(("shoulder", gap[0], gap[1], 0, 0))
    if max(walk) > 0:
        linked = [
            (_outermost(leg.kind, 1 if lane > 0 else -1) if leg.kind.sidewalk else 0)
            for leg, lane in ((source, source_lane), (target, target_lane))
        ]
        rows.append(("sidewalk", walk[0], walk[1], linked[0], linked[1]))
    return rows


def _outermost(kind: RoadKind, sign: int) -> int:
    return sign * len(kind.side(sign))
