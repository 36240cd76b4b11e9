"""Limits of the embedded server in one table: what a client may request without affecting others."""

from __future__ import annotations

from caos.simulator.embedded.blueprints import sensors
from caos.simulator.embedded.protocol import rpc, streams, wire
from caos.simulator.embedded.recording import log_file, tape
from caos.simulator.embedded.world_state import opendrive_check, world
from caos.simulator.weather import WEATHER_LIMITS

_MB = 1 << 20


def limits() -> list[tuple[str, str, str]]:
    """Rows of quantity, limit, and consequence of exceeding it."""
    refused, closed = "the call is refused", "the connection is closed"
    return [
        ("a message", f"{rpc.MAX_MESSAGE_BYTES // _MB} MB", closed),
        ("RPC connections", f"{rpc.MAX_CONNECTIONS}", "one without a call is closed, else the longest idle"),
        ("time to the first call", f"{rpc.FIRST_WORD_S:g} s", closed),
        ("time to receive an answer", f"{rpc.SEND_PATIENCE_S} s", closed),
        ("stream connections", f"{streams.MAX_READERS}", "one without an open stream is closed"),
        ("time to name a stream", f"{streams.HANDSHAKE_PATIENCE_S:g} s", closed),
        ("time a synchronous step waits for a reader", f"{streams.READER_PATIENCE_S:g} s", "the reader is dropped"),
        ("queued messages of one reader", f"{streams.QUEUED_BYTES // _MB} MB", "asynchronous: older ones are dropped"),
        ("a location", f"{wire.MAX_PLACE_M:g} m from the origin", refused),
        ("an angle", f"{wire.MAX_ANGLE_DEG:g} degrees", refused),
        ("a speed", f"{wire.MAX_SPEED_M_S:g} m/s", refused),
        ("an angular velocity", f"{wire.MAX_TURN_DEG_S:g} degrees per second", refused),
        ("actors", f"{world.ACTOR_LIMIT}", refused),
        ("a recording", f"{tape.LARGEST // _MB} MB, {log_file.MOST_PACKETS} packets", "it is rejected"),
        ("a step", f"{wire.MAX_DELTA_S:g} s", refused),
        *_of_opendrive(),
        *((f"a sensor's `{name}`", f"{low:g} to {high:g}", refused) for name, (low, high) in sensors.LIMITS.items()),
        *((f"weather, `{name}`", f"{low:g} to {high:g}", "clamped") for name, (low, high) in WEATHER_LIMITS.items()),
    ]


def _of_opendrive() -> list[tuple[str, str, str]]:
    refused = "the document is rejected"
    return [
        ("OpenDRIVE: size", f"{opendrive_check.MAX_BYTES // _MB} MB", refused),
        ("OpenDRIVE: roads", f"{opendrive_check.MAX_ROADS}", refused),
        ("OpenDRIVE: lanes together", f"{opendrive_check.MAX_LANE_KM:g} km", refused),
        ("OpenDRIVE: extent", f"{opendrive_check.MAX_EXTENT_M:g} m", refused),
        ("OpenDRIVE: width of a lane", f"{opendrive_check.MAX_LANE_WIDTH_M:g} m", refused),
        ("OpenDRIVE: reading", f"{opendrive_check.READ_S:g} s, {opendrive_check.MEMORY_BYTES >> 30} GB", refused),
    ]
