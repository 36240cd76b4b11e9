"""Storm over the embedded server: fuzzed messages on both ports and idle connections, a genuine client working beside.

Every call of the table is fuzzed, with arguments in the shape its readers want or in none: a new call is covered
without an edit. The genuine client runs in a process of its own; that it goes on getting frames and pictures, and
that the server's memory stays flat, is what is counted.
"""

from __future__ import annotations

import json
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack

from caos.simulator.embedded.calls.table import CALLS
from caos.simulator.embedded.launch import ServerProcess
from caos.simulator.embedded.server import CALL_MODULES
from tests.faults.odd_recordings import odd_recording
from tests.simulator.server.test_faults import resident_mb
from tests.simulator.server.test_protocol import Line

assert CALL_MODULES

BATCH = 50
SLICE = 2_000
"""Messages between two looks at the genuine client."""
PATIENCE_S = 60.0
GROWTH_MB = 20.0
"""What the server may take more in the last quarter of the looks at it than in the one before: see :func:`growth`."""
NOT_FUZZED = {"load_new_episode", "copy_opendrive_to_file", "set_episode_settings", "destroy_actor"}
"""Calls that may end what the genuine client works on: they change the world for everybody, as they should."""
ODD_NUMBERS = (0, 1, -1, 0.5, 3e38, -3e38, 1e300, 2**31, 2**32, 2**63, -(2**63), float("nan"), float("inf"))
ODD_TEXTS = ("", "x" * 3000, "../../etc/passwd", "\x00", "vehicle.tesla.model3", "sensor.camera.rgb", "{}%s", "²")
BLUEPRINTS = (*ODD_TEXTS[-4:-2], "walker.pedestrian.0001", "sensor.lidar.ray_cast", "sensor.other.gnss", "x.y")
ATTRIBUTES = ("image_size_x", "fov", "sensor_tick", "range", "channels", "role_name", "speed", "gamma", "nonsense")
GENUINE = Path(__file__).with_name("genuine_client.py")


class GenuineClient:
    """A client in a process of its own, that says after each round how many frames and pictures it has had."""

    def __init__(self, port: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(GENUINE), str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def round(self, kept: Sequence[int] = ()) -> bool:
        """Whether it gets a new frame, a new picture and an answer; of actors only its own and these stay, if any."""
        if self._process.poll() is not None or self._process.stdin is None or self._process.stdout is None:
            return False
        self._process.stdin.write(f"{' '.join(map(str, kept))}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip() == "well"

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


class Fuzzer:
    """Messages for a server, by seed."""

    def __init__(self, server: ServerProcess, seed: int = 0) -> None:
        self._server, self._rng = server, random.Random(seed)
        self._names = sorted(set(CALLS) - NOT_FUZZED)
        self.ids = self._spawn()
        self.found: set[str] = set()
        self._left: list[int] = []
        self._folder = tempfile.TemporaryDirectory()
        self._recording = Path(self._folder.name) / "odd.log"

    def _spawn(self) -> list[int]:
        """Actors that the messages may name; by a client that goes away, so that nobody else holds them."""
        found = subprocess.run(
            [sys.executable, str(GENUINE), str(self._server.port), "--spawn"],
            capture_output=True,
            text=True,
            check=True,
        )
        ids: list[int] = json.loads(found.stdout)
        return ids

    def calls(self, count: int) -> int:
        """Send so many calls over one connection, and read what is answered; how many were answered as they should be.

        An internal error is no answer. What was spawned is destroyed again, after a time-out by the next call.
        """
        answers: list[Any] = []
        asked = b""
        self._recording.write_bytes(odd_recording(self._rng))
        with Line(self._server.port) as line:
            line.socket.settimeout(PATIENCE_S)
            try:
                while len(answers) < count:
                    batch = [self._message(len(answers) + k) for k in range(min(BATCH, count - len(answers)))]
                    line.send(b"".join(batch))
                    for message in batch:
                        asked = message
                        answers.append(line.read())
            except TimeoutError as late:
                raise TimeoutError(f"to {_shown(asked)}") from late
            finally:
                self._left += _spawned(answers)
            while self._left:
                line.call("destroy_actor", self._left[-1])
                self._left.pop()
        internal = [error for _, _, error, _ in answers if error is not None and "internal error" in str(error)]
        self.found |= set(internal)
        return len(answers) - len(internal)

    def noise(self, count: int) -> None:
        """Open connections on both ports that send bytes nobody can read."""
        ports = [self._server.port, stream_port(self._server)]
        for number in range(count):
            data = self._rng.randbytes(self._rng.choice([1, 3, 4, 5, 64, 2000]))
            with socket.create_connection(("127.0.0.1", ports[number % 2]), timeout=PATIENCE_S) as connection:
                connection.sendall(data)

    def _message(self, number: int) -> bytes:
        call = CALLS[self._rng.choice(self._names)]
        if self._rng.random() < 0.2:
            arguments = [self._any() for _ in range(self._rng.randrange(5))]
        else:
            arguments = [self._shaped(reader.__name__) for reader in call.readers]
        return msgpack.packb([0, number, call.name, [[False], *arguments]], unicode_errors="surrogatepass")

    def _shaped(self, reader: str) -> Any:
        pick = self._rng.random()
        if pick < 0.15:
            return self._any()
        shapes: dict[str, Callable[[], Any]] = {
            "u32": self._id,
            "three": self._vector,
            "boolean": lambda: self._rng.random() < 0.5,
            "text": lambda: self._rng.choice((*ODD_TEXTS, str(self._recording))),
            "transform": self._pose,
            "description": self._description,
            "array": lambda: [self._id() for _ in range(self._rng.randrange(5))],
            **dict.fromkeys(("real", "bounded", "u8", "u16"), self._number),
        }
        return shapes.get(reader, self._record)()

    def _pose(self) -> list[list[float]]:
        return [self._vector(), self._vector()]

    def _description(self) -> list[Any]:
        named = [[name, self._rng.randrange(6), str(self._number())] for name in self._rng.sample(ATTRIBUTES, 2)]
        return [self._rng.getrandbits(16), self._rng.choice(BLUEPRINTS), named]

    def _record(self) -> list[Any]:
        kinds = [self._number, self._vector, self._id, self._pose, self._command]
        return [self._rng.choice(kinds)() for _ in range(self._rng.randrange(18))]

    def _command(self) -> list[Any]:
        """One of a batch: its kind, an actor, and what is done to it."""
        made = [self._id(), self._rng.choice([self._vector, self._pose, self._number])()]
        return [[self._rng.choice([0, *range(2, 26)]), made]]

    def _id(self) -> int:
        return self._rng.choice(self.ids) if self._rng.random() < 0.7 else int(self._rng.getrandbits(32))

    def _number(self) -> float:
        return self._rng.choice(ODD_NUMBERS) if self._rng.random() < 0.4 else self._rng.uniform(-200.0, 200.0)

    def _vector(self) -> list[float]:
        return [self._number() for _ in range(3)]

    def _any(self, depth: int = 0) -> Any:
        made = self._rng.randrange(7 if depth < 3 else 5)
        if made == 5:
            return [self._any(depth + 1) for _ in range(self._rng.randrange(4))]
        if made == 6:
            return {self._rng.choice(ODD_TEXTS[:3]): self._any(depth + 1)}
        return (None, True, self._rng.choice(ODD_NUMBERS), self._rng.choice(ODD_TEXTS), self._rng.randbytes(5))[made]


def _shown(message: bytes) -> str:
    """A call and its arguments, as far as a line has room."""
    _, _, name, arguments = msgpack.unpackb(message, unicode_errors="surrogatepass", strict_map_key=False)
    return f"{name} {arguments[1:]!r}"[:300]


def _spawned(answers: list[Any]) -> Iterator[int]:
    """The numbers of the actors in answers to spawning: the only ones whose value begins with a number and a name."""
    for _, _, error, result in answers:
        value = result[0][1] if error is None and isinstance(result, list) and result and len(result[0]) == 2 else None
        if isinstance(value, list) and len(value) > 3 and isinstance(value[0], int) and isinstance(value[2], list):
            yield value[0]


def stream_port(server: ServerProcess) -> int:
    """The port of a server's streams."""
    with Line(server.port) as line:
        token = line.call("get_episode_info")[3][0][1][1][0]
    return int(struct.unpack("<IH", token[:6])[1])


def slices(count: int) -> Iterator[int]:
    """A number in pieces of at most :data:`SLICE`."""
    while count > 0:
        yield min(SLICE, count)
        count -= SLICE


def idle_connections(server: ServerProcess, count: int) -> list[socket.socket]:
    """Connections on both ports; every third has sent the first byte of a request and will not send the next."""
    ports = [server.port, stream_port(server)]
    made = [socket.create_connection(("127.0.0.1", ports[number % 2])) for number in range(count)]
    for connection in made[::3]:
        connection.sendall(b"\x94")
    return made


@dataclass(frozen=True)
class Fuzzed:
    """What became of messages.

    Attributes:
        sent: Messages.
        answered: Those answered, with a result or a refusal.
        well: Those after which the genuine client went on.
        growth_mb: What the server's memory grew by, see :func:`growth`.
        found: Internal errors, each once.
    """

    sent: int
    answered: int
    well: int
    growth_mb: float
    found: frozenset[str]


def fuzz(server: ServerProcess, count: int, has_time: Callable[[], bool]) -> Fuzzed:
    """Send so many messages, while there is time."""
    genuine, fuzzer = GenuineClient(server.port), Fuzzer(server)
    sent = answered = well = 0
    resident: list[float] = []
    try:
        for piece in slices(count):
            if not has_time() or not server.is_running:
                break
            sent += piece
            answered += _answered(fuzzer, piece)
            fuzzer.noise(10)
            well += piece * genuine.round(fuzzer.ids)
            resident.append(resident_mb(server.pid))
        return Fuzzed(sent, answered, well, growth(resident), frozenset(fuzzer.found))
    finally:
        genuine.close()


def growth(resident: Sequence[float]) -> float:
    """By how much memory still grows: the median of the last quarter of the looks less that of the quarter before.

    A cache that fills and an allocator's pools grow early on and then no more; what leaks grows with every message, and
    by as much in the last quarter as in any other.
    """
    quarter = max(1, len(resident) // 4)
    before, last = resident[-2 * quarter : -quarter], resident[-quarter:]
    return statistics.median(last) - statistics.median(before) if before else 0.0


def _answered(fuzzer: Fuzzer, count: int) -> int:
    try:
        return fuzzer.calls(count)
    except (OSError, EOFError) as error:
        fuzzer.found.add(f"no answer: {error!r}")
        return 0


def crowd(server: ServerProcess, count: int) -> tuple[bool, float]:
    """Whether a genuine client works while so many connections sit idle, and how long it took to answer."""
    idle = idle_connections(server, count)
    genuine = GenuineClient(server.port)
    begun = time.monotonic()
    try:
        return genuine.round(), time.monotonic() - begun
    finally:
        genuine.close()
        for connection in idle:
            connection.close()
