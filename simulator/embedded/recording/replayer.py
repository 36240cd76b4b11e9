"""Replayer: replays a recording in a world, deterministically, frame by frame."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from caos.simulator.embedded.blueprints.catalogue import InvalidDescriptionError
from caos.simulator.embedded.recording.log_file import VERSIONS, ActorEvent, LogFile, LogFrame, Packet, pose_of
from caos.simulator.embedded.world_state.actors import (
    ZERO,
    Actor,
    Prop,
    TrafficLight,
    TrafficSign,
    Vehicle,
    VehicleControl,
    Walker,
)
from caos.simulator.transform import Transform

if TYPE_CHECKING:
    from caos.simulator.embedded.world_state.world import World

log = logging.getLogger(__name__)

SAME_S = 1e-6
"""Tolerance in seconds of summed step lengths against a frame's time."""
FAST = 2.0
"""Time factor from which CARLA no longer interpolates between frames."""
SAME_PLACE_M = 0.5
BEHIND = Transform(x=-10.0, z=8.0, pitch_deg=-20.0)
"""Default pose of a spectator relative to the actor that it follows."""


@dataclass(frozen=True)
class ReplayOptions:
    """Options of a replay.

    Attributes:
        start_s: Start time; negative counts from the end.
        duration_s: Duration; zero replays to the end.
        follow: Recorded id of an actor that the spectator follows, or 0.
        offset: Pose of the spectator in that actor's frame.
        sensors: Whether recorded sensors are spawned as well.
        factor: Time factor: recorded seconds per simulated second.
        ignore_hero: Whether to leave the actor with role ``hero`` to the client.
        ignore_spectator: Whether to leave the spectator where it is.
    """

    start_s: float = 0.0
    duration_s: float = 0.0
    follow: int = 0
    offset: Transform = BEHIND
    sensors: bool = False
    factor: float = 1.0
    ignore_hero: bool = False
    ignore_spectator: bool = True

    def span(self, total_s: float) -> tuple[float, float]:
        """Start and end time of the replay of a recording of ``total_s`` seconds."""
        start_s = self.start_s if self.start_s >= 0 else max(0.0, total_s + self.start_s)
        return start_s, start_s + self.duration_s if self.duration_s > 0 else total_s


class Replayer:
    """Replays a recording; nothing else moves the actors that it spawns."""

    def __init__(self, world: World, recording: LogFile, options: ReplayOptions) -> None:
        self._world, self._frames, self.options = world, recording.frames, options
        self._older = recording.head.version < VERSIONS[world.release.first_attribute_type]
        self.episode_id = world.episode_id
        self._time_s, self._stop_s = options.span(recording.duration_s)
        self._total_s = recording.duration_s
        self._at, self._refused = -1, 0
        self._ids: dict[int, int] = {}
        self._advance()
        self._show(0.0)

    @property
    def is_over(self) -> bool:
        """Whether the end is reached."""
        return self._time_s >= self._stop_s - SAME_S

    def play(self, delta_s: float) -> None:
        """Advance by a step of the world."""
        self._time_s += delta_s * self.options.factor
        self._advance()
        self._show(delta_s)

    def set_lights(self) -> None:
        """Set traffic lights to their recorded states, overriding their cycles."""
        if self._at < 0:
            return
        for row in self._frames[self._at].records(Packet.STATE):
            light = self._actor(int(row["id"]))
            if isinstance(light, TrafficLight):
                light.state_now, light.elapsed_s = int(row["state"]), float(row["elapsed"])
                light.frozen = bool(row["frozen"])

    def finish(self, *, to_the_end: bool) -> None:
        """Return the actors to the simulation, at rest; ``to_the_end`` applies all remaining spawns and removals."""
        if to_the_end:
            self._time_s = self._total_s
            self._advance()
        for actor_id in self._ids.values():
            actor = self._world.actors.get(actor_id)
            if isinstance(actor, (Vehicle, Walker)) and not self._is_left_alone(actor):
                actor.physics = actor.collides = True
                actor.velocity = actor.angular_velocity = ZERO
                if isinstance(actor, Vehicle):
                    actor.control = VehicleControl()
                else:
                    actor.speed = 0.0

    def _advance(self) -> None:
        """Spawn and remove actors up to the current time."""
        while self._at + 1 < len(self._frames) and self._frames[self._at + 1].elapsed_s <= self._time_s + SAME_S:
            self._at += 1
            frame = self._frames[self._at]
            for event in frame.added():
                self._bring(event)
            for row in frame.records(Packet.EVENT_DEL):
                gone = self._world.actors.get(self._ids.pop(int(row["id"]), 0))
                if gone is not None and not isinstance(gone, (TrafficLight, TrafficSign)):
                    self._world.destroy(gone.id)
            for row in frame.records(Packet.EVENT_PARENT):
                self._attach(int(row["id"]), int(row["parent"]))

    def _bring(self, event: ActorEvent) -> None:
        kind, pose = event.description.id, pose_of(event.location, event.rotation)
        if kind.startswith("traffic."):
            found = self._standing_at(pose)
            if found is not None:
                self._ids[event.id] = found.id
            return
        if kind == "spectator":
            if not self.options.ignore_spectator:
                self._ids[event.id] = self._world.spectator.id
            return
        is_hero = event.description.values.get("role_name") == "hero"
        is_unwanted = kind.startswith("sensor.") and not self.options.sensors
        if is_unwanted or kind.startswith("controller.") or (is_hero and self.options.ignore_hero):
            return
        self._spawn(event, pose)

    def _spawn(self, event: ActorEvent, pose: Transform) -> None:
        wanted = event.description
        if self._older:
            # The numbers of attribute types have been incremented since.
            wanted = replace(wanted, attributes=tuple((n, kind + 1, v) for n, kind, v in wanted.attributes))
        try:
            actor = self._world.revive(wanted, pose, event.id)
        except InvalidDescriptionError as error:
            if not self._refused:
                log.warning("the recorded actor %d cannot be here: %s", event.id, error)
            self._refused += 1
            return
        if isinstance(actor, (Vehicle, Walker)):
            actor.physics = actor.collides = False
        self._ids[event.id] = actor.id

    def _standing_at(self, pose: Transform) -> Actor | None:
        for actor in self._world.actors.values():
            away = np.subtract(actor.transform.location, pose.location)
            if isinstance(actor, (TrafficLight, TrafficSign)) and np.abs(away).max() < SAME_PLACE_M:
                return actor
        return None

    def _attach(self, child_id: int, parent_id: int) -> None:
        child, parent = self._actor(child_id), self._actor(parent_id)
        if child is not None and parent is not None:
            child.parent = parent.id
            child.relative = Transform.from_matrix(np.linalg.inv(parent.transform.matrix) @ child.transform.matrix)

    def _show(self, delta_s: float) -> None:
        """Set poses and controls of all actors, and let the spectator follow."""
        if self._at < 0:
            return
        frame = self._frames[self._at]
        for recorded, pose in self._poses(frame):
            actor = self._actor(recorded)
            if actor is None or actor.parent or self._is_left_alone(actor):
                continue
            before = np.array(actor.transform.location)
            self._world.place(actor, pose)
            if delta_s > 0 and isinstance(actor, (Vehicle, Walker, Prop)):
                x, y, z = ((np.array(pose.location) - before) / delta_s).tolist()
                actor.velocity = (x, y, z)
        self._act(frame)
        self.set_lights()
        followed = self._actor(self.options.follow) if self.options.follow else None
        if followed is not None:
            self._world.place(self._world.spectator, followed.transform @ self.options.offset)

    def _poses(self, frame: LogFrame) -> list[tuple[int, Transform]]:
        """Current poses: those of the frame, or interpolated to the next one."""
        rows = frame.records(Packet.POSITION)
        here = {int(row["id"]): (row["location"], row["rotation"]) for row in rows}
        share = self._share(frame)
        if share <= SAME_S:
            return [(actor, pose_of(*place)) for actor, place in here.items()]
        after = {
            int(r["id"]): (r["location"], r["rotation"]) for r in self._frames[self._at + 1].records(Packet.POSITION)
        }
        poses = []
        for actor, (location, rotation) in here.items():
            there, turned = after.get(actor, (location, rotation))
            turn = (turned - rotation + 180) % 360 - 180
            poses.append((actor, pose_of(location + share * (there - location), rotation + share * turn)))
        return poses

    def _share(self, frame: LogFrame) -> float:
        """Position of the current time between a frame and the next, 0..1."""
        if self._at + 1 >= len(self._frames) or self.options.factor >= FAST:
            return 0.0
        length = self._frames[self._at + 1].elapsed_s - frame.elapsed_s
        return float(np.clip((self._time_s - frame.elapsed_s) / length, 0, 1)) if length > SAME_S else 0.0

    def _act(self, frame: LogFrame) -> None:
        for row in frame.records(Packet.VEHICLE):
            vehicle = self._actor(int(row["id"]))
            if isinstance(vehicle, Vehicle) and not self._is_left_alone(vehicle):
                pedals = float(row["throttle"]), float(row["steer"]), float(row["brake"]), bool(row["hand_brake"])
                vehicle.control = VehicleControl(*pedals, reverse=int(row["gear"]) < 0, gear=int(row["gear"]))
                vehicle.just_controlled = True
        for row in frame.records(Packet.WALKER):
            walker = self._actor(int(row["id"]))
            if isinstance(walker, Walker):
                walker.speed = float(row["speed"])
        for row in frame.records(Packet.VEHICLE_LIGHT):
            lit = self._actor(int(row["id"]))
            if isinstance(lit, Vehicle):
                lit.lights = int(row["lights"])

    def _actor(self, recorded: int) -> Actor | None:
        return self._world.actors.get(self._ids.get(recorded, 0))

    def _is_left_alone(self, actor: Actor) -> bool:
        return self.options.ignore_hero and actor.description.values.get("role_name") == "hero"
