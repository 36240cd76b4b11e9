"""Moving traffic of a sequence: vehicles drive on in their lanes, people walk on, and nobody runs into anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caos.scenes.generation.ground import GroundProbe
from caos.scenes.generation.poses import GroundRectangle
from caos.scenes.generation.traffic import WALKER_HALF_M, WALKER_HEIGHT_M, TrafficPlanner
from caos.scenes.recipes.rules import SequenceRules
from caos.scenes.scene import SceneVehicle, SceneWalker
from caos.scenes.sequences.lane_path import LanePath
from caos.simulator.session import Session
from caos.simulator.transform import Transform

Floats = NDArray[np.float64]
Track = list[Transform]
"""A pose for each frame."""
Rectangles = list[GroundRectangle]
"""The ground a thing covers in each frame."""
PARKED_BESIDE_M: Final = 1.6
"""What stands farther from the middle of a lane is parked."""
SLOWER: Final = (1.0, 0.5, 0.0)
"""Shares of its speed that a vehicle tries before it is left out."""
GAP_M: Final = 0.5
STEP_M: Final = 0.5
HIGHEST_STEP_M: Final = 0.06


class TrafficMover:
    """Moves the vehicles and people of a view through the frames of a sequence."""

    def __init__(self, session: Session, ground: GroundProbe, planner: TrafficPlanner) -> None:
        self._session, self._ground, self._planner = session, ground, planner

    def drive(
        self,
        vehicles: Sequence[SceneVehicle],
        times_s: Floats,
        rules: SequenceRules,
        taken: list[Rectangles],
        rng: np.random.Generator,
    ) -> list[tuple[SceneVehicle, Track]]:
        """Vehicles with their tracks; who cannot keep clear of ``taken``, which grows by the others, is left out."""
        out = []
        for vehicle in vehicles:
            speed = float(rng.uniform(*rules.traffic_kmh)) / 3.6
            path = self._path(vehicle, speed * float(times_s[-1]) + 5)
            for share in SLOWER if path is not None else (0.0,):
                track = _track(vehicle.pose, path, speed * share * times_s)
                covered = self.covered(vehicle, track)
                if keeps_clear(covered, taken):
                    taken.append(covered)
                    drives = speed * share if path is not None else 0.0
                    out.append((replace(vehicle, speed_mps=round(drives, 3)), track))
                    break
        return out

    def walk(
        self,
        walkers: Sequence[SceneWalker],
        times_s: Floats,
        rules: SequenceRules,
        taken: list[Rectangles],
    ) -> list[tuple[list[SceneWalker], Track]]:
        """People by frame, with their tracks: who walks goes on until something is in the way, and stands there."""
        out = []
        for walker in walkers:
            free_m, heights = self._free_way(walker, rules.walking_kmh / 3.6 * float(times_s[-1]))
            wanted = rules.walking_kmh / 3.6 * times_s if walker.walking else np.zeros_like(times_s)
            for most in (free_m, 0.0):
                gone = np.minimum(wanted, most)
                track = [_stepped(walker.pose, float(way), heights) for way in gone]
                covered = [GroundRectangle.of(p.x, p.y, p.yaw_deg, WALKER_HALF_M, WALKER_HALF_M) for p in track]
                if keeps_clear(covered, taken, 0.1):
                    taken.append(covered)
                    moving = walker.walking & (wanted <= most) & (most > 0)
                    out.append(([replace(walker, walking=bool(m)) for m in moving], track))
                    break
        return out

    def covered(self, vehicle: SceneVehicle, track: Track) -> Rectangles:
        """The ground a vehicle covers in each frame."""
        length, width, _ = self._planner.half_extents(vehicle)
        return [GroundRectangle.of(p.x, p.y, p.yaw_deg, length, width) for p in track]

    def _path(self, vehicle: SceneVehicle, length_m: float) -> LanePath | None:
        """The lane ahead of a vehicle; None for one that is parked."""
        poses = self._session.lane_ahead(*vehicle.pose.location, length_m)
        if len(poses) < 2:
            return None
        path = LanePath.through(poses)
        turned = abs((vehicle.pose.yaw_deg - path.yaw_deg[0] + 180) % 360 - 180)
        parked = abs(path.beside(vehicle.pose.x, vehicle.pose.y)) > PARKED_BESIDE_M or turned > 45
        return None if parked else path

    def _free_way(self, walker: SceneWalker, length_m: float) -> tuple[float, Floats]:
        """How far a person can go straight on, and the heights of the ground every ``STEP_M``."""
        heights = [walker.pose.z]
        while walker.walking and (len(heights) - 1) * STEP_M < length_m:
            there = _stepped(walker.pose, len(heights) * STEP_M, np.array(heights))
            height = self._ground.height(there.x, there.y, heights[-1])
            if height is None or abs(height - heights[-1]) > HIGHEST_STEP_M:
                break
            if self._ground.blocks(_standing_at(there), height, WALKER_HEIGHT_M):
                break
            heights.append(height)
        return (len(heights) - 1) * STEP_M, np.array(heights)


def keeps_clear(covered: Rectangles, taken: Sequence[Rectangles], gap_m: float = GAP_M) -> bool:
    """Whether a thing keeps its distance from all others in every frame."""
    return all(own.clear_of([other[k] for other in taken], gap_m) for k, own in enumerate(covered))


def _track(start: Transform, path: LanePath | None, way_m: Floats) -> Track:
    if path is None:
        return [start] * len(way_m)
    first = path.at(0.0)
    right, up, turn = path.beside(start.x, start.y), start.z - first.z, start.yaw_deg - first.yaw_deg
    out = []
    for way in way_m:
        there = path.at(float(way), right)
        pose = (there.x, there.y, there.z + up, there.pitch_deg, there.yaw_deg + turn, start.roll_deg)
        out.append(Transform(*(round(float(value), 4) for value in pose)))
    return out


def _stepped(pose: Transform, way_m: float, heights: Floats) -> Transform:
    yaw = np.radians(pose.yaw_deg)
    x, y = pose.x + way_m * float(np.cos(yaw)), pose.y + way_m * float(np.sin(yaw))
    z = float(np.interp(way_m, STEP_M * np.arange(len(heights)), heights))
    return replace(pose, x=round(x, 4), y=round(y, 4), z=round(z, 4))


def _standing_at(pose: Transform) -> GroundRectangle:
    return GroundRectangle.of(pose.x, pose.y, pose.yaw_deg, WALKER_HALF_M, WALKER_HALF_M)
