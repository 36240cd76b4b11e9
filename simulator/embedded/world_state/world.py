"""The world of a server: one episode at a time, with its town, actors, settings and weather, and the step function.

It uses no sockets. Several threads share a world: every access requires its ``lock``.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from caos.foundation.errors import CaosError
from caos.simulator.embedded.blueprints.catalogue import (
    FRICTION_TRIGGER,
    TAG_ATTRIBUTE,
    Catalogue,
    InvalidDescriptionError,
)
from caos.simulator.embedded.blueprints.sensors import out_of_limits
from caos.simulator.embedded.physics.boxes import footprint, separation
from caos.simulator.embedded.physics.collisions import Collision, Obstacles, blocked, collide
from caos.simulator.embedded.physics.ground import Ground
from caos.simulator.embedded.physics.vehicles import step_vehicles
from caos.simulator.embedded.physics.walkers import step_walkers
from caos.simulator.embedded.protocol.releases import LATEST, Release
from caos.simulator.embedded.protocol.wire import ActorDescription, Box, Settings, Vector
from caos.simulator.embedded.recording.tape import Tape
from caos.simulator.embedded.sensors.cameras import check_camera
from caos.simulator.embedded.world_state.actor_bodies import ActorBodies, head_lights
from caos.simulator.embedded.world_state.actors import (
    Actor,
    FrictionTrigger,
    Prop,
    Sensor,
    TrafficLight,
    TrafficSign,
    Vehicle,
    Walker,
)
from caos.simulator.embedded.world_state.loaded_town import LoadedTown
from caos.simulator.embedded.world_state.road_facts import RoadFacts
from caos.simulator.embedded.world_state.shared_renderer import Snapshot
from caos.simulator.embedded.world_state.traffic_lights import TrafficLights
from caos.simulator.semantic_tags import CURRENT
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

if TYPE_CHECKING:
    from caos.simulator.embedded.towns.town import Town

log = logging.getLogger(__name__)

DEFAULT_DELTA_S = 0.05
FIRST_ID = 24
LAST_RECORDED_ID = 2**31
"""Recorded actors with higher ids get new ids, so that ids remain for later actors."""
ACTOR_LIMIT = 20_000
REFRESH_LIMIT_M = 5.0
SPECTATOR = {"role_name": "spectator", "server": "caos embedded"}
"""The spectator's attributes are the only place where a client can detect this server; ``roads`` is added."""

BODIES = (Vehicle, Walker, Prop)
"""Classes of visible actors."""

A = TypeVar("A", bound=Actor)


class WorldError(Exception):
    """A rejected call; the text reaches the client like CARLA's own errors."""


def refusal(call: str, reason: str, about: str) -> WorldError:
    """Return an error with CARLA's exact wording, spaces included: clients search these texts."""
    return WorldError(f"Responding error from function {call}: {reason}.  {about}")


class Streams(Protocol):
    """Source of sensor data streams."""

    def open_stream(self) -> int:
        """Open a new stream and return its number."""

    def close_stream(self, stream: int) -> None:
        """Stop sending on a stream."""


@dataclass(frozen=True, eq=False)
class Step:
    """Result of a step: frame number, time, duration, world state and collisions."""

    frame: int
    time_s: float
    delta_s: float
    actors: tuple[Actor, ...]
    collisions: list[Collision]


@dataclass(eq=False)
class Episode:
    """State that ends with the loaded town."""

    loaded_town: LoadedTown
    roads: RoadFacts
    ground: Ground
    obstacles: Obstacles
    lights: TrafficLights = field(default_factory=TrafficLights)
    actors: dict[int, Actor] = field(default_factory=dict)
    low_ids: set[int] = field(default_factory=set)
    map_changed: bool = True
    lights_changed: bool = False
    origin: str = ""


class World:
    """The simulated world."""

    def __init__(self, bodies: ActorBodies, streams: Streams, release: Release = LATEST) -> None:
        self.release = release
        self.lock = threading.RLock()
        self.bodies = bodies
        self.catalogue = Catalogue(bodies.props, release)
        self.settings, self.weather = Settings(), Weather()
        self.frame, self.time_s, self.episode_id = 0, 0.0, 0
        self.gravity = 9.81
        self._streams = streams
        self._next_id = FIRST_ID
        self._cast = 0
        self._episode: Episode | None = None
        self.tape = Tape(self)
        self.spawned: Callable[[Actor], None] = lambda _: None

    @property
    def episode(self) -> Episode:
        """The current episode."""
        assert self._episode is not None, "no town is loaded"
        return self._episode

    @property
    def actors(self) -> dict[int, Actor]:
        """Actors by id, in the order of their ids."""
        return self.episode.actors

    @property
    def spectator(self) -> Actor:
        """The spectator."""
        return next(iter(self.actors.values()))

    def prepare(self, town: Town, layers: int = 0xFFFF, origin: str = "") -> Episode:
        """Create an episode in a town without starting it: the slow part of a load, without holding the lock.

        ``origin`` describes the source of its roads.
        """
        scape, old = LoadedTown(town, layers, self.release), self._episode
        roads = RoadFacts(town.name, town.opendrive)
        if old is not None and town.key and old.loaded_town.town.key == town.key:
            return Episode(scape, roads, old.ground, old.obstacles, origin=origin)
        return Episode(scape, roads, Ground(town.statics), Obstacles(scape.obstacles()), origin=origin)

    def begin(self, episode: Episode) -> None:
        """End the current episode with all its actors, and start another."""
        if self._episode is not None:
            for actor in self.actors.values():
                if actor.stream:
                    self._streams.close_stream(actor.stream)
        self._episode, scape = episode, episode.loaded_town
        town = scape.town
        self.episode_id += 1
        self.time_s, self.weather = 0.0, Weather()
        start = town.spawn_points[0] if town.spawn_points else Transform()
        marks = tuple(self.release.text(name, value) for name, value in (SPECTATOR | {"roads": episode.origin}).items())
        spectator = ActorDescription(0, "spectator", marks)
        self._add(Actor(self._new_id(), spectator, Transform(start.x, start.y, start.z + 8.0, -20.0, start.yaw_deg)))
        self._add_furniture(scape)

    def find(self, actor_id: int, kind: type[A], doing: str) -> A:
        """Return the actor with an id, if it is of a kind.

        Raises:
            WorldError: If there is none, with CARLA's wording.
        """
        actor = self.actors.get(actor_id)
        if actor is None:
            raise refusal(doing, "Actor could not be found in the registry", f"Actor Id: {actor_id}")
        if not isinstance(actor, kind):
            raise refusal(doing, "Actor does not match the expected type", f"Actor Id: {actor_id}")
        return actor

    def of_kind(self, kind: type[A]) -> list[A]:
        """Return all actors of a kind, ordered by id."""
        return [actor for actor in self.actors.values() if isinstance(actor, kind)]

    def spawn(self, wanted: ActorDescription, pose: Transform, parent: int = 0) -> Actor:
        """Spawn an actor at a pose (relative to its parent, if it has one).

        Raises:
            WorldError: With CARLA's wording, if the description is invalid, the location is occupied or the parent is
                unknown.
        """
        if parent and parent not in self.actors:
            raise WorldError("unable to attach actor: parent actor not found")
        if len(self.actors) >= ACTOR_LIMIT:
            raise WorldError(f"Unknown error while trying to spawn actor: there are {ACTOR_LIMIT} actors already")
        try:
            description = self.catalogue.complete(wanted)
        except InvalidDescriptionError as error:
            raise WorldError(f"Spawn failed because of invalid actor description: {error}") from error
        actor = self._make(description, pose, parent)
        self._check_place(actor)
        self._add(actor)
        self.spawned(actor)
        return actor

    def revive(self, recorded: ActorDescription, pose: Transform, wanted_id: int) -> Actor:
        """Spawn an actor of a recording, with or without a collision, with its old id if that is free.

        Raises:
            InvalidDescriptionError: If the actor cannot be created here, or there are too many.
        """
        if len(self.actors) >= ACTOR_LIMIT:
            raise InvalidDescriptionError(f"there are {ACTOR_LIMIT} actors already")
        try:
            actor = self._make(self.catalogue.complete(self.catalogue.numbered(recorded)), pose, 0)
        except WorldError as error:
            raise InvalidDescriptionError(str(error)) from error
        low = wanted_id & 0xFFFF
        is_free = low and low not in self.episode.low_ids and low not in self.episode.loaded_town.instance_ids
        if is_free and wanted_id <= LAST_RECORDED_ID:
            actor.id, self._next_id = wanted_id, max(self._next_id, wanted_id + 1)
        self._add(actor)
        return actor

    def destroy(self, actor_id: int) -> None:
        """Remove an actor and everything attached to it.

        Raises:
            WorldError: If there is no such actor, or it belongs to the town.
        """
        actor = self.actors.get(actor_id)
        if actor is None:
            raise WorldError("unable to destroy actor: not found")
        if actor is self.spectator or isinstance(actor, (TrafficLight, TrafficSign)):
            raise WorldError(f"unable to destroy actor: {actor.type_id} {actor_id} belongs to the town")
        self._remove(actor)

    def place(self, actor: Actor, pose: Transform) -> None:
        """Teleport an actor to a world pose, or to one relative to its parent."""
        if actor.parent and actor.relative is not None:
            actor.relative = pose
            actor.transform = self.actors[actor.parent].transform @ pose
            return
        actor.transform = pose
        if isinstance(actor, Vehicle):
            actor.on_ground = False
        elif isinstance(actor, Walker):
            actor.settled = False
        for child in self.actors.values():
            if child.parent == actor.id and child.relative is not None:
                self.place(child, child.relative)

    def step(self, delta_s: float) -> Step:
        """Advance the world by one step."""
        episode = self.episode
        self.frame += 1
        self.time_s += delta_s
        self.tape.before(delta_s)
        vehicles = self.of_kind(Vehicle)
        for vehicle in vehicles:
            vehicle.release_control()
        self._feel_triggers(vehicles)
        step_vehicles(vehicles, episode.ground, delta_s)
        step_walkers(self.of_kind(Walker), episode.ground, delta_s)
        collisions = collide(list(self.actors.values()), episode.obstacles, delta_s)
        self._carry()
        episode.lights.step(delta_s)
        episode.lights.bind(vehicles)
        self._read_signs(vehicles)
        step = Step(self.frame, self.time_s, delta_s, tuple(self.actors.values()), collisions)
        self.tape.after(step)
        return step

    def drop_lost(self) -> None:
        """Remove actors with a non-finite position or velocity, with which no step can be made."""
        if not np.isfinite(self.spectator.transform.matrix).all():
            self.spectator.transform = Transform()
        for actor in list(self.actors.values())[1:]:
            if actor.id in self.actors and not np.isfinite((*actor.transform.matrix.flat, *actor.velocity)).all():
                log.warning("%s %d is nowhere, and removed", actor.type_id, actor.id)
                self._remove(actor)

    def snapshot(self) -> Snapshot:
        """Return a snapshot for rendering."""
        scape = self.episode.loaded_town
        shown = [one for actor in self.actors.values() for one in self.bodies.shown(actor)]
        shown += scape.light_heads(self.of_kind(TrafficLight))
        lamps = [*scape.lamps(), *(lamp for vehicle in self.of_kind(Vehicle) for lamp in head_lights(vehicle))]
        return Snapshot(scape.statics, scape.key, tuple(shown), tuple(lamps), self.weather, self._cast)

    def _carry(self) -> None:
        for actor in self.actors.values():
            if actor.parent and actor.relative is not None:
                carrier = self.actors[actor.parent]
                actor.transform = carrier.transform @ actor.relative
                actor.velocity, actor.angular_velocity = carrier.velocity, carrier.angular_velocity
                actor.acceleration = carrier.acceleration

    def _feel_triggers(self, vehicles: Iterable[Vehicle]) -> None:
        """Set each vehicle's friction by the trigger that it is in; of two, the newer wins."""
        triggers = [(trigger, footprint(trigger.transform, trigger.box)) for trigger in self.of_kind(FrictionTrigger)]
        for vehicle in vehicles:
            place = footprint(vehicle.transform, vehicle.box) if triggers else None
            felt = [t.friction for t, area in triggers if place is not None and separation(place, area) is not None]
            vehicle.trigger_friction = felt[-1] if felt else None

    def _read_signs(self, vehicles: Iterable[Vehicle]) -> None:
        for vehicle in vehicles:
            here, there = vehicle.transform.location, vehicle.limit_at
            if there is None or max(abs(a - b) for a, b in zip(here, there, strict=True)) > REFRESH_LIMIT_M:
                vehicle.limit_at = here
                vehicle.speed_limit_kmh = self.episode.roads.speed_limit_kmh(here)

    def _new_id(self) -> int:
        """Return the next id whose low 16 bits no visible object has, so that instance images are unambiguous."""
        fixed, live = self.episode.loaded_town.instance_ids, self.episode.low_ids
        if len(fixed) + len(live) >= 0xFFFF:
            raise WorldError("Unknown error while trying to spawn actor: all 16-bit instance ids are in use")
        while (low := self._next_id & 0xFFFF) == 0 or low in fixed or low in live:
            self._next_id += 1
        self._next_id += 1
        return self._next_id - 1

    def _add(self, actor: Actor) -> None:
        self.actors[actor.id] = actor
        self.episode.low_ids.add(actor.id & 0xFFFF)

    def _remove(self, actor: Actor) -> None:
        if actor.stream:
            self._streams.close_stream(actor.stream)
        del self.actors[actor.id]
        self.episode.low_ids.discard(actor.id & 0xFFFF)
        if isinstance(actor, BODIES) and not any(isinstance(other, BODIES) for other in self.actors.values()):
            self._cast += 1
        for child in [other for other in self.actors.values() if other.parent == actor.id]:
            self._remove(child)

    def _make(self, description: ActorDescription, pose: Transform, parent: int) -> Actor:
        relative = pose if parent else None
        world = self.actors[parent].transform @ pose if parent else pose
        kind = description.id.split(".", 1)[0]
        if kind == "sensor":
            return self._make_sensor(description, world, parent, relative)
        if description.id == FRICTION_TRIGGER.id:
            return _make_trigger(self._new_id(), description, world, parent, relative)
        try:
            body = self.bodies.body(description)
        except CaosError as error:
            raise WorldError(f"Spawn failed because of invalid actor description: {error}") from error
        if body is None:
            return Actor(self._new_id(), description, world, parent=parent, relative=relative)
        made = {"vehicle": Vehicle, "walker": Walker}.get(kind, Prop)
        tag = _wanted_tag(description, body.tag)
        actor: Actor = made(self._new_id(), description, world, body.box, bytes([tag]), parent, relative)
        actor.collides = body.is_solid
        if isinstance(actor, Vehicle):
            actor.mass_kg, actor.wheelbase_m = body.mass_kg, body.wheelbase_m
            actor.sticky = description.values.get("sticky_control") != "false"
            actor.two_wheeled = description.values.get("number_of_wheels") == "2"
        elif isinstance(actor, Walker):
            actor.half_height_m = body.half_height_m
        return actor

    def _make_sensor(
        self, description: ActorDescription, pose: Transform, parent: int, relative: Transform | None
    ) -> Sensor:
        values = description.values
        problem = out_of_limits(description.id, values)
        if problem is None and description.id.startswith("sensor.camera."):
            problem = check_camera(values)
        if problem:
            raise WorldError(f"Spawn failed because of invalid actor description: {problem}")
        sensor = Sensor(self._new_id(), description, pose, parent=parent, relative=relative)
        sensor.period_s = float(values.get("sensor_tick", "0").rstrip("f"))
        sensor.rng = np.random.default_rng(abs(int(values.get("noise_seed", "0"))))
        sensor.stream = self._streams.open_stream()
        return sensor

    def _check_place(self, actor: Actor) -> None:
        if actor.parent or not isinstance(actor, BODIES) or not actor.collides:
            return
        place = footprint(actor.transform, actor.box)
        others = (other for other in self.actors.values() if not isinstance(other, Prop) or not isinstance(actor, Prop))
        if blocked(place, others):
            raise WorldError("Spawn failed because of collision at spawn position")

    def _add_furniture(self, scape: LoadedTown) -> None:
        """Add the actors of the town: lights and signs."""
        lights = scape.light_actors()
        for actor in (*lights, *scape.sign_actors()):
            self._add(actor)
        self.episode.lights = scape.traffic_lights(lights)


def _wanted_tag(description: ActorDescription, own: int) -> int:
    """Return an actor's semantic tag: that of its description, else the given default.

    Raises:
        WorldError: If CARLA has no such tag.
    """
    tag = int(description.values.get(TAG_ATTRIBUTE, "-1"))
    if tag == -1:
        return own
    if tag not in {known.number for known in CURRENT.tags}:
        last = max(known.number for known in CURRENT.tags)
        raise WorldError(
            f"Spawn failed because of invalid actor description: {TAG_ATTRIBUTE}={tag} is outside 0..{last}, and not -1"
        )
    return tag


def _make_trigger(
    number: int, description: ActorDescription, pose: Transform, parent: int, relative: Transform | None
) -> FrictionTrigger:
    values = description.values
    x, y, z = (abs(float(values[f"extent_{axis}"])) / 100 for axis in "xyz")
    trigger = FrictionTrigger(number, description, pose, Box(extent=(x, y, z)), parent=parent, relative=relative)
    trigger.friction = max(0.0, float(values["friction"]))
    return trigger


def velocity_of(actors: Iterable[Actor]) -> dict[int, Vector]:
    """Return velocities by instance id."""
    return {actor.instance_id: actor.velocity for actor in actors}
