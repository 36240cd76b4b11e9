"""A road network read from OpenDRIVE: roads and lanes come from the XML, their geometry from ``carla.Map``.

A client builds the same ``carla.Map``, so that image and map agree by construction. Coordinates are CARLA's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.simulator.embedded.towns.roads.opendrive_writer import OPTION_CODE, SEED_CODE, STYLE_CODE
from caos.simulator.embedded.world_state.opendrive_check import checked_roads

Points = NDArray[np.float64]

STEP_M, TURN_STEP_M = 2.0, 1.0
OVERLAP_M = 0.02
WALKABLE = frozenset({"sidewalk"})
GREEN = frozenset({"median", "none", "restricted", "special1", "special2", "special3", "roadWorks", "tram", "rail"})


@dataclass(frozen=True, eq=False)
class Strip:
    """One lane section, sampled.

    Attributes:
        road_id: OpenDRIVE's road number.
        junction: Number of the junction the road lies in, or -1.
        stations: ``(n,)`` arc length of the samples.
        lane_ids: Lane numbers from left to right (descending), ``k`` of them.
        lane_types: Their OpenDRIVE types.
        edges: ``(n, k + 1, 3)`` borders between lanes, from left to right along the road's direction.
        marks: ``(n, k + 1)`` names of CARLA's lane marking types on those borders.
        yellow: ``(n, k + 1)`` whether the marking is yellow.
        style: District style of the road, or "".
        speed_kmh: Speed limit.
    """

    road_id: int
    junction: int
    stations: Points
    lane_ids: tuple[int, ...]
    lane_types: tuple[str, ...]
    edges: Points
    marks: NDArray[np.object_]
    yellow: NDArray[np.bool_]
    style: str
    speed_kmh: float

    @property
    def center_edge(self) -> int:
        """Index of the border that is the road's centre line (lane 0)."""
        return sum(1 for lane in self.lane_ids if lane > 0)

    def across(self, row: int) -> Points:
        """Unit vector ``(2,)`` to the left of the road's direction at sample ``row``."""
        n = len(self.stations)
        a, b = max(row - 1, 0), min(row + 1, n - 1)
        step = self.edges[b, self.center_edge, :2] - self.edges[a, self.center_edge, :2]
        step = step / max(float(np.hypot(*step)), 1e-9)
        return np.array([step[1], -step[0]])


@dataclass(frozen=True)
class Signal:
    """A traffic light or sign of the file.

    Attributes:
        signal_id: Id in the file.
        kind: OpenDRIVE type: 1000001 light, 206 stop, 205 yield, 274 speed limit.
        value: Number on the sign, 0 without one.
        location: Foot on the ground beside the road, metres.
        yaw_deg: Direction of its face: towards the traffic that it controls.
        junction: The junction that it controls, or -1.
        road_id: The road beside which it stands.
        s: Arc length on that road.
        side: -1 for traffic along the road's direction, 1 against it.
        group: Id of its controller, or "".
    """

    signal_id: str
    kind: str
    value: float
    location: tuple[float, float, float]
    yaw_deg: float
    junction: int
    road_id: int
    s: float
    side: int
    group: str = ""


@dataclass(frozen=True, eq=False)
class Network:
    """A road network: input of the town builder."""

    name: str
    text: str
    map: Any
    strips: tuple[Strip, ...]
    crossings: tuple[Points, ...]
    signals: tuple[Signal, ...]
    style: str = ""
    seed: int | None = None
    options: dict[str, str] = field(default_factory=dict)

    @property
    def roads(self) -> tuple[Strip, ...]:
        """Strips outside junctions."""
        return tuple(s for s in self.strips if s.junction < 0)


def read_network(name: str, text: str) -> Network:
    """Read the road network of OpenDRIVE ``text``.

    Raises:
        CaosError: If CARLA cannot read the text, or it has no driving lane.
    """
    root = checked_roads(name, text)
    carla_map = _carla_map(name, text)
    strips = tuple(strip for road in root.iter("road") for strip in _strips(road, carla_map))
    if not any(kind == "driving" for strip in strips for kind in strip.lane_types):
        raise CaosError(
            f"OpenDRIVE {name!r} has no driving lane; a town needs at least one road with lanes of type 'driving'"
        )
    return Network(
        name, text, carla_map, strips, _crossings(carla_map), _signals(root, strips),
        _user_data(root.find("header"), STYLE_CODE), _seed(root), _options(root),
    )  # fmt: skip


def _carla_map(name: str, text: str) -> Any:
    import carla

    try:
        return carla.Map(name, text)
    except (RuntimeError, ValueError, IndexError) as error:
        raise CaosError(
            f"CARLA's parser rejects OpenDRIVE {name!r}: {error} (a link to a road, lane or junction that is missing?)"
        ) from error


def _user_data(element: ET.Element | None, code: str) -> str:
    rows = [] if element is None else [u for u in element.findall("userData") if u.get("code") == code]
    return rows[0].get("value", "") if rows else ""


def _seed(root: ET.Element) -> int | None:
    text = _user_data(root.find("header"), SEED_CODE)
    return int(text) if text.isdigit() else None


def _options(root: ET.Element) -> dict[str, str]:
    header = root.find("header")
    rows = [] if header is None else header.findall("userData")
    start = len(OPTION_CODE)
    return {u.get("code", "")[start:]: u.get("value", "") for u in rows if u.get("code", "").startswith(OPTION_CODE)}


def _strips(road: ET.Element, carla_map: Any) -> list[Strip]:
    length = float(road.attrib["length"])
    sections = sorted(road.iter("laneSection"), key=lambda section: float(section.attrib["s"]))
    starts = [float(section.attrib["s"]) for section in sections]
    out = []
    for section, low, high in zip(sections, starts, [*starts[1:], length], strict=True):
        lanes = {int(lane.attrib["id"]): lane.get("type", "none") for lane in section.iter("lane")}
        lanes.pop(0, None)
        if high - low < 0.05 or not lanes:
            continue
        ids = tuple(sorted(lanes, reverse=True))
        strip = _sample(road, carla_map, low, high, ids, tuple(lanes[i] for i in ids))
        if strip is not None:
            out.append(strip)
    return out


def _sample(
    road: ET.Element, carla_map: Any, low: float, high: float, ids: tuple[int, ...], types: tuple[str, ...]
) -> Strip | None:
    junction = int(road.get("junction", "-1"))
    number = int(road.attrib["id"])
    step = TURN_STEP_M if junction >= 0 else STEP_M
    stations = np.linspace(low + 1e-4, high - 1e-3, max(2, math.ceil((high - low) / step) + 1))
    rows, borders = [], []
    for s in stations:
        row = [carla_map.get_waypoint_xodr(number, lane, float(s)) for lane in ids]
        if all(w is not None for w in row):
            border = _edges(row, ids, reversed_side=1 if road.get("rule") != "LHT" else -1)
            if np.isfinite(border).all():
                rows.append((s, row))
                borders.append(border)
    if len(rows) < 2:
        return None
    edges = _lengthened(np.stack(borders))
    marks = np.array([_marks(row, ids) for _, row in rows], dtype=object)
    yellow = np.vectorize(lambda mark: mark[0] == "y", otypes=[bool])(marks)
    names = np.vectorize(lambda mark: mark[1:], otypes=[object])(marks)
    return Strip(
        number, junction, np.array([s for s, _ in rows]), ids, types, edges, names, yellow,
        _user_data(road, STYLE_CODE), _speed(road),
    )  # fmt: skip


def _lengthened(edges: Points) -> Points:
    """Extend borders a little beyond the section, so that neighbouring sections overlap without a gap."""
    for end, inner in ((0, 1), (-1, -2)):
        step = edges[end] - edges[inner]
        edges[end] += step * OVERLAP_M / np.maximum(np.linalg.norm(step[:, :2], axis=1, keepdims=True), 0.05)
    return edges


def _speed(road: ET.Element) -> float:
    row = road.find("type/speed")
    if row is None:
        return 50.0
    try:
        value = float(row.get("max", "50"))
    except ValueError:
        return 50.0
    return value * {"mph": 1.609344, "m/s": 3.6, "km/h": 1.0}.get(row.get("unit", "m/s"), 3.6)


def _edges(row: list[Any], ids: tuple[int, ...], reversed_side: int) -> Points:
    """Borders ``(k + 1, 3)`` of one cross-section; a border shared by two lanes is the mean of both estimates.

    ``reversed_side`` is the sign of lanes whose waypoints face against the road: 1 in right-hand traffic.
    """
    left, right = [], []
    for waypoint, lane in zip(row, ids, strict=True):
        t, half = waypoint.transform, waypoint.lane_width / 2
        yaw = math.radians(t.rotation.yaw) + (math.pi if lane * reversed_side > 0 else 0.0)
        dx, dy = math.sin(yaw) * half, -math.cos(yaw) * half
        x, y, z = t.location.x, t.location.y, t.location.z
        left.append((x + dx, y + dy, z))
        right.append((x - dx, y - dy, z))
    a, b = np.array([*left, right[-1]]), np.array([left[0], *right])
    middle: Points = (a + b) / 2
    return middle


def _marks(row: list[Any], ids: tuple[int, ...]) -> list[str]:
    """Marking of each border (colour letter and type), given by the inner lane, at the centre by lane 0."""
    out = []
    for k in range(len(ids) + 1):
        before, after = (row[k - 1] if k > 0 else None), (row[k] if k < len(ids) else None)
        if before is not None and ids[k - 1] < 0:
            mark = before.right_lane_marking
        elif after is not None and ids[k] > 0:
            mark = after.right_lane_marking
        else:
            inner = after if after is not None else before
            assert inner is not None
            mark = inner.left_lane_marking
        out.append("wNONE" if mark is None else ("y" if str(mark.color) == "Yellow" else "w") + str(mark.type))
    return out


def _crossings(carla_map: Any) -> tuple[Points, ...]:
    """Corner points ``(n, 3)`` of each crosswalk; CARLA returns them as one list that repeats each first point."""
    out: list[Points] = []
    current: list[tuple[float, float, float]] = []
    for location in carla_map.get_crosswalks():
        point = (location.x, location.y, location.z)
        if len(current) >= 3 and math.dist(point[:2], current[0][:2]) < 1e-3:
            out.append(np.array(current))
            current = []
        else:
            current.append(point)
    return tuple(out)


def _signals(root: ET.Element, strips: tuple[Strip, ...]) -> tuple[Signal, ...]:
    by_road: dict[int, list[Strip]] = {}
    for strip in strips:
        by_road.setdefault(strip.road_id, []).append(strip)
    groups = {c.get("signalId", ""): row.get("id", "") for row in root.iter("controller") for c in row.iter("control")}
    out = []
    for road in root.iter("road"):
        sections = by_road.get(int(road.attrib["id"]))
        if sections is None:
            continue
        for row in road.iter("signal"):
            signal = _signal(row, road, sections, groups)
            if signal is not None:
                out.append(signal)
    return tuple(out)


def _signal(row: ET.Element, road: ET.Element, sections: list[Strip], groups: dict[str, str]) -> Signal | None:
    try:
        s, t = float(row.get("s", "0")), float(row.get("t", "0"))
        value = float(row.get("value") or 0)
    except ValueError:
        return None
    if value <= 0 and (row.get("subtype") or "").isdigit():
        value = float(row.get("subtype", "0"))
    strip = next((x for x in reversed(sections) if x.stations[0] <= s + 0.1), sections[0])
    station = int(np.argmin(np.abs(strip.stations - s)))
    left = strip.across(station)
    # t is measured from the road's reference line; lane 0 may be offset from it.
    foot = strip.edges[station, strip.center_edge, :3].copy()
    foot[:2] -= left * _lane_offset(road, s)
    side = 1 if row.get("orientation") == "-" else -1
    along = np.array([-left[1], left[0]]) * (-side)
    return Signal(
        row.get("id", ""), row.get("type", ""), max(value, 0.0),
        (float(foot[0] + left[0] * t), float(foot[1] + left[1] * t), float(foot[2])),
        math.degrees(math.atan2(-along[1], -along[0])), _guarded(road, side), int(road.attrib["id"]), s, side,
        groups.get(row.get("id", ""), ""),
    )  # fmt: skip


def _lane_offset(road: ET.Element, s: float) -> float:
    """Offset of lane 0 to the left of the reference line at ``s``."""
    try:
        rows = [[float(row.get(key, "0")) for key in "sabcd"] for row in road.iter("laneOffset")]
    except ValueError:
        return 0.0
    begin, a, b, c, d = max((row for row in rows if row[0] <= s + 1e-6), default=[0.0] * 5)
    u = s - begin
    return a + u * (b + u * (c + u * d))


def _guarded(road: ET.Element, side: int) -> int:
    """The junction at the end of one direction of the road, or -1."""
    if int(road.get("junction", "-1")) >= 0:
        return int(road.get("junction", "-1"))
    link = road.find("link/successor" if side < 0 else "link/predecessor")
    if link is None or link.get("elementType") != "junction":
        return -1
    return int(link.get("elementId", "-1"))
