"""Actors: the record in CARLA's registry, and the 119 bytes per actor in every world state."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caos.assets.mesh import Mesh
from caos.simulator.embedded.protocol.wire import MAX_F32, ActorDescription, Box, Vector
from caos.simulator.transform import Transform

STATE_BYTES = 119
ACTIVE = 1
ZERO: Vector = (0.0, 0.0, 0.0)
_HEAD = struct.Struct("<IB15f")
_VEHICLE = struct.Struct("<3f3Bif2BIB")
_WALKER = struct.Struct("<4fB")
_LIGHT = struct.Struct("<32s4fI2B")
_PADDING = STATE_BYTES - _HEAD.size

RED, YELLOW, GREEN, OFF, UNKNOWN = range(5)


@dataclass(eq=False)
class Actor:
    """Any object with an id and a pose.

    Attributes:
        id: CARLA's actor id; its low 16 bits appear in instance images.
        description: Blueprint and attribute values with which it was spawned.
        transform: World pose.
        box: Bounding box in the actor's frame.
        tags: CARLA's semantic tags of its meshes.
        parent: Id of the actor to which it is attached, or 0.
        relative: Pose in the parent's frame, when attached.
        stream: Number of its data stream, or 0.
        velocity: m/s, world axes.
        angular_velocity: degrees/s.
        acceleration: m/s², world axes.
        physics: Whether the simulation moves it.
        gravity: Whether it falls.
        collides: Whether others collide with it.
    """

    id: int
    description: ActorDescription
    transform: Transform
    box: Box = field(default_factory=Box)
    tags: bytes = b""
    parent: int = 0
    relative: Transform | None = None
    stream: int = 0
    token: bytes = b""
    velocity: Vector = ZERO
    angular_velocity: Vector = ZERO
    acceleration: Vector = ZERO
    physics: bool = True
    gravity: bool = True
    collides: bool = True

    @property
    def type_id(self) -> str:
        """The blueprint's id."""
        return self.description.id

    @property
    def instance_id(self) -> int:
        """Value of this actor in instance images."""
        return self.id & 0xFFFF

    def write(self) -> list[Any]:
        """Return the actor's record in wire form."""
        return [self.id, self.parent, self.description.write(), self.box.write(self.id), self.tags, self.token]

    def state(self) -> bytes:
        """Return the actor's part of a world state."""
        pose = (*self.transform.location, *self.transform.rotation)
        motion = (*self.velocity, *self.angular_velocity, *self.acceleration)
        return _HEAD.pack(self.id, ACTIVE, *map(_in_32_bits, (*pose, *motion))) + self._particulars().ljust(
            _PADDING, b"\0"
        )

    def _particulars(self) -> bytes:
        return b""


def _in_32_bits(value: float) -> float:
    """Clamp to float32: one runaway actor must not stop the world for all clients."""
    return value if -MAX_F32 <= value <= MAX_F32 else math.copysign(MAX_F32, value) if value == value else 0.0  # noqa: PLR0124


@dataclass(frozen=True)
class VehicleControl:
    """CARLA's vehicle control, in wire order."""

    throttle: float = 0.0
    steer: float = 0.0
    brake: float = 0.0
    hand_brake: bool = False
    reverse: bool = False
    manual_gear_shift: bool = False
    gear: int = 0


@dataclass(eq=False)
class Vehicle(Actor):
    """A vehicle that can be driven."""

    control: VehicleControl = VehicleControl()
    lights: int = 0
    speed_limit_kmh: float = 30.0
    traffic_light: int = 0
    traffic_light_state: int = GREEN
    wheelbase_m: float = 2.7
    mass_kg: float = 1500.0
    two_wheeled: bool = False
    target_velocity: Vector | None = None
    target_angular_velocity: Vector | None = None
    constant_velocity: Vector | None = None
    ackermann: tuple[float, ...] | None = None
    ackermann_settings: tuple[float, ...] = (0.15, 0.0, 0.25, 0.01, 0.0, 0.01)
    physics_control: list[Any] | None = None
    tyre_friction: float = 3.5
    tyre_stiffness: float = 1000.0
    trigger_friction: float | None = None
    drag_coefficient: float = 0.3
    steer_deg: float = 0.0
    on_ground: bool = False
    sticky: bool = True
    just_controlled: bool = False
    limit_at: Vector | None = None

    @property
    def friction(self) -> float:
        """Tyre friction at its current location."""
        return self.tyre_friction if self.trigger_friction is None else self.trigger_friction

    def release_control(self) -> None:
        """Release the pedals if they are not sticky and no control was applied since the last step."""
        if not self.sticky and not self.just_controlled:
            self.control = VehicleControl()
        self.just_controlled = False

    def _particulars(self) -> bytes:
        c = self.control
        gear = c.gear if c.manual_gear_shift else (-1 if c.reverse else int(c.throttle > 0 or self.velocity != ZERO))
        return _VEHICLE.pack(
            c.throttle,
            c.steer,
            c.brake,
            c.hand_brake,
            c.reverse,
            c.manual_gear_shift,
            gear,
            self.speed_limit_kmh,
            self.traffic_light_state,
            self.traffic_light != 0,
            self.traffic_light,
            0,
        )


@dataclass(eq=False)
class Walker(Actor):
    """A pedestrian; its origin is at mid-body, ``half_height_m`` above the ground.

    ``pose`` holds bones set by a client, each in its parent's frame, and ``pose_share`` is their blending weight.
    """

    direction: Vector = ZERO
    speed: float = 0.0
    jump: bool = False
    walked_m: float = 0.0
    half_height_m: float = 0.93
    settled: bool = False
    dead: bool = False
    pose: dict[str, Transform] = field(default_factory=dict)
    pose_share: float = 0.0

    def _particulars(self) -> bytes:
        return _WALKER.pack(*self.direction, self.speed, self.jump)


@dataclass(eq=False)
class TrafficLight(Actor):
    """A traffic light; ``site`` is its index in the town."""

    site: int = 0
    sign_id: str = ""
    state_now: int = RED
    green_s: float = 10.0
    yellow_s: float = 3.0
    red_s: float = 2.0
    elapsed_s: float = 0.0
    pole: int = 0
    frozen: bool = False

    def _particulars(self) -> bytes:
        times = (self.green_s, self.yellow_s, self.red_s, self.elapsed_s)
        return _LIGHT.pack(self.sign_id.encode()[:31], *times, self.pole, self.frozen, self.state_now)


@dataclass(eq=False)
class TrafficSign(Actor):
    """A traffic sign of the town."""

    sign_id: str = ""

    def _particulars(self) -> bytes:
        return self.sign_id.encode()[:31]


@dataclass(eq=False)
class Sensor(Actor):
    """A sensor; ``period_s`` is its ``sensor_tick``, ``memory`` its state between frames."""

    period_s: float = 0.0
    due_s: float | None = None
    rng: np.random.Generator | None = None
    memory: dict[str, Any] = field(default_factory=dict)

    def is_due(self, now_s: float) -> bool:
        """Whether it measures at simulation time ``now_s``; schedules the next measurement."""
        if self.period_s <= 0:
            return True
        if self.due_s is not None and now_s < self.due_s - 1e-6:
            return False
        self.due_s = max((self.due_s if self.due_s is not None else now_s) + self.period_s, now_s)
        return True


@dataclass(eq=False)
class FrictionTrigger(Actor):
    """A box that sets the friction of tyres within it."""

    friction: float = 3.5


@dataclass(eq=False)
class Prop(Actor):
    """A static object; its ``mesh`` is kept after its first rendering."""

    mesh: Mesh | None = None
