"""Wire format: readers from CARLA's msgpack structures to typed values, and writers back.

All input is untrusted: each reader checks shape and type and raises :class:`BadArgumentError`, which the RPC layer
turns into an error for that one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from caos.simulator.transform import Transform

T = TypeVar("T")
Vector = tuple[float, float, float]
Value = Any
"""A decoded msgpack value: numbers, str, bytes, lists, None."""

MAX_U32 = 2**32 - 1
MAX_U64 = 2**64 - 1
MAX_F32 = 3.4028234e38
"""CARLA's numbers are float32; world states are packed as such."""
MAX_PLACE_M = 1e6
MAX_ANGLE_DEG = 1e6
MAX_SPEED_M_S = 1e4
MAX_TURN_DEG_S = 1e5
MAX_GRAVITY_M_S2 = 1e3
MAX_PERIOD_S = 1e6
MAX_LUMENS = 1e7


class BadArgumentError(Exception):
    """A call's argument has the wrong shape or type; the text names it and what was expected."""


def boolean(value: Value) -> bool:
    """Read a bool."""
    if not isinstance(value, bool):
        raise BadArgumentError(f"expected a bool, got {_kind(value)}")
    return value


def integer(value: Value, low: int = -(2**31), high: int = 2**31 - 1) -> int:
    """Read an integer within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadArgumentError(f"expected an integer in {low}..{high}, got {_kind(value)}")
    return value


def u8(value: Value) -> int:
    """Read an 8-bit unsigned integer."""
    return integer(value, 0, 255)


def u16(value: Value) -> int:
    """Read a 16-bit unsigned integer."""
    return integer(value, 0, 2**16 - 1)


def u32(value: Value) -> int:
    """Read a 32-bit unsigned integer."""
    return integer(value, 0, MAX_U32)


def u64(value: Value) -> int:
    """Read a 64-bit unsigned integer."""
    return integer(value, 0, MAX_U64)


def real(value: Value) -> float:
    """Read a finite float32."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -MAX_F32 <= value <= MAX_F32:
        raise BadArgumentError(f"expected a finite number of 32 bits, got {_kind(value)}")
    return float(value)


def between(low: float, high: float) -> Callable[[Value], float]:
    """Return a reader of numbers within bounds."""

    def bounded(value: Value) -> float:
        number = real(value)
        if not low <= number <= high:
            raise BadArgumentError(f"expected a number in {low:g}..{high:g}, got {_kind(value)}")
        return number

    return bounded


place_m = between(-MAX_PLACE_M, MAX_PLACE_M)
angle_deg = between(-MAX_ANGLE_DEG, MAX_ANGLE_DEG)
speed_m_s = between(-MAX_SPEED_M_S, MAX_SPEED_M_S)
turn_deg_s = between(-MAX_TURN_DEG_S, MAX_TURN_DEG_S)
gravity_m_s2 = between(-MAX_GRAVITY_M_S2, MAX_GRAVITY_M_S2)
period_s = between(0.0, MAX_PERIOD_S)
lumens = between(0.0, MAX_LUMENS)


def text(value: Value) -> str:
    """Read a string."""
    if not isinstance(value, str):
        raise BadArgumentError(f"expected a string, got {_kind(value)}")
    return value


def raw(value: Value) -> Value:
    """Return any value unchanged."""
    return value


def listed(value: Value, at_least: int = 0) -> list[Value]:
    """Read an array with a minimum length."""
    if not isinstance(value, (list, tuple)) or len(value) < at_least:
        raise BadArgumentError(f"expected an array of {at_least} or more, got {_kind(value)}")
    return list(value)


def array_of(read: Callable[[Value], T]) -> Callable[[Value], list[T]]:
    """Return a reader of arrays, given a reader of items."""

    def array(value: Value) -> list[T]:
        return [read(item) for item in listed(value)]

    return array


def optional(read: Callable[[Value], T]) -> Callable[[Value], T | None]:
    """Return a reader of ``[false]`` or ``[true, value]``."""

    def maybe(value: Value) -> T | None:
        items = listed(value, 1)
        if not boolean(items[0]):
            return None
        return read(listed(items, 2)[1])

    return maybe


def vector_of(read: Callable[[Value], float]) -> Callable[[Value], Vector]:
    """Return a reader of ``[x, y, z]``, given a reader of each."""

    def three(value: Value) -> Vector:
        x, y, z = (read(v) for v in listed(value, 3)[:3])
        return x, y, z

    return three


vector = vector_of(real)
location = vector_of(place_m)
rotation = vector_of(angle_deg)
velocity = vector_of(speed_m_s)
angular_velocity = vector_of(turn_deg_s)


def transform(value: Value) -> Transform:
    """Read ``[[x, y, z], [pitch, yaw, roll]]``."""
    where, turned = listed(value, 2)[:2]
    return Transform(*location(where), *rotation(turned))


def write_transform(pose: Transform) -> list[list[float]]:
    """Return the wire form of a pose."""
    return [list(pose.location), list(pose.rotation)]


def write_optional(value: float | None) -> list[Value]:
    """Return ``[false]`` or ``[true, value]``."""
    return [False] if value is None else [True, value]


@dataclass(frozen=True)
class ActorDescription:
    """Description of an actor to spawn: a blueprint and the values of its attributes."""

    uid: int
    id: str
    attributes: tuple[tuple[str, int, str], ...]

    @property
    def values(self) -> dict[str, str]:
        """Attribute values by name."""
        return {name: value for name, _, value in self.attributes}

    def write(self) -> list[Value]:
        """Return the wire form."""
        return [self.uid, self.id, [list(attribute) for attribute in self.attributes]]


def description(value: Value) -> ActorDescription:
    """Read ``[uid, id, [[name, type, value], ...]]``."""
    uid, name, attributes = listed(value, 3)[:3]
    return ActorDescription(u32(uid), text(name), tuple(_attribute(item) for item in listed(attributes)))


def _attribute(value: Value) -> tuple[str, int, str]:
    name, kind, content = listed(value, 3)[:3]
    return text(name), u8(kind), text(content)


@dataclass(frozen=True)
class Box:
    """A bounding box in some frame: centre, half extents and, if it is oriented, a rotation (pitch, yaw, roll)."""

    center: Vector = (0.0, 0.0, 0.0)
    extent: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)

    def write(self, actor_id: int = 0) -> list[Value]:
        """Return the wire form."""
        return [list(self.center), list(self.extent), list(self.rotation), actor_id]


@dataclass(frozen=True)
class Settings:
    """CARLA's episode settings, in wire order."""

    synchronous: bool = False
    no_rendering: bool = False
    fixed_delta_s: float | None = None
    substepping: bool = True
    max_substep_delta_s: float = 0.01
    max_substeps: int = 10
    max_culling_distance: float = 0.0
    deterministic_ragdolls: bool = True
    tile_stream_distance: float = 3000.0
    actor_active_distance: float = 2000.0
    spectator_as_ego: bool = True

    def write(self) -> list[Value]:
        """Return the wire form."""
        values = list(self.__dict__.values())
        values[2] = write_optional(self.fixed_delta_s)
        return values


MAX_DELTA_S = 10.0


def settings(value: Value) -> Settings:
    """Read the eleven fields of episode settings.

    A step of more than ``MAX_DELTA_S`` seconds is rejected.
    """
    v = listed(value, 11)
    delta = optional(real)(v[2])
    if delta is not None and not 0.0 <= delta <= MAX_DELTA_S:
        raise BadArgumentError(f"expected fixed_delta_seconds in 0..{MAX_DELTA_S:g}, got {delta}")
    return Settings(
        boolean(v[0]),
        boolean(v[1]),
        # CARLA treats zero as "variable".
        delta or None,
        boolean(v[3]),
        real(v[4]),
        integer(v[5]),
        real(v[6]),
        boolean(v[7]),
        real(v[8]),
        real(v[9]),
        boolean(v[10]),
    )


def fields(value: Value, readers: Sequence[Callable[[Value], Any]]) -> tuple[Any, ...]:
    """Read a struct with one reader per field; surplus fields are ignored, as in CARLA."""
    items = listed(value, len(readers))
    return tuple(read(item) for read, item in zip(readers, items, strict=False))


def _kind(value: Value) -> str:
    shown = repr(value)
    return f"{type(value).__name__} {shown if len(shown) <= 60 else shown[:57] + '...'}"
