"""Poses: where cameras, vehicles, people and hazards may stand, sampled from lanes with a generator.

Pure: no simulator. Ground heights come in through a callable; whether a hazard is really seen is measured by
:mod:`caos.scenes.generation.checking`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Polygon

from caos.foundation.errors import CaosError
from caos.scenes.generation.lanes import LanePoints, Lanes
from caos.scenes.recipes.rules import CameraRules, HazardRules
from caos.scenes.scene import CameraSpec, Placement, Stance
from caos.simulator.transform import Transform

Floats = NDArray[np.float64]
GroundHeight = Callable[[float, float, float], float | None]
"""Height of the ground below or above (x, y, z_hint), or None where there is none."""

KERB_TOLERANCE_M: Final = 0.035
STEEPEST_DEG: Final = 14.0
CLEARANCE_M: Final = 0.25
BEYOND_KERB_SHARE: Final = 0.6
LOG_DISTANCE_SLACK: Final = 0.12
NEAR_FAVOUR: Final = 1.15
"""One draws log distances evenly; this much more of the near ones gives the genuine set's one percent of pixels."""
EDGE_OF_VIEW: Final = 0.92
"""Share of the half field of view within which the middle of a vehicle or a person must lie."""


class NoFreeSpaceError(Exception):
    """No pose was found; the reason is the text, one short word for counting.

    Attributes:
        refused: Poses that were tried in vain before, by reason.
    """

    def __init__(self, reason: str, refused: Mapping[str, int] | None = None) -> None:
        super().__init__(reason)
        self.refused: Mapping[str, int] = refused or {}


@dataclass(frozen=True, eq=False)
class GroundRectangle:
    """The rectangle on the ground that a thing covers."""

    polygon: Polygon

    @staticmethod
    def of(x: float, y: float, yaw_deg: float, half_length_m: float, half_width_m: float) -> GroundRectangle:
        """A rectangle about (x, y), its length along ``yaw_deg``."""
        c, s = np.cos(np.radians(yaw_deg)), np.sin(np.radians(yaw_deg))
        corners = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) * (half_length_m, half_width_m)
        return GroundRectangle(Polygon(corners @ np.array([[c, s], [-s, c]]) + (x, y)))

    def clear_of(self, others: Sequence[GroundRectangle], gap_m: float = CLEARANCE_M) -> bool:
        """Whether every other footprint keeps ``gap_m`` metres away."""
        return all(self.polygon.distance(other.polygon) >= gap_m for other in others)

    @property
    def corners(self) -> Floats:
        """The four corners ``(4, 2)``: front right, front left, back left, back right of the thing."""
        return np.asarray(self.polygon.exterior.coords)[:4]


def viewpoint(lanes: Lanes, rules: CameraRules, rng: np.random.Generator) -> CameraSpec:
    """A car camera's view: on a driving lane, looking along it, at car-camera height.

    Raises:
        CaosError: If the town has no driving lane.
    """
    if not len(lanes.driving):
        raise CaosError("the town has no driving lane to look from")
    ahead = lanes.driving.pick(~lanes.driving.in_junction) if not lanes.driving.in_junction.all() else lanes.driving
    row = ahead.pick(np.array([rng.integers(len(ahead))]))
    side = float(rng.normal(0, 0.15)) * float(row.width_m[0]) / 2
    x, y = row.xyz[0, :2] + side * row.right[0]
    height = float(rng.uniform(*rules.height_m))
    most = 3 * rules.yaw_spread_deg
    yaw = float(row.yaw_deg[0] + np.clip(rng.normal(0, rules.yaw_spread_deg), -most, most))
    pitch = float(np.clip(rng.normal(*rules.pitch_deg), *rules.pitch_limits_deg))
    low, high = rules.fov_deg
    fov_deg = low if low == high else round(float(rng.uniform(low, high)), 1)
    pose = Transform(*(round(float(v), 3) for v in (x, y, row.xyz[0, 2] + height, pitch, yaw, 0.0)))
    return CameraSpec(pose, *rules.size, fov_deg)


def in_view(
    points: LanePoints, camera: CameraSpec, range_m: tuple[float, float], view_share: float = EDGE_OF_VIEW
) -> LanePoints:
    """The points within a range and a share of the horizontal field of view of a camera."""
    offset = points.xyz[:, :2] - (camera.pose.x, camera.pose.y)
    distance = np.linalg.norm(offset, axis=1)
    near = (distance >= range_m[0]) & (distance <= range_m[1])
    return points.pick(near & bearing_in_view(offset, camera, view_share))


def bearing_in_view(offset: Floats, camera: CameraSpec, view_share: float = EDGE_OF_VIEW) -> NDArray[np.bool_]:
    """Which offsets ``(n, 2)`` from a camera, seen from above, lie in a share of its horizontal field of view."""
    yaw = np.radians(camera.pose.yaw_deg)
    ahead = offset @ np.array([np.cos(yaw), np.sin(yaw)])
    across = np.abs(offset @ np.array([-np.sin(yaw), np.cos(yaw)]))
    if not camera.lens.is_pinhole:
        # All around is all around, whatever the share.
        share = 1.0 if camera.fov_deg >= 360 else view_share
        wide: NDArray[np.bool_] = np.arctan2(across, ahead) <= np.radians(camera.fov_deg / 2) * share
        return wide
    tangent = np.tan(np.radians(camera.fov_deg / 2)) * view_share
    seen: NDArray[np.bool_] = (ahead > 0) & (across <= tangent * ahead)
    return seen


def spread(points: LanePoints, count: int, gap_m: float, rng: np.random.Generator) -> LanePoints:
    """Up to ``count`` random points that keep ``gap_m`` apart."""
    chosen: list[int] = []
    for row in rng.permutation(len(points)):
        if len(chosen) == count:
            break
        taken = points.xyz[chosen, :2]
        if not chosen or np.linalg.norm(taken - points.xyz[row, :2], axis=1).min() >= gap_m:
            chosen.append(int(row))
    return points.pick(np.array(chosen, int))


def lane_poses(points: LanePoints, side_share: float, turn_deg: float, rng: np.random.Generator) -> list[Transform]:
    """A pose at each point: along the lane, shifted across by up to ``side_share`` of its half width."""
    shift = rng.uniform(-1, 1, len(points)) * side_share * points.width_m / 2
    xy = points.xyz[:, :2] + shift[:, None] * points.right
    yaw = points.yaw_deg + rng.normal(0, 1, len(points)) * turn_deg
    return [
        Transform(round(float(x), 3), round(float(y), 3), round(float(z), 3), 0.0, round(float(a), 2), 0.0)
        for (x, y), z, a in zip(xy, points.xyz[:, 2], yaw, strict=True)
    ]


def hazard_spot(
    lanes: Lanes,
    camera: CameraSpec,
    mode: Placement,
    rules: HazardRules,
    rng: np.random.Generator,
    half_m: float = 0.5,
) -> tuple[float, float, float]:
    """A place for a hazard: x, y and the height of the lane there. Log distance is drawn almost evenly.

    ``half_m`` is half the hazard's width: at the roadside it lies on either side of the kerb, not across it.

    Raises:
        NoFreeSpaceError: If no lane of the kind is in view.
    """
    pool = {"road": lanes.driving, "roadside": lanes.driving, "sidewalk": lanes.sidewalk, "anywhere": lanes.driving}
    points = in_view(pool[mode], camera, rules.range_m, rules.view_share)
    if mode == "roadside":
        points = points.pick(points.outermost)
    if not len(points):
        raise NoFreeSpaceError("no lane in view")
    distance = np.linalg.norm(points.xyz[:, :2] - (camera.pose.x, camera.pose.y), axis=1)
    # Far lanes have many more points in view than near ones: draw the distance first, then one of the points there.
    wanted = _log_distance(rules, rng)
    gap = np.abs(np.log(distance) - wanted)
    there = np.flatnonzero(gap <= max(float(gap.min()), LOG_DISTANCE_SLACK))
    row = points.pick(there[[rng.integers(len(there))]])
    half = float(row.width_m[0]) / 2
    room = max(half - half_m, 0.25 * half)
    across = {
        "road": rng.uniform(-1, 1) * room,
        "roadside": half + (half_m + rng.uniform(0.1, 0.9)) * (1 if rng.random() < BEYOND_KERB_SHARE else -1),
        "sidewalk": rng.uniform(-1, 1) * room,
        "anywhere": rng.uniform(-12, 12),
    }[mode]
    along = float(rng.uniform(-1, 1))
    yaw = np.radians(row.yaw_deg[0])
    x, y = row.xyz[0, :2] + across * row.right[0] + along * np.array([np.cos(yaw), np.sin(yaw)])
    return float(x), float(y), float(row.xyz[0, 2])


def _log_distance(rules: HazardRules, rng: np.random.Generator) -> float:
    near, far = np.log(rules.range_m)
    return float(near + (far - near) * rng.random() ** NEAR_FAVOUR)


def floating_pose(
    bounds: tuple[NDArray[np.float32], NDArray[np.float32]],
    camera: CameraSpec,
    rules: HazardRules,
    rng: np.random.Generator,
) -> Transform:
    """A pose with the middle of a thing anywhere in the picture, at a drawn distance, turned any way."""
    depth = float(np.exp(_log_distance(rules, rng)))
    across, up = (1 + rng.uniform(-1, 1) * rules.view_share) / 2, (1 - rng.uniform(-1, 1) * rules.view_share) / 2
    (ray,) = camera.optics.rays(np.array([across * camera.width]), np.array([up * camera.height]))
    middle = camera.pose @ Transform(*(float(v) for v in depth * ray))
    yaw, pitch, roll = rng.uniform(0, 360), rng.uniform(-90, 90), rng.uniform(0, 360)
    turned = Transform(*middle.location, float(pitch), float(yaw), float(roll))
    low, high = np.asarray(bounds[0], float), np.asarray(bounds[1], float)
    pose = turned @ Transform(*(-float(v) for v in (low + high) / 2))
    return Transform(*(round(v, 4) for v in (*pose.location, *pose.rotation)))


def resting_pose(
    bounds: tuple[NDArray[np.float32], NDArray[np.float32]],
    spot: tuple[float, float, float],
    yaw_deg: float,
    stance: Stance,
    ground: GroundHeight,
) -> tuple[Transform, GroundRectangle]:
    """A pose in which a thing with these ``bounds`` touches the ground under its footprint.

    Raises:
        NoFreeSpaceError: If the ground under it is missing, stepped (a kerb) or too steep.
    """
    local, half = ground_from_object(bounds, stance)
    footprint = GroundRectangle.of(spot[0], spot[1], yaw_deg, float(half[0]), float(half[1]))
    base = _ground_plane(footprint, spot, yaw_deg, half, ground)
    pose = base @ local
    return Transform(*(round(v, 4) for v in (*pose.location, *pose.rotation))), footprint


def ground_from_object(
    bounds: tuple[NDArray[np.float32], NDArray[np.float32]], stance: Stance
) -> tuple[Transform, Floats]:
    """How a thing with these ``bounds`` lies in the frame of the ground under its middle, and its half sizes there."""
    turn = Transform(roll_deg=90.0 if stance == "fallen" else 0.0)
    low, high = np.asarray(bounds[0], float), np.asarray(bounds[1], float)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    turned = corners @ turn.matrix[:3, :3].T
    lo, hi = turned.min(0), turned.max(0)
    centre = (lo + hi) / 2
    local = Transform(-float(centre[0]), -float(centre[1]), -float(lo[2]), roll_deg=turn.roll_deg)
    return local, (hi - lo) / 2


def _ground_plane(
    footprint: GroundRectangle, spot: tuple[float, float, float], yaw_deg: float, half: Floats, ground: GroundHeight
) -> Transform:
    """The frame of the ground under a footprint."""
    points = [*footprint.corners, np.array(spot[:2])]
    heights = []
    for x, y in points:
        height = ground(float(x), float(y), spot[2])
        if height is None:
            raise NoFreeSpaceError("no ground")
        heights.append(height)
    z = np.array(heights, float)
    front, back, right, left = (z[[0, 1]].mean(), z[[2, 3]].mean(), z[[0, 3]].mean(), z[[1, 2]].mean())
    pitch = float(np.degrees(np.arctan2(front - back, 2 * half[0])))
    roll = -float(np.degrees(np.arctan2(right - left, 2 * half[1])))  # positive roll lowers the right side
    step = np.abs(z - z[:4].mean() - np.array([*_tilt(z), 0])).max()
    if step > KERB_TOLERANCE_M:
        raise NoFreeSpaceError("kerb")
    if max(abs(pitch), abs(roll)) > STEEPEST_DEG:
        raise NoFreeSpaceError("steep")
    return Transform(spot[0], spot[1], float(z[:4].mean()), pitch, yaw_deg, roll)


def _tilt(z: Floats) -> Floats:
    """What a tilted plane adds to the mean height at each corner."""
    along, across = (z[0] + z[1] - z[2] - z[3]) / 4, (z[0] + z[3] - z[1] - z[2]) / 4
    return np.array([along + across, along - across, -along - across, -along + across])


def choose(shares: Mapping[Placement, float], rng: np.random.Generator) -> Placement:
    """A key by its share."""
    names = sorted(shares)
    weights = np.array([shares[name] for name in names], float)
    return names[int(rng.choice(len(names), p=weights / weights.sum()))]
