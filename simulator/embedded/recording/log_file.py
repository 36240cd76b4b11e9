"""Recorder files in the binary format of CARLA's recorder: packets of an id, a size and little-endian records.

Lengths are centimetres and rotations roll, pitch, yaw in degrees, as in Unreal; files are interchangeable with those of
a real server.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.protocol.wire import ActorDescription
from caos.simulator.transform import Transform

MAGIC = "CARLA_RECORDER"
VERSIONS = {0: 1, 1: 2}
"""File version by the number of the first attribute type, which changed with 0.9.16."""
CM = 100.0
NOBODY = 0xFFFFFFFF
"""Actor id that stands for an object of the town."""
UNKNOWN_DURATION_S = -1.0
MOST_PACKETS = 2_000_000
"""Limit on packets per file (hours of recording): each takes memory and time, however small it is."""


FRAME_START_BYTES = 24


class Packet(enum.IntEnum):
    """Packet types that are written or read here."""

    FRAME_START = 0
    FRAME_END = 1
    EVENT_ADD = 2
    EVENT_DEL = 3
    EVENT_PARENT = 4
    COLLISION = 5
    POSITION = 6
    STATE = 7
    VEHICLE = 8
    WALKER = 9
    VEHICLE_LIGHT = 10
    KINEMATICS = 12
    BOUNDING_BOX = 13
    PLATFORM_TIME = 14
    LIGHT_TIME = 16
    TRIGGER_VOLUME = 17
    VISUAL_TIME = 20


_THREE = "(3,)<f4"
_COLUMNS: dict[Packet, list[tuple[str, str]]] = {
    Packet.EVENT_DEL: [],
    Packet.EVENT_PARENT: [("parent", "<u4")],
    Packet.COLLISION: [("first", "<u4"), ("second", "<u4"), ("first_hero", "?"), ("second_hero", "?")],
    Packet.POSITION: [("location", _THREE), ("rotation", _THREE)],
    Packet.STATE: [("frozen", "?"), ("elapsed", "<f4"), ("state", "i1")],
    Packet.VEHICLE: [("steer", "<f4"), ("throttle", "<f4"), ("brake", "<f4"), ("hand_brake", "?"), ("gear", "<i4")],
    Packet.WALKER: [("speed", "<f4")],
    Packet.VEHICLE_LIGHT: [("lights", "<u4")],
    Packet.KINEMATICS: [("velocity", _THREE), ("angular_velocity", _THREE)],
    Packet.BOUNDING_BOX: [("origin", _THREE), ("extent", _THREE)],
    Packet.TRIGGER_VOLUME: [("origin", _THREE), ("extent", _THREE)],
    Packet.LIGHT_TIME: [("green", "<f4"), ("yellow", "<f4"), ("red", "<f4")],
}
RECORDS = {kind: np.dtype([("id", "<u4"), *columns]) for kind, columns in _COLUMNS.items()}
"""Record types of packets with fixed-size records; other packets have their own readers."""


class RecordingError(Exception):
    """An invalid recording; the text is CARLA's."""


@dataclass(frozen=True)
class LogHead:
    """File header."""

    version: int
    date: int
    map_name: str

    def write(self) -> bytes:
        """Return the header's bytes."""
        return struct.pack("<H", self.version) + _text(MAGIC) + struct.pack("<q", self.date) + _text(self.map_name)


@dataclass(frozen=True)
class ActorEvent:
    """Appearance of an actor: id, CARLA's number of its kind, pose, and description."""

    id: int
    kind: int
    location: tuple[float, float, float]
    rotation: tuple[float, float, float]
    description: ActorDescription

    def write(self) -> bytes:
        """Return the event's bytes."""
        d = self.description
        head = struct.pack("<IB6fI", self.id, self.kind, *self.location, *self.rotation, d.uid)
        attributes = [
            struct.pack("<B", kind) + _text(name) + _text(value) for name, kind, value in d.attributes if name
        ]
        return head + _text(d.id) + struct.pack("<H", len(attributes)) + b"".join(attributes)


@dataclass
class LogFrame:
    """One frame: number, time, duration, and packets."""

    number: int
    elapsed_s: float
    duration_s: float = UNKNOWN_DURATION_S
    packets: dict[int, memoryview] = field(default_factory=dict)

    def records(self, kind: Packet) -> NDArray[np.void]:
        """Records of a packet; empty if the frame does not have it."""
        data = self.packets.get(kind)
        if data is None or len(data) < 2:
            return np.zeros(0, RECORDS[kind])
        wanted, there = struct.unpack_from("<H", data)[0], (len(data) - 2) // RECORDS[kind].itemsize
        return np.frombuffer(data, RECORDS[kind], min(wanted, there), 2)

    def added(self) -> list[ActorEvent]:
        """Actors that appear in this frame."""
        data = self.packets.get(Packet.EVENT_ADD)
        return list(_read_events(data)) if data is not None else []


@dataclass(frozen=True)
class LogFile:
    """The content of a recording."""

    head: LogHead
    frames: list[LogFrame]

    @property
    def duration_s(self) -> float:
        """Start time of the last frame."""
        return self.frames[-1].elapsed_s if self.frames else 0.0


def pose_of(location: Sequence[float], rotation: Sequence[float]) -> Transform:
    """Return the pose of a record."""
    (x, y, z), (roll, pitch, yaw) = (map(float, values) for values in (location, rotation))
    return Transform(x / CM, y / CM, z / CM, pitch, yaw, roll)


def record_place(pose: Transform) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return location and rotation of a pose in the units of records."""
    return (pose.x * CM, pose.y * CM, pose.z * CM), (pose.roll_deg, pose.pitch_deg, pose.yaw_deg)


def packet(kind: Packet, body: bytes) -> bytes:
    """Return the bytes of a packet."""
    return struct.pack("<BI", kind, len(body)) + body


def record_packet(kind: Packet, rows: Iterable[tuple[Any, ...]]) -> bytes:
    """Return a packet of fixed-size records."""
    records = np.array(list(rows)[:0xFFFF], RECORDS[kind])
    return packet(kind, struct.pack("<H", len(records)) + records.tobytes())


def event_packet(events: Sequence[ActorEvent]) -> bytes:
    """Return the packet of actors that appear."""
    return packet(Packet.EVENT_ADD, struct.pack("<H", len(events)) + b"".join(event.write() for event in events))


def frame_start(number: int, duration_s: float, elapsed_s: float) -> bytes:
    """Return the packet that starts a frame."""
    return packet(Packet.FRAME_START, struct.pack("<Qdd", number, duration_s, elapsed_s))


def read_recording(data: bytes) -> LogFile:
    """Parse all frames of a file; a truncated file ends with its last complete packet.

    Raises:
        RecordingError: If it is not a recording, or has too many packets.
    """
    try:
        version, (magic, at) = struct.unpack_from("<H", data)[0], _read_text(data, 2)
        date, (map_name, start) = struct.unpack_from("<q", data, at)[0], _read_text(data, at + 8)
    except (struct.error, UnicodeDecodeError) as error:
        raise RecordingError("File is not a CARLA recorder") from error
    if magic != MAGIC:
        raise RecordingError("File is not a CARLA recorder")
    frames: list[LogFrame] = []
    for count, (kind, body) in enumerate(_packets(memoryview(data)[start:])):
        if count == MOST_PACKETS:
            raise RecordingError(f"File has more than {MOST_PACKETS} packets")
        if kind == Packet.FRAME_START:
            if len(body) < FRAME_START_BYTES:
                break
            number, duration_s, elapsed_s = struct.unpack_from("<Qdd", body)
            frames.append(LogFrame(number, elapsed_s, duration_s))
        elif frames:
            frames[-1].packets[kind] = body
    return LogFile(LogHead(version, date, map_name), frames)


def _packets(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    at = 0
    while at + 5 <= len(data):
        kind, size = struct.unpack_from("<BI", data, at)
        if at + 5 + size > len(data):
            return
        yield kind, data[at + 5 : at + 5 + size]
        at += 5 + size


def _read_events(data: memoryview) -> Iterator[ActorEvent]:
    try:
        (count,), at = struct.unpack_from("<H", data), 2
        for _ in range(count):
            number, kind, *pose, uid = struct.unpack_from("<IB6fI", data, at)
            name, at = _read_text(data, at + 33)
            (total,), at = struct.unpack_from("<H", data, at), at + 2
            attributes = []
            for _ in range(total):
                type_number = data[at]
                title, at = _read_text(data, at + 1)
                value, at = _read_text(data, at)
                attributes.append((title, type_number, value))
            place, turn = (pose[0], pose[1], pose[2]), (pose[3], pose[4], pose[5])
            yield ActorEvent(number, kind, place, turn, ActorDescription(uid, name, tuple(attributes)))
    except (struct.error, IndexError, UnicodeDecodeError):
        return


def _text(value: str) -> bytes:
    encoded = value.encode()[:0x7FFF]
    return struct.pack("<H", len(encoded)) + encoded


def _read_text(data: bytes | memoryview, at: int) -> tuple[str, int]:
    length = struct.unpack_from("<H", data, at)[0]
    encoded = bytes(data[at + 2 : at + 2 + length])
    if len(encoded) < length:
        raise struct.error("the text ends early")
    return encoded.decode(), at + 2 + length
