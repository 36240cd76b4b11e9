"""Recordings that no recorder would write: numbers of every size, actors of every kind, ids and parents at will."""

from __future__ import annotations

import random

from caos.simulator.embedded.protocol.wire import ActorDescription
from caos.simulator.embedded.recording.log_file import (
    ActorEvent,
    LogHead,
    Packet,
    event_packet,
    frame_start,
    record_packet,
)

NUMBERS = (0.0, -1.0, 3e38, -3e38, float("nan"), float("inf"), 1e-40)
KINDS = (
    "vehicle.tesla.model3", "walker.pedestrian.0002", "sensor.camera.rgb", "sensor.lidar.ray_cast", "spectator",
    "static.trigger.friction", "static.prop.barrel", "traffic.traffic_light", "controller.ai.walker", "x.y", "",
)  # fmt: skip
IDS = (0, 1, 24, 900, 901, 0xFFFF, 0x10000, 2**31, 2**32 - 1)
FRAMES = 8


def odd_recording(rng: random.Random) -> bytes:
    """A recording; one in three has only numbers that may be played, one in three some bytes changed."""
    odd = 0.0 if rng.random() < 1 / 3 else 0.2
    head = LogHead(2, 0, "OpenDriveMap").write()
    data = bytearray(head + b"".join(_frame(rng, number, odd) for number in range(FRAMES)))
    for _ in range(8 if rng.random() < 1 / 3 else 0):
        data[rng.randrange(len(head), len(data))] = rng.randrange(256)
    return bytes(data)


def _frame(rng: random.Random, number: int, odd: float) -> bytes:
    def real(large: float = 3000.0) -> float:
        return rng.choice(NUMBERS) if rng.random() < odd else rng.uniform(-large, large)

    def three() -> tuple[float, float, float]:
        return real(), real(), real()

    def one() -> int:
        return rng.choice(IDS)

    named = (("fstop", 4, str(real())), ("role_name", 4, "hero"), ("extent_x", 4, str(real())))
    events = [
        ActorEvent(one(), rng.randrange(256), three(), three(), ActorDescription(0, rng.choice(KINDS), named[:k]))
        for k in range(rng.randrange(4))
    ]
    return b"".join(
        (
            frame_start(number, 0.05, rng.choice(NUMBERS) if rng.random() < odd / 10 else 0.05 * number),
            event_packet(events),
            record_packet(Packet.EVENT_PARENT, [(one(), one())] * rng.randrange(2)),
            record_packet(Packet.POSITION, [(one(), three(), three()) for _ in range(3)]),
            record_packet(Packet.VEHICLE, [(one(), real(1), real(1), real(1), True, rng.randrange(-9, 9))]),
            record_packet(Packet.WALKER, [(one(), real(9))]),
            record_packet(Packet.STATE, [(one(), True, real(), rng.randrange(-128, 128))]),
            record_packet(Packet.EVENT_DEL, [(one(),)] * rng.randrange(2)),
        )
    )
