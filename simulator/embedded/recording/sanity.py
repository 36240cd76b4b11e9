"""Validation of recordings before replay: a non-finite value would stop the world for all clients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from caos.simulator.embedded.protocol.wire import MAX_ANGLE_DEG, MAX_PERIOD_S, MAX_PLACE_M, MAX_SPEED_M_S
from caos.simulator.embedded.recording.log_file import CM, LogFile, LogFrame, Packet, RecordingError

LARGEST: Final = {
    "location": MAX_PLACE_M * CM,
    "rotation": MAX_ANGLE_DEG,
    "speed": MAX_SPEED_M_S,
    "elapsed": MAX_PERIOD_S,
    "steer": 1e3,
    "throttle": 1e3,
    "brake": 1e3,
}
"""Limits of the replayed numbers, by their names in records."""
PLAYED: Final = (Packet.POSITION, Packet.VEHICLE, Packet.WALKER, Packet.STATE)


def check_recording(recording: LogFile) -> None:
    """Check all numbers that would be replayed.

    Raises:
        RecordingError: If one is not finite, or larger than a client may send; the message names frame and value.
    """
    for frame in recording.frames:
        for name, values in _numbers(frame):
            wrong = ~(np.abs(values) <= LARGEST[name])
            if wrong.any():
                problem = f"{name} {values[wrong].flat[0]:g} is outside +-{LARGEST[name]:g}"
                raise RecordingError(f"File cannot be played: frame {frame.number}: {problem}")


def _numbers(frame: LogFrame) -> Iterator[tuple[str, np.ndarray]]:
    yield "elapsed", np.array([frame.elapsed_s if math.isfinite(frame.elapsed_s) else math.nan])
    for kind in PLAYED:
        rows = frame.records(kind)
        for name in LARGEST.keys() & set(rows.dtype.names or ()):
            yield name, rows[name]
    for event in frame.added():
        yield "location", np.array(event.location)
        yield "rotation", np.array(event.rotation)
