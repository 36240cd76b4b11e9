"""Traffic lights and signs of the network, placed beside its roads."""

from __future__ import annotations

import math

import numpy as np
import shapely

from caos.assets.tags import SemanticTag
from caos.simulator.embedded.towns.roads.areas import KERB_HEIGHT, Areas
from caos.simulator.embedded.towns.roads.network import Signal, Strip
from caos.simulator.embedded.towns.roads.opendrive_writer import SPEED_LIMIT, STOP, TRAFFIC_LIGHT, YIELD
from caos.simulator.embedded.towns.streetscape import street_models
from caos.simulator.embedded.towns.streetscape.collector import Collector
from caos.simulator.embedded.towns.town import TrafficLightSite, TrafficSignSite, WorldBox
from caos.simulator.transform import Transform

HEAD_EXTENT = (0.15, 0.2, 0.5)
TRIGGER_M = 5.0
MAST_FROM_LANES = 2


def put_traffic_lights(out: Collector, areas: Areas) -> tuple[TrafficLightSite, ...]:
    """Place a pole for every light signal, grouped by junction; the world adds the heads, which change."""
    signals = [s for s in areas.network.signals if s.kind == TRAFFIC_LIGHT]
    phases: dict[int, dict[str, int]] = {}
    sites = []
    for signal in signals:
        known = phases.setdefault(signal.junction, {})
        phase = known.setdefault(signal.group or signal.signal_id, len(known))
        sites.append(_site(out, areas, signal, phase))
    return tuple(sites)


def _site(out: Collector, areas: Areas, signal: Signal, phase: int) -> TrafficLightSite:
    pose = _foot(out, areas, signal)
    lanes = _lanes(areas, signal)
    kind = "mast" if len(lanes) >= MAST_FROM_LANES else "post"
    arm = 3.0 * len(lanes) + 0.8 if kind == "mast" else 5.0
    out.land.take(shapely.Point(pose.x, pose.y).buffer(0.4))
    instance = out.put("traffic_light", street_models.traffic_light_pole(kind, arm), pose, SemanticTag.POLE)
    heads = tuple(Transform.from_matrix(pose.matrix @ m) for m in street_models.traffic_light_heads(kind, arm))
    boxes = tuple(WorldBox(Transform(*h.location, *h.rotation), HEAD_EXTENT) for h in heads)
    return TrafficLightSite(
        pose, signal.signal_id, signal.junction, phase, trigger_box(areas, signal), boxes, heads, instance
    )


def put_signs(out: Collector, areas: Areas) -> tuple[TrafficSignSite, ...]:
    """Place a post for every stop, yield and speed limit signal."""
    signs = []
    for signal in areas.network.signals:
        if signal.kind not in (STOP, YIELD, SPEED_LIMIT):
            continue
        pose = _foot(out, areas, signal)
        out.land.take(shapely.Point(pose.x, pose.y).buffer(0.3))
        instance = out.put(
            "traffic_sign", street_models.traffic_sign(signal.kind, signal.value), pose, SemanticTag.TRAFFIC_SIGN
        )
        signs.append(
            TrafficSignSite(pose, signal.signal_id, signal.kind, signal.value, trigger_box(areas, signal), instance)
        )
    return tuple(signs)


def _foot(out: Collector, areas: Areas, signal: Signal) -> Transform:
    """Foot of a signal's post: its location in the file, moved off the carriageway if it lies on it."""
    x, y, z = signal.location
    point = shapely.Point(x, y)
    ahead = math.radians(signal.yaw_deg)
    # The driver's right is the left of the sign, which faces the driver.
    right = (math.sin(ahead), -math.cos(ahead))
    for _ in range(40):
        if not shapely.dwithin(areas.carriageway, point, 0.35):
            break
        x, y = x + 0.5 * right[0], y + 0.5 * right[1]
        point = shapely.Point(x, y)
    paved = any(b.polygon.covers(point) for b in areas.walk_bands if b.strip.road_id == signal.road_id)
    paved = paved or areas.walks.covers(point)
    return Transform(x, y, z + KERB_HEIGHT if paved else out.ground(x, y), 0, signal.yaw_deg, 0)


def _strip(areas: Areas, signal: Signal) -> Strip | None:
    strips = [s for s in areas.network.strips if s.road_id == signal.road_id]
    return next(
        (s for s in strips if s.stations[0] - 0.1 <= signal.s <= s.stations[-1] + 0.1), strips[0] if strips else None
    )


def _lanes(areas: Areas, signal: Signal) -> list[int]:
    """Columns of the driving lanes that a signal controls."""
    strip = _strip(areas, signal)
    if strip is None:
        return []
    rows = enumerate(zip(strip.lane_ids, strip.lane_types, strict=True))
    return [k for k, (lane, kind) in rows if kind == "driving" and lane * signal.side > 0]


def trigger_box(areas: Areas, signal: Signal) -> WorldBox:
    """Box over the lanes just before a signal."""
    strip, lanes = _strip(areas, signal), _lanes(areas, signal)
    if strip is None or not lanes:
        x, y, z = signal.location
        return WorldBox(Transform(x, y, z + 1.0, 0, signal.yaw_deg, 0), (2.0, 2.0, 1.5))
    s = signal.s + signal.side * TRIGGER_M / 2
    row = [[np.interp(s, strip.stations, strip.edges[:, k, i]) for i in range(3)] for k in (min(lanes), max(lanes) + 1)]
    a, b = np.array(row)
    x, y, z = (a + b) / 2
    width = float(np.hypot(*(b - a)[:2]))
    return WorldBox(
        Transform(float(x), float(y), float(z) + 1.0, 0, signal.yaw_deg + 180, 0), (TRIGGER_M / 2, width / 2 * 0.9, 1.5)
    )
