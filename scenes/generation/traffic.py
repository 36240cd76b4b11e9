"""Traffic and people for a view: planned on the empty town, so that one batch puts them all up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.scenes.generation.filming import vehicle_spawn
from caos.scenes.generation.ground import GroundProbe
from caos.scenes.generation.lanes import Lanes
from caos.scenes.generation.poses import GroundRectangle, NoFreeSpaceError, in_view, lane_poses, resting_pose, spread
from caos.scenes.recipes.rules import TrafficRules
from caos.scenes.scene import CameraSpec, SceneVehicle, SceneWalker
from caos.simulator.session import Session
from caos.simulator.transform import Transform

VEHICLE_GAP_M: Final = 0.6
MEASURING_HEIGHT_M: Final = 300.0
WALKER_HALF_M: Final = 0.35
WALKER_HEIGHT_M: Final = 1.7


class TrafficPlanner:
    """Plans vehicles and people for the views of one session."""

    def __init__(self, session: Session, ground: GroundProbe) -> None:
        self._session, self._ground = session, ground
        self._walkers = tuple(session.walkers())
        self._by_type: dict[str, list[str]] = {}
        for blueprint in session.vehicles():
            self._by_type.setdefault(session.base_type(blueprint) or "car", []).append(blueprint)
        self._extents: dict[str, tuple[float, float, float]] = {}

    def vehicles(
        self,
        lanes: Lanes,
        camera: CameraSpec,
        rules: TrafficRules,
        counts: tuple[int, int],
        taken: list[GroundRectangle],
        rng: np.random.Generator,
    ) -> list[SceneVehicle]:
        """``counts`` moving and parked vehicles in view, fewer where they do not fit; ``taken`` grows by them."""
        moving = in_view(lanes.driving.pick(~lanes.driving.in_junction), camera, rules.vehicle_range_m)
        parked = in_view(lanes.parking, camera, rules.parked_range_m)
        poses = [(p, rules.vehicle_types) for p in lane_poses(spread(moving, counts[0], 9.0, rng), 0.15, 1.0, rng)]
        poses += [(p, rules.parked_types) for p in lane_poses(spread(parked, counts[1], 6.5, rng), 0.1, 1.5, rng)]
        wanted = [(pose, self._blueprint(shares, rng)) for pose, shares in poses]
        planned = [self._standing(SceneVehicle(name, pose, self._color(name, rng)), taken) for pose, name in wanted]
        return [vehicle for vehicle in planned if vehicle is not None]

    def people(
        self,
        lanes: Lanes,
        camera: CameraSpec,
        rules: TrafficRules,
        count: int,
        taken: list[GroundRectangle],
        rng: np.random.Generator,
    ) -> list[SceneWalker]:
        """``count`` people on the sidewalks in view, fewer where they do not fit; ``taken`` grows by them."""
        walks = in_view(lanes.sidewalk, camera, rules.walker_range_m)
        people = []
        for spot in lane_poses(spread(walks, count, 0.9, rng), 0.7, 12.0, rng):
            walking = bool(rng.random() < rules.walking_share)
            # Who walks goes along the sidewalk, either way; who stands looks anywhere.
            turn = 180.0 * rng.integers(2) if walking else rng.uniform(0, 360)
            blueprint = self._walkers[int(rng.integers(len(self._walkers)))]
            pose = replace(spot, yaw_deg=round((spot.yaw_deg + float(turn)) % 360, 2))
            height = self._free_height(pose, taken)
            if height is not None:
                people.append(SceneWalker(blueprint, replace(pose, z=round(height, 3)), walking))
        return people

    def _free_height(self, pose: Transform, taken: list[GroundRectangle]) -> float | None:
        """The ground under a person, or None if something else is there; a free place is taken."""
        footprint = GroundRectangle.of(pose.x, pose.y, pose.yaw_deg, WALKER_HALF_M, WALKER_HALF_M)
        if not footprint.clear_of(taken, 0.2):
            return None
        height = self._ground.height(pose.x, pose.y, pose.z)
        if height is None or self._ground.blocks(footprint, height, WALKER_HEIGHT_M):
            return None
        taken.append(footprint)
        return height

    def lorry(self, pose: Transform, rng: np.random.Generator) -> SceneVehicle | None:
        """A lorry at a pose; None where the server has none."""
        if "truck" not in self._by_type:
            return None
        blueprint = self._blueprint({"truck": 1.0}, rng)
        return SceneVehicle(blueprint, pose, self._color(blueprint, rng))

    def _blueprint(self, shares: Mapping[str, float], rng: np.random.Generator) -> str:
        there = [name for name in shares if name in self._by_type] or sorted(self._by_type)
        weights = np.array([shares.get(name, 1.0) for name in there])
        kind = there[int(rng.choice(len(there), p=weights / weights.sum()))]
        return self._by_type[kind][int(rng.integers(len(self._by_type[kind])))]

    def _color(self, blueprint: str, rng: np.random.Generator) -> str | None:
        colors = self._session.colors(blueprint)
        return colors[int(rng.integers(len(colors)))] if colors else None

    def _standing(self, vehicle: SceneVehicle, taken: list[GroundRectangle]) -> SceneVehicle | None:
        """The vehicle with its wheels on the road, or None if it does not fit; a free place is taken."""
        x, y, yaw_deg = vehicle.pose.x, vehicle.pose.y, vehicle.pose.yaw_deg
        half = self.half_extents(vehicle)
        if not GroundRectangle.of(x, y, yaw_deg, half[0], half[1]).clear_of(taken, VEHICLE_GAP_M):
            return None
        bounds = np.array([-half[0], -half[1], 0], np.float32), np.array([*half[:2], 2 * half[2]], np.float32)
        try:
            pose, footprint = resting_pose(bounds, vehicle.pose.location, yaw_deg, "upright", self._ground.road_height)
        except NoFreeSpaceError:
            return None
        taken.append(footprint)
        return replace(vehicle, pose=pose)

    def half_extents(self, vehicle: SceneVehicle) -> tuple[float, float, float]:
        """Half length, width and height of a vehicle; a new model is spawned once, high above, to be measured."""
        if vehicle.blueprint not in self._extents:
            aloft = replace(vehicle, pose=replace(vehicle.pose, z=vehicle.pose.z + MEASURING_HEIGHT_M))
            (actor,) = self._session.spawn_many([vehicle_spawn(aloft)])
            if actor is None:
                raise CaosError(f"the simulator cannot spawn {vehicle.blueprint}")
            self._extents[vehicle.blueprint] = self._session.bounds(actor).extent
            self._session.destroy((actor,))
        return self._extents[vehicle.blueprint]
