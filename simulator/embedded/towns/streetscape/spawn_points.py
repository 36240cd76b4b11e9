"""Spawn points of vehicles, parking places, and points on sidewalks."""

from __future__ import annotations

import math

import numpy as np
import shapely
from numpy.typing import NDArray

from caos.simulator.embedded.physics.boxes import Grid, footprint, separation
from caos.simulator.embedded.protocol.wire import Box
from caos.simulator.embedded.towns.roads.areas import KERB_HEIGHT, Areas
from caos.simulator.embedded.towns.roads.network import Network, Strip
from caos.simulator.transform import Transform

Points = NDArray[np.float64]

SPAWN_LIFT_M = 0.3
SPAWN_GAP_M, SPAWN_MARGIN_M = 18.0, 9.0
PARKING_GAP_M, PARKING_MARGIN_M = 6.6, 12.0
WALK_GAP_M = 5.0
MIN_LANE_M = 2.0
LARGE_VEHICLE = Box((0.0, 0.0, 1.7), (4.3, 1.45, 1.7), (0.0, 0.0, 0.0))
"""Clearance between spawn points: the size of the fire engine."""


def spawn_points(network: Network) -> tuple[Transform, ...]:
    """Poses on driving lanes, level with the road and so far apart that a large vehicle fits at each."""
    return _apart(_spawn_points(network, network.roads, MIN_LANE_M) or _spawn_points(network, network.strips, 0.5))


def _apart(poses: tuple[Transform, ...]) -> tuple[Transform, ...]:
    """Drop poses where a vehicle would overlap one at an earlier pose: lanes may split or merge there."""
    taken = Grid()
    kept: list[Transform] = []
    for pose in poses:
        place = footprint(pose, LARGE_VEHICLE)
        if all(separation(place, other) is None for _, other in taken.near(place)):
            taken.add(len(kept), place)
            kept.append(pose)
    return tuple(kept)


def _spawn_points(network: Network, strips: tuple[Strip, ...], least_width: float) -> tuple[Transform, ...]:
    out = []
    for strip in strips:
        low, high = float(strip.stations[0]), float(strip.stations[-1])
        for lane, kind in zip(strip.lane_ids, strip.lane_types, strict=True):
            margin = min(SPAWN_MARGIN_M, (high - low) / 3)
            count = max(1, int((high - low - 2 * margin) // SPAWN_GAP_M) + 1)
            for s in np.linspace(low + margin, high - margin, count) if kind == "driving" else ():
                waypoint = network.map.get_waypoint_xodr(strip.road_id, lane, float(s))
                if waypoint is not None and waypoint.lane_width > least_width:
                    out.append(_pose(waypoint.transform))
    return tuple(out)


def _pose(transform: object) -> Transform:
    location, rotation = transform.location, transform.rotation  # type: ignore[attr-defined]
    pitch, yaw = math.remainder(rotation.pitch, 360), math.remainder(rotation.yaw, 360)
    return Transform(location.x, location.y, location.z + SPAWN_LIFT_M, pitch, yaw, 0.0)


def parking_places(areas: Areas, share: float, rng: np.random.Generator) -> tuple[Transform, ...]:
    """Poses of parked cars on parking lanes, each place used with probability ``share``, none near a crossing."""
    crossings = [shapely.Polygon(c[:, :2]).buffer(5.0) for c in areas.network.crossings]
    blocked = shapely.union_all(crossings) if crossings else shapely.Polygon()
    out = []
    for strip in areas.network.roads:
        low, high = float(strip.stations[0]) + PARKING_MARGIN_M, float(strip.stations[-1]) - PARKING_MARGIN_M
        for lane, kind in zip(strip.lane_ids, strip.lane_types, strict=True):
            for s in np.arange(low, high, PARKING_GAP_M) if kind == "parking" else ():
                used, jitter, turn = rng.random() < share, rng.uniform(-0.4, 0.4), rng.normal(0, 1.0)
                waypoint = areas.network.map.get_waypoint_xodr(strip.road_id, lane, float(s + jitter))
                if not used or waypoint is None or waypoint.lane_width < 1.8:
                    continue
                if not blocked.contains(shapely.Point(waypoint.transform.location.x, waypoint.transform.location.y)):
                    pose = _pose(waypoint.transform)
                    out.append(
                        Transform(pose.x, pose.y, pose.z - SPAWN_LIFT_M, pose.pitch_deg, pose.yaw_deg + turn, 0.0)
                    )
    return tuple(out)


def walk_points(areas: Areas) -> Points:
    """Points ``(n, 3)`` on the middle of sidewalks."""
    rows = [((b.left + b.right) / 2)[::2] for b in areas.walk_bands]
    corners = []
    for ring in shapely.get_parts(areas.walks.buffer(-1.0).boundary):
        length = ring.length
        corners += [ring.interpolate(d).coords[0][:2] for d in np.arange(WALK_GAP_M / 2, length, WALK_GAP_M)]
    if corners:
        flat = np.array(corners)
        rows.append(np.column_stack([flat, areas.height(flat)]))
    if not rows:
        return np.zeros((0, 3))
    out: Points = np.concatenate(rows) + np.array([0, 0, KERB_HEIGHT])
    return out
