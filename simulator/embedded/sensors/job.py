"""Sensor jobs: one measurement of one sensor in one frame, with the inputs it needs."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from caos.simulator.embedded.protocol.wire import Vector
from caos.simulator.embedded.world_state.actors import Sensor
from caos.simulator.embedded.world_state.shared_renderer import Snapshot
from caos.simulator.transform import Transform

COLLISION, DEPTH, NORMALS, EVENTS, GNSS, IMU, OBSTACLE, FLOW, RADAR = 0, 1, 2, 3, 4, 5, 7, 8, 9
SEMANTIC_LIDAR, LIDAR, RGB, SEMANTIC, INSTANCE, COSMOS = 10, 11, 13, 14, 15, 16
_HEADER = struct.Struct("<QQd6f")


@dataclass(frozen=True, eq=False)
class SensorJob:
    """One sensor's measurement in one frame.

    Attributes:
        sensor: The sensor; after the step only its attributes, generator and memory are used.
        values: Its attribute values.
        pose: Its world pose in this frame.
        frame: CARLA's frame number.
        time_s: Simulation time in seconds.
        delta_s: Duration of the step.
        parent_velocity: World velocity of the actor that carries it.
    """

    sensor: Sensor
    values: Mapping[str, str]
    pose: Transform
    frame: int
    time_s: float
    delta_s: float
    parent_velocity: Vector = (0.0, 0.0, 0.0)
    parent_angular_velocity: Vector = (0.0, 0.0, 0.0)

    def number(self, name: str) -> float:
        """Return an attribute as a number."""
        return float(self.values[name].rstrip("f"))

    def header(self, kind: int) -> bytes:
        """Return the 48-byte header of a measurement."""
        return header(kind, self.frame, self.time_s, self.pose)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """State of a frame that sensors may use.

    Attributes:
        snapshot: Snapshot for rendering and ray casts.
        velocities: World velocities of actors by instance id.
        records: Actor records in wire form by instance id.
    """

    snapshot: Snapshot
    velocities: Mapping[int, Vector]
    records: Mapping[int, list[Any]]


def header(kind: int, frame: int, time_s: float, pose: Transform | None = None) -> bytes:
    """Return the 48-byte header of a stream message."""
    place = (0.0,) * 6 if pose is None else (*pose.location, *pose.rotation)
    return _HEADER.pack(kind, frame, time_s, *place)
