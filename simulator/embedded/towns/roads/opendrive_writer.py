"""OpenDRIVE writer: a plan as OpenDRIVE 1.4 in CARLA's dialect: roads, junctions, lane links, crossings, signals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from caos.simulator.embedded.towns.plan import Node, Road, RoadKind, TownPlan
from caos.simulator.embedded.towns.roads.curves import STRAIGHT, Curve
from caos.simulator.embedded.towns.roads.junctions import Leg, Turn, clearance, turns

Element = ET.Element

TRAFFIC_LIGHT, STOP, YIELD, SPEED_LIMIT = "1000001", "206", "205", "274"
STYLE_CODE = "caos:style"
SEED_CODE = "caos:seed"
OPTION_CODE = "caos:option:"
GEO_REFERENCE = "+proj=tmerc +lat_0=49.0 +lon_0=8.0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs"
CROSSING_GAP, CROSSING_WIDTH = 1.2, 3.6
STOP_LINE_BEHIND_MOUTH = 6.0
JUNCTION_IDS, TURN_IDS, SIGNAL_IDS = 1000, 2000, 5000


def write_opendrive(plan: TownPlan) -> str:
    """Return the plan as OpenDRIVE text; the same plan gives the same text."""
    return _Writer(plan).text()


def with_option(text: str, option: str, value: str) -> str:
    """Set an option of a plan in the header of a valid OpenDRIVE text."""
    root = ET.fromstring(text.encode() if text.lstrip().startswith("<?xml") else text)  # noqa: S314
    header = root.find("header")
    _add(root if header is None else header, "userData", code=OPTION_CODE + option, value=value)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _number(value: float) -> str:
    return f"{value:.10g}"


def _add(parent: Element, element: str, /, **attributes: object) -> Element:
    texts = {key: _number(v) if isinstance(v, float) else str(v) for key, v in attributes.items()}
    return ET.SubElement(parent, element, texts)


@dataclass
class _Writer:
    plan: TownPlan
    root: Element = field(default_factory=lambda: Element("OpenDRIVE"))
    signals: int = SIGNAL_IDS
    turn_ids: int = TURN_IDS

    def text(self) -> str:
        self._header()
        curves = self._curves()
        elements = {}
        for number, (road, curve) in enumerate(zip(self.plan.roads, curves, strict=True)):
            elements[number] = self._road(number, road, curve)
        for index, node in enumerate(self.plan.nodes.values()):
            self._junction(JUNCTION_IDS + index, node, self._legs(node, curves), elements)
        ET.indent(self.root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(self.root, encoding="unicode") + "\n"

    def _header(self) -> None:
        xs = [n.x for n in self.plan.nodes.values()]
        ys = [n.y for n in self.plan.nodes.values()]
        header = _add(
            self.root,
            "header",
            revMajor=1,
            revMinor=4,
            name=self.plan.name,
            version="1.00",
            date="2026-01-01T00:00:00",
            north=max(ys),
            south=min(ys),
            east=max(xs),
            west=min(xs),
            vendor="CAOS",
        )
        _add(header, "geoReference").text = GEO_REFERENCE
        _add(header, "userData", code=STYLE_CODE, value=self.plan.style)
        _add(header, "userData", code=SEED_CODE, value=self.plan.seed)
        for key, value in self.plan.options.items():
            _add(header, "userData", code=OPTION_CODE + key, value=value)

    def _curves(self) -> list[Curve]:
        """Centre lines of all roads, cut back to the mouths of their junctions."""
        whole = [_center_line(self.plan, road) for road in self.plan.roads]
        angles: dict[str, list[tuple[float, float, tuple[int, bool]]]] = {name: [] for name in self.plan.nodes}
        for number, (road, curve) in enumerate(zip(self.plan.roads, whole, strict=True)):
            angles[road.start].append((curve.start.heading, road.kind.kerb_m, (number, False)))
            back = curve.pose(curve.length).heading + math.pi
            angles[road.end].append((back, road.kind.kerb_m, (number, True)))
        cuts: dict[tuple[int, bool], float] = {}
        for ends in angles.values():
            for heading, half, key in ends:
                gaps = [(abs(math.remainder(h - heading, 2 * math.pi)), w) for h, w, k in ends if k != key]
                cuts[key] = clearance(gaps, half)
        return [curve.trimmed(cuts[i, False], cuts[i, True]) for i, curve in enumerate(whole)]

    def _legs(self, node: Node, curves: list[Curve]) -> list[Leg]:
        legs = []
        for number, (road, curve) in enumerate(zip(self.plan.roads, curves, strict=True)):
            if road.start == node.name:
                legs.append(Leg(number, False, road.kind, curve.start))
            if road.end == node.name:
                legs.append(Leg(number, True, road.kind, curve.pose(curve.length).turned()))
        return legs

    def _road(self, number: int, road: Road, curve: Curve) -> Element:
        element = _road_element(self.root, number, f"{road.start}-{road.end}", curve, -1)
        link = _add(element, "link")
        node_ids = {name: JUNCTION_IDS + i for i, name in enumerate(self.plan.nodes)}
        _add(link, "predecessor", elementType="junction", elementId=node_ids[road.start])
        _add(link, "successor", elementType="junction", elementId=node_ids[road.end])
        _type(element, road.kind)
        _plan_view(element, curve)
        _elevation(element, _profile(self.plan, road, curve.length))
        _two_way_lanes(element, road.kind)
        _add(element, "objects")
        signals = _add(element, "signals")
        self._speed_signs(signals, road, curve.length)
        if road.style:
            _add(element, "userData", code=STYLE_CODE, value=road.style)
        return element

    def _speed_signs(self, signals: Element, road: Road, length: float) -> None:
        if length < 90:
            return
        for side, s in ((-1, 30.0), (1, length - 30.0)):
            self._signal(signals, SPEED_LIMIT, s, side, road.kind, value=road.kind.speed_kmh)

    def _signal(self, signals: Element, kind: str, s: float, side: int, road: RoadKind, value: int = -1) -> int:
        """A signal beside the lanes of one side (-1 right, 1 left) of the road."""
        self.signals += 1
        signal = _add(
            signals,
            "signal",
            name=f"Sign_{kind}_{self.signals}",
            id=self.signals,
            s=float(s),
            t=side * (road.kerb_m + 0.6),
            zOffset=0.0,
            hOffset=0.0,
            roll=0.0,
            pitch=0.0,
            orientation="+" if side < 0 else "-",
            dynamic="yes" if kind == TRAFFIC_LIGHT else "no",
            country="OpenDRIVE",
            type=kind,
            subtype=value if kind == SPEED_LIMIT else -1,
            value=float(value),
            unit="km/h" if kind == SPEED_LIMIT else "",
            height=0.8,
            width=0.6,
        )
        lanes = sorted((road.lane_number(0, side), road.lane_number(road.lanes - 1, side)))
        _add(signal, "validity", fromLane=lanes[0], toLane=lanes[1])
        return self.signals

    def _junction(self, number: int, node: Node, legs: list[Leg], roads: dict[int, Element]) -> None:
        connections = []
        for turn in turns(legs):
            self.turn_ids += 1
            self._turn(self.turn_ids, number, turn, node.z)
            connections.append((self.turn_ids, turn))
        junction = _add(self.root, "junction", id=number, name=node.name)
        for i, (turn_id, turn) in enumerate(connections):
            connection = _add(
                junction,
                "connection",
                id=i,
                incomingRoad=turn.source.road_id,
                connectingRoad=turn_id,
                contactPoint="start",
            )
            _add(connection, "laneLink", **{"from": turn.source_lane, "to": -1})
        self._furnish(number, junction, node, legs, roads)

    def _turn(self, number: int, junction: int, turn: Turn, z: float) -> None:
        element = _road_element(self.root, number, "", turn.path, junction)
        link = _add(element, "link")
        for name, leg in (("predecessor", turn.source), ("successor", turn.target)):
            contact = "end" if leg.at_end else "start"
            _add(link, name, elementType="road", elementId=leg.road_id, contactPoint=contact)
        _type(element, turn.source.kind)
        _plan_view(element, turn.path)
        _elevation(element, [(0.0, z, 0.0, 0.0, 0.0)])
        _turn_lanes(element, turn)

    def _furnish(self, number: int, junction: Element, node: Node, legs: list[Leg], roads: dict[int, Element]) -> None:
        """Add crossings, lights and signs at the mouths."""
        widest = max(leg.kind.kerb_m for leg in legs)
        lights = []
        for leg in legs:
            road = roads[leg.road_id]
            length = float(road.attrib["length"])
            signals, objects = road.find("signals"), road.find("objects")
            assert signals is not None
            assert objects is not None
            if node.crossings and leg.kind.sidewalk > 0:
                _crossing(objects, leg, length)
            kind = {"lights": TRAFFIC_LIGHT, "stop": STOP, "yield": YIELD}.get(node.control)
            if kind is None or (kind != TRAFFIC_LIGHT and leg.kind.kerb_m == widest and _is_through(leg, legs)):
                continue
            s = length - STOP_LINE_BEHIND_MOUTH if leg.at_end else STOP_LINE_BEHIND_MOUTH
            signal = self._signal(signals, kind, s, leg.entering_sign, leg.kind)
            if kind == TRAFFIC_LIGHT:
                lights.append((leg, signal))
        for i, group in enumerate(_phases(lights)):
            controller = 10 * number + i
            element = _add(self.root, "controller", name=f"ctrl{controller}", id=controller, sequence=i)
            for signal in group:
                _add(element, "control", signalId=signal, type=0)
            _add(junction, "controller", id=controller, type=0, sequence=i)


def _is_through(leg: Leg, legs: list[Leg]) -> bool:
    """Whether the leg continues about straight into another one (the road with priority)."""
    return any(
        abs(math.remainder(o.mouth.heading - leg.mouth.heading - math.pi, 2 * math.pi)) < math.radians(35)
        and o.kind.kerb_m == leg.kind.kerb_m
        for o in legs
        if o is not leg
    )


def _phases(lights: list[tuple[Leg, int]]) -> list[list[int]]:
    """Lights that may be green together: those on opposite legs."""
    groups: dict[int, list[int]] = {}
    for leg, signal in lights:
        groups.setdefault(round((math.degrees(leg.mouth.heading) % 180) / 90) % 2, []).append(signal)
    return [groups[key] for key in sorted(groups)]


def _center_line(plan: TownPlan, road: Road) -> Curve:
    from caos.simulator.embedded.towns.roads.curves import through

    ends = [plan.nodes[road.start], plan.nodes[road.end]]
    return through([(ends[0].x, ends[0].y), *road.via, (ends[1].x, ends[1].y)], road.radius)


def _road_element(root: Element, number: int, name: str, curve: Curve, junction: int) -> Element:
    return _add(root, "road", name=name, length=curve.length, id=number, junction=junction)


def _type(element: Element, kind: RoadKind) -> None:
    row = _add(element, "type", s=0.0, type="town" if kind.speed_kmh <= 60 else "rural")
    _add(row, "speed", max=float(kind.speed_kmh), unit="km/h")


def _plan_view(element: Element, curve: Curve) -> None:
    view = _add(element, "planView")
    for s, pose, segment in curve.pieces():
        geometry = _add(view, "geometry", s=s, x=pose.x, y=pose.y, hdg=pose.heading, length=segment.length)
        if abs(segment.curvature) < STRAIGHT:
            _add(geometry, "line")
        else:
            _add(geometry, "arc", curvature=segment.curvature)


def _profile(plan: TownPlan, road: Road, length: float) -> list[tuple[float, float, float, float, float]]:
    """Cubic pieces ``(s, a, b, c, d)`` through the heights, level at both ends."""
    points = [
        (0.0, plan.nodes[road.start].z),
        *((f * length, z) for f, z in road.heights),
        (length, plan.nodes[road.end].z),
    ]
    slopes = [0.0]
    for (s0, z0), (s1, z1) in zip(points[:-2], points[2:], strict=True):
        slopes.append((z1 - z0) / (s1 - s0))
    slopes.append(0.0)
    rows = []
    for (s0, z0), (s1, z1), b0, b1 in zip(points[:-1], points[1:], slopes[:-1], slopes[1:], strict=True):
        run, rise = s1 - s0, z1 - z0
        c = 3 * rise / run**2 - (2 * b0 + b1) / run
        d = -2 * rise / run**3 + (b0 + b1) / run**2
        rows.append((s0, z0, b0, c, d))
    return rows


def _elevation(element: Element, rows: list[tuple[float, float, float, float, float]]) -> None:
    profile = _add(element, "elevationProfile")
    for s, a, b, c, d in rows:
        _add(profile, "elevation", s=s, a=a, b=b, c=c, d=d)
    _add(element, "lateralProfile")


def _lane(parent: Element, number: int, kind: str, width: tuple[float, float], mark: str, speed: int) -> Element:
    lane = _add(parent, "lane", id=number, type=kind, level="false")
    link = _add(lane, "link")
    _add(lane, "width", sOffset=0.0, a=width[0], b=width[1], c=0.0, d=0.0)
    color = "yellow" if mark == "solid solid" else "standard"
    line = 0.15 if mark in ("broken", "solid", "solid solid") else 0.0
    _add(
        lane,
        "roadMark",
        sOffset=0.0,
        type=mark,
        weight="standard",
        color=color,
        width=line,
        laneChange=_change(mark),
        material="standard",
    )
    if kind == "driving":
        _add(lane, "speed", sOffset=0.0, max=float(speed), unit="km/h")
    del link
    return lane


def _change(mark: str) -> str:
    return "both" if mark == "broken" else "none"


def _two_way_lanes(element: Element, kind: RoadKind) -> None:
    lanes = _add(element, "lanes")
    if kind.median:
        _add(lanes, "laneOffset", s=0.0, a=kind.lane_offset_m, b=0.0, c=0.0, d=0.0)
    section = _add(lanes, "laneSection", s=0.0)
    left = _add(section, "left")
    for number, (name, width) in reversed(list(enumerate(kind.side(1), 1))):
        _lane(left, number, name, (width, 0.0), _mark(kind, number), kind.speed_kmh)
    center = _add(_add(section, "center"), "lane", id=0, type="none", level="false")
    mark = "solid" if kind.median else kind.center_mark
    _add(
        center,
        "roadMark",
        sOffset=0.0,
        type=mark,
        weight="standard",
        color="yellow" if " " in mark else "standard",
        width=0.15,
        laneChange=_change(mark),
        material="standard",
    )
    right = _add(section, "right")
    for number, (name, width) in enumerate(kind.side(-1), 1):
        _lane(right, -number, name, (width, 0.0), _mark(kind, -number), kind.speed_kmh)


def _mark(kind: RoadKind, number: int) -> str:
    """The mark on the outer border of lane ``number``."""
    side = [name for name, _ in kind.side(1 if number > 0 else -1)]
    name, after = [*side, "edge"][abs(number) - 1 : abs(number) + 1]
    if name == "median":
        return "solid"
    if name == "driving":
        return {"driving": "broken", "sidewalk": "none", "edge": "solid", "shoulder": "solid", "parking": "solid"}[
            after
        ]
    return "curb" if after == "sidewalk" else "none"


def _turn_lanes(element: Element, turn: Turn) -> None:
    section = _add(_add(element, "lanes"), "laneSection", s=0.0)
    center = _add(_add(section, "center"), "lane", id=0, type="none", level="false")
    _add(
        center, "roadMark", sOffset=0.0, type="none", weight="standard", color="standard", width=0.0, laneChange="none"
    )
    right = _add(section, "right")
    for number, (name, begin, finish, before, after) in enumerate(turn.widths, 1):
        slope = (finish - begin) / turn.path.length
        lane = _lane(right, -number, name, (begin, slope), "none", turn.source.kind.speed_kmh)
        link = lane.find("link")
        assert link is not None
        for key, value in (("predecessor", before), ("successor", after)):
            if value:
                _add(link, key, id=value)


def _crossing(objects: Element, leg: Leg, length: float) -> None:
    middle = CROSSING_GAP + CROSSING_WIDTH / 2
    s = length - middle if leg.at_end else middle
    number = len(objects) + 1
    crossing = _add(
        objects,
        "object",
        id=leg.road_id * 10 + number,
        name="SimpleCrosswalk",
        s=s,
        # CARLA counts a crossing's t from lane 0
        t=-leg.kind.lane_offset_m,
        zOffset=0.0,
        hdg=0.0,
        roll=0.0,
        pitch=0.0,
        orientation="none",
        type="crosswalk",
        width=CROSSING_WIDTH,
        length=2 * leg.kind.kerb_m,
    )
    outline = _add(crossing, "outline")
    u, v = CROSSING_WIDTH / 2, leg.kind.kerb_m
    for a, b in ((-u, -v), (u, -v), (u, v), (-u, v), (-u, -v)):
        _add(outline, "cornerLocal", u=a, v=b, z=0.0)
