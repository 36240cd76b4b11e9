"""Sensors of position and motion: GNSS and IMU."""

from __future__ import annotations

import math

import msgpack
import numpy as np

from caos.simulator.embedded.protocol.streams import Message
from caos.simulator.embedded.protocol.wire import Vector
from caos.simulator.embedded.sensors.job import GNSS, IMU, SensorJob
from caos.simulator.embedded.world_state.road_facts import RoadFacts

GRAVITY = 9.81
NORTH: Vector = (0.0, -1.0, 0.0)


def locate(job: SensorJob, roads: RoadFacts) -> Message:
    """Measure a GNSS position with CARLA's noise."""
    rng = job.sensor.rng
    assert rng is not None
    fix = [
        true + job.number(f"noise_{axis}_bias") + rng.normal(0.0, abs(job.number(f"noise_{axis}_stddev")))
        for true, axis in zip(roads.geolocation(job.pose.location), ("lat", "lon", "alt"), strict=True)
    ]
    return job.header(GNSS), msgpack.packb(fix, use_bin_type=True)


def feel(job: SensorJob, gravity: float = GRAVITY) -> Message:
    """Measure an IMU's acceleration, angular velocity and compass.

    Acceleration is the second difference of the sensor's last three positions, as in CARLA; it is zero until there are
    three.
    """
    rng = job.sensor.rng
    assert rng is not None
    memory, here = job.sensor.memory, np.array(job.pose.location)
    past: list[tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], float]] = memory.setdefault("places", [])
    acceleration = np.zeros(3)
    if len(past) == 2:
        (oldest, _), (middle, step) = past
        now = job.delta_s
        acceleration = 2.0 * (oldest / (step * (step + now)) - middle / (now * step) + here / (now * (step + now)))
    memory["places"] = [*past[-1:], (here, job.delta_s)]
    turn = job.pose.matrix[:3, :3]
    local = turn.T @ (acceleration + np.array([0.0, 0.0, gravity]))
    relative = job.sensor.relative.matrix[:3, :3] if job.sensor.relative is not None else np.eye(3)
    rates = relative @ np.radians(job.parent_angular_velocity)
    felt = [
        float(v + rng.normal(0.0, abs(job.number(f"noise_accel_stddev_{a}"))))
        for v, a in zip(local, "xyz", strict=True)
    ]
    turned = [
        float(v + job.number(f"noise_gyro_bias_{a}") + rng.normal(0.0, abs(job.number(f"noise_gyro_stddev_{a}"))))
        for v, a in zip(rates, "xyz", strict=True)
    ]
    return job.header(IMU), msgpack.packb([felt, turned, _compass(turn[:, 0])], use_bin_type=True)


def _compass(forward: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Compass heading in radians clockwise from north, in 0..2 pi."""
    angle = math.atan2(forward[1], forward[0]) - math.atan2(NORTH[1], NORTH[0])
    return angle % (2 * math.pi)
