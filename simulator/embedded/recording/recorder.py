"""Recorder: writes every step of a world to a file in CARLA's format."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from caos.simulator.embedded.recording.log_file import (
    CM,
    NOBODY,
    UNKNOWN_DURATION_S,
    VERSIONS,
    ActorEvent,
    LogHead,
    Packet,
    event_packet,
    frame_start,
    packet,
    record_packet,
    record_place,
)
from caos.simulator.embedded.world_state.actors import Actor, Sensor, TrafficLight, TrafficSign, Vehicle, Walker

if TYPE_CHECKING:
    from caos.simulator.embedded.physics.collisions import Collision
    from caos.simulator.embedded.world_state.world import Step, World

OTHER, VEHICLE, WALKER, LIGHT, SIGN, SENSOR = range(6)
_KINDS = ((Vehicle, VEHICLE), (Walker, WALKER), (TrafficLight, LIGHT), (TrafficSign, SIGN), (Sensor, SENSOR))


def kind_of(actor: Actor) -> int:
    """Return CARLA's number of an actor's kind."""
    return next((number for kind, number in _KINDS if isinstance(actor, kind)), OTHER)


class Recorder:
    """Writes a file while the world is stepped.

    Args:
        world: The recorded world.
        file: Output file; it is truncated.
        additional: Whether to write velocities, boxes and the times of lights as well.
    """

    def __init__(self, world: World, file: Path, *, additional: bool) -> None:
        self._additional, self.episode_id = additional, world.episode_id
        self._out: IO[bytes] = file.open("wb")
        version = VERSIONS[world.release.first_attribute_type]
        self._out.write(LogHead(version, int(time.time()), world.episode.loaded_town.town.name).write())
        self._known: dict[int, Actor] = {}
        self._number, self._elapsed_s, self._collisions = 0, 0.0, 0
        self._last: tuple[int, float, bytes] | None = None

    def record(self, step: Step) -> None:
        """Record a step; the previous frame's duration is now known, so it is written."""
        duration_s = step.delta_s if self._number else 0.0
        self._elapsed_s += duration_s
        self._flush(duration_s)
        self._number += 1
        self._last = self._number, self._elapsed_s, b"".join(self._packets(step))

    def close(self) -> None:
        """Finish the file."""
        self._flush(UNKNOWN_DURATION_S)
        self._out.close()

    def _flush(self, duration_s: float) -> None:
        if self._last is not None:
            number, elapsed_s, packets = self._last
            self._out.write(frame_start(number, duration_s, elapsed_s) + packets + packet(Packet.FRAME_END, b""))
            self._out.flush()
            self._last = None

    def _packets(self, step: Step) -> Iterator[bytes]:
        actors = {actor.id: actor for actor in step.actors}
        new = [actor for actor in step.actors if actor.id not in self._known]
        gone = [(actor_id,) for actor_id in self._known if actor_id not in actors]
        self._known = actors
        yield packet(Packet.VISUAL_TIME, struct.pack("<d", step.time_s))
        yield event_packet([ActorEvent(a.id, kind_of(a), *record_place(a.transform), a.description) for a in new])
        yield record_packet(Packet.EVENT_DEL, gone)
        yield record_packet(Packet.EVENT_PARENT, [(a.id, a.parent) for a in new if a.parent])
        yield record_packet(Packet.COLLISION, self._met(step.collisions))
        bodies = [a for a in step.actors if kind_of(a) in {OTHER, VEHICLE, WALKER}]
        yield record_packet(Packet.POSITION, [(a.id, *record_place(a.transform)) for a in bodies])
        yield from _states(step.actors)
        if self._additional:
            yield from _more(step.actors, new)
            # CARLA writes the wall time; simulation time keeps equal runs equal.
            yield packet(Packet.PLATFORM_TIME, struct.pack("<d", self._elapsed_s))

    def _met(self, collisions: Iterable[Collision]) -> Iterator[tuple[Any, ...]]:
        """Yield each pair of actors once."""
        pairs: dict[tuple[int, int], tuple[Any, ...]] = {}
        for collision in collisions:
            other = collision.other if isinstance(collision.other, Actor) else None
            pair = collision.actor.id, other.id if other else NOBODY
            pairs.setdefault(pair, (*pair, _is_hero(collision.actor), other is not None and _is_hero(other)))
        for row in pairs.values():
            yield self._collisions, *row
            self._collisions += 1


def _states(actors: Sequence[Actor]) -> Iterator[bytes]:
    """Packets with the states of lights, vehicles and walkers."""
    lights = [a for a in actors if isinstance(a, TrafficLight)]
    vehicles = [a for a in actors if isinstance(a, Vehicle)]
    walkers = [a for a in actors if isinstance(a, Walker)]
    yield record_packet(Packet.STATE, [(a.id, a.frozen, a.elapsed_s, a.state_now) for a in lights])
    yield record_packet(Packet.VEHICLE, [_control(vehicle) for vehicle in vehicles])
    yield record_packet(Packet.WALKER, [(walker.id, walker.speed) for walker in walkers])
    yield record_packet(Packet.VEHICLE_LIGHT, [(vehicle.id, vehicle.lights) for vehicle in vehicles])


def _control(vehicle: Vehicle) -> tuple[Any, ...]:
    c = vehicle.control
    gear = c.gear if c.manual_gear_shift else -1 if c.reverse else int(c.throttle > 0 or any(vehicle.velocity))
    return vehicle.id, c.steer, c.throttle, c.brake, c.hand_brake, gear


def _more(actors: Sequence[Actor], new: Sequence[Actor]) -> Iterator[bytes]:
    """Packets with velocities of all actors that move, and boxes and times of new ones."""
    movers = [a for a in actors if isinstance(a, (Vehicle, Walker))]
    signs = [a for a in new if isinstance(a, (TrafficLight, TrafficSign))]
    boxed = [a for a in new if a not in signs]
    yield record_packet(Packet.KINEMATICS, [(a.id, a.velocity, a.angular_velocity) for a in movers])
    yield record_packet(Packet.BOUNDING_BOX, [(a.id, _cm(a.box.center), _cm(a.box.extent)) for a in boxed])
    yield record_packet(Packet.TRIGGER_VOLUME, [(a.id, _trigger(a), _cm(a.box.extent)) for a in signs])
    times = [(a.id, a.green_s, a.yellow_s, a.red_s) for a in signs if isinstance(a, TrafficLight)]
    yield record_packet(Packet.LIGHT_TIME, times)


def _trigger(sign: Actor) -> tuple[float, ...]:
    """World box of the trigger area of a light or sign."""
    x, y, z, _ = sign.transform.matrix @ (*sign.box.center, 1.0)
    return _cm((x, y, z))


def _cm(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) * CM for value in values)


def _is_hero(actor: Actor) -> bool:
    return actor.description.values.get("role_name") == "hero"
