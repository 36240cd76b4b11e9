"""Plane curves of straight lines and arcs, as OpenDRIVE's reference lines need them.

Right-handed plane: x east, y north, headings in radians counter-clockwise. CARLA's y is the negative of this one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from caos.foundation.errors import CaosError

STRAIGHT = 1e-7
"""Curvature below which a segment is a line."""


@dataclass(frozen=True)
class PlanarPose:
    """A point and a heading."""

    x: float
    y: float
    heading: float

    def moved(self, forward: float = 0.0, left: float = 0.0) -> PlanarPose:
        """Shift the pose along and across its heading."""
        c, s = math.cos(self.heading), math.sin(self.heading)
        return PlanarPose(self.x + forward * c - left * s, self.y + forward * s + left * c, self.heading)

    def turned(self) -> PlanarPose:
        """Reverse the heading."""
        return PlanarPose(self.x, self.y, self.heading + math.pi)


@dataclass(frozen=True)
class Segment:
    """A piece of constant curvature (1/m, positive to the left)."""

    length: float
    curvature: float = 0.0


@dataclass(frozen=True)
class Curve:
    """Segments joined smoothly, starting at a pose."""

    start: PlanarPose
    segments: tuple[Segment, ...]

    @property
    def length(self) -> float:
        """Arc length in metres."""
        return sum(segment.length for segment in self.segments)

    def pose(self, s: float) -> PlanarPose:
        """The pose at arc length ``s``."""
        pose, left = self.start, s
        for i, segment in enumerate(self.segments):
            if left <= segment.length or i == len(self.segments) - 1:
                return _advance(pose, Segment(left, segment.curvature))
            pose, left = _advance(pose, segment), left - segment.length
        return pose

    def pieces(self) -> list[tuple[float, PlanarPose, Segment]]:
        """Each segment with the arc length and pose at its start."""
        out, pose, s = [], self.start, 0.0
        for segment in self.segments:
            out.append((s, pose, segment))
            pose, s = _advance(pose, segment), s + segment.length
        return out

    def trimmed(self, head: float, tail: float) -> Curve:
        """The curve without its first ``head`` and last ``tail`` metres.

        Raises:
            CaosError: If nothing would remain.
        """
        first, last = head, self.length - tail
        if last - first < 1.0:
            raise CaosError(
                f"a road of {self.length:.1f} m is too short between junctions that need {head + tail:.1f} m of it"
            )
        kept = []
        for s, _, segment in self.pieces():
            low, high = max(s, first), min(s + segment.length, last)
            if high - low > 1e-6:
                kept.append(Segment(high - low, segment.curvature))
        return Curve(self.pose(first), tuple(kept))


def _advance(pose: PlanarPose, segment: Segment) -> PlanarPose:
    k, length = segment.curvature, segment.length
    if abs(k) < STRAIGHT:
        return pose.moved(length)
    turn = k * length
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    ahead, aside = math.sin(turn) / k, (1 - math.cos(turn)) / k
    return PlanarPose(pose.x + ahead * c - aside * s, pose.y + ahead * s + aside * c, pose.heading + turn)


def through(points: Sequence[tuple[float, float]], radius: float) -> Curve:
    """Straight lines through points, each corner rounded by an arc of ``radius`` (less where there is no room).

    Raises:
        CaosError: If two neighbouring points coincide.
    """
    legs = [math.dist(a, b) for a, b in pairwise(points)]
    if min(legs) < 1e-3:
        raise CaosError(f"a road runs twice through the same point: {list(points)}")
    headings = [math.atan2(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(points)]
    segments: list[Segment] = []
    used = 0.0
    for i, length in enumerate(legs):
        if i == len(legs) - 1:
            segments.append(Segment(length - used))
            break
        turn = math.remainder(headings[i + 1] - headings[i], 2 * math.pi)
        half = math.tan(abs(turn) / 2)
        room = min(length - used, legs[i + 1] / 2 if i + 2 < len(legs) else legs[i + 1]) * 0.98
        tangent = min(radius * half, room)
        segments.append(Segment(length - used - tangent))
        if half > 1e-6:
            r = tangent / half
            segments.append(Segment(abs(turn) * r, math.copysign(1 / r, turn)))
        used = tangent
    start = PlanarPose(points[0][0], points[0][1], headings[0])
    return Curve(start, tuple(s for s in segments if s.length > 1e-6))


def biarc(start: PlanarPose, end: PlanarPose) -> Curve:
    """Two arcs that lead smoothly from one pose to another."""
    vx, vy = end.x - start.x, end.y - start.y
    ax, ay = math.cos(start.heading), math.sin(start.heading)
    bx, by = math.cos(end.heading), math.sin(end.heading)
    vt = vx * (ax + bx) + vy * (ay + by)
    vv, bend = vx * vx + vy * vy, 2 * (1 - ax * bx - ay * by)
    d = (-vt + math.sqrt(vt * vt + bend * vv)) / bend if bend > 1e-9 else vv / max(2 * vt, 1e-9)
    middle_x, middle_y = (start.x + end.x + d * (ax - bx)) / 2, (start.y + end.y + d * (ay - by)) / 2
    first = _arc_to(start, middle_x, middle_y)
    second = _arc_to(_advance(start, first), end.x, end.y)
    return Curve(start, tuple(s for s in (first, second) if s.length > 1e-6))


def _arc_to(pose: PlanarPose, x: float, y: float) -> Segment:
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    ahead = (x - pose.x) * c + (y - pose.y) * s
    aside = (y - pose.y) * c - (x - pose.x) * s
    chord, turn = math.hypot(ahead, aside), 2 * math.atan2(aside, ahead)
    if abs(turn) < 1e-6:
        return Segment(chord)
    length = chord * (turn / 2) / math.sin(turn / 2)
    return Segment(length, turn / length)
