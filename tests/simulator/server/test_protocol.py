"""Malformed messages: the server answers with an error or closes that connection, and continues to serve."""

from __future__ import annotations

import socket
import struct
from typing import Any

import carla
import hypothesis
import msgpack
import pytest
from hypothesis import strategies as st

from caos.simulator.embedded.calls.table import CALLS
from caos.simulator.embedded.launch import ServerProcess
from caos.simulator.embedded.protocol.releases import client_release
from caos.simulator.embedded.protocol.rpc import MAX_MESSAGE_BYTES
from caos.simulator.embedded.server import CALL_MODULES

assert CALL_MODULES


class Line:
    """A raw connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self) -> Any:
        while True:
            for message in self._unpacker:
                return message
            chunk = self.socket.recv(65536)
            if not chunk:
                raise EOFError
            self._unpacker.feed(chunk)

    def call(self, method: Any, *arguments: Any, metadata: Any = (False,)) -> Any:
        self.send(msgpack.packb([0, 7, method, [metadata, *arguments]]))
        return self.read()

    def is_closed(self) -> bool:
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True


def alive(server: ServerProcess) -> None:
    with Line(server.port) as line:
        assert line.call("version") == [1, 7, None, [[1, client_release()]]]


def test_answers_are_matched_by_number(server: ServerProcess) -> None:
    with Line(server.port) as line:
        line.send(b"".join(msgpack.packb([0, k, "version", [[False]]]) for k in (5, 9, 2)))
        assert [line.read()[1] for _ in range(3)] == [5, 9, 2]


def test_unknown_method_and_wrong_arguments(server: ServerProcess) -> None:
    with Line(server.port) as line:
        assert "could not find function 'nonsense'" in line.call("nonsense")[2]
        assert "argument count 2" in line.call("version", 1)[2]
        assert "expected" in line.call("get_actors_by_id", "abc")[2]
        assert "expected" in line.call("spawn_actor", [1, "x", []], [[0, 0, float("nan")], [0, 0, 0]])[2]
        assert line.call("version")[3] == [[1, client_release()]]


@pytest.mark.parametrize(
    "data",
    [
        b"\xc1",
        b"GET / HTTP/1.1\r\n\r\n",
        msgpack.packb([0, 1, "version"]),
        msgpack.packb([0, "one", "version", []]),
        msgpack.packb([0, 1, 2, []]),
        msgpack.packb([3, 1, None, None]),
        msgpack.packb({"a": 1}),
        b"\x91" * 3000 + b"\x00",
        b"\xdd\xff\xff\xff\xff",
        b"\xc6" + struct.pack(">I", MAX_MESSAGE_BYTES + 1) + b"x" * 100,
    ],
)
def test_malformed_messages_close_only_their_connection(server: ServerProcess, data: bytes) -> None:
    with Line(server.port) as bystander, Line(server.port) as line:
        line.send(data)
        line.socket.shutdown(socket.SHUT_WR)
        assert line.is_closed()
        assert bystander.call("version")[3] == [[1, client_release()]]


def test_oversized_message_is_cut_off(server: ServerProcess) -> None:
    with Line(server.port) as line:
        line.send(b"\x94\x00\x01\xa7version\x91\xc6" + struct.pack(">I", 2**31))
        block = b"x" * (1 << 20)
        with pytest.raises(OSError):  # noqa: PT011 (reset or broken pipe, as the system likes)
            for _ in range(3 * MAX_MESSAGE_BYTES >> 20):
                line.send(block)
    alive(server)


def test_files_never_leave_their_folder(server: ServerProcess) -> None:
    with Line(server.port) as line:
        (name,) = line.call("get_required_files", "Nav")[3][0][1]
        assert line.call("request_file", name)[3][0][1][:4] == b"TESM"
        for bad in ("/etc/passwd", "../../etc/passwd", name + "/../../../../etc/passwd", "", "Carla/Maps/Nav/"):
            failed, message = line.call("request_file", bad)[3][0]
            assert failed == 0
            assert "not offered" in message[0]
        for folder in ("..", "/", "Nav/../..", "TM"):
            assert line.call("get_required_files", folder)[3] == [[1, []]]


def test_connections_to_unknown_streams_stay_open_and_silent(server: ServerProcess) -> None:
    with Line(server.port) as line:
        token = line.call("get_episode_info")[3][0][1][1][0]
    _, port = struct.unpack("<IH", token[:6])
    for number in (0, 999_999, 2**32 - 1):
        with socket.create_connection(("127.0.0.1", port), timeout=0.3) as stream:
            stream.sendall(struct.pack("<I", number))
            with pytest.raises(TimeoutError):
                stream.recv(1)
    with socket.create_connection(("127.0.0.1", port)) as half_open:
        half_open.sendall(b"\x01")
    alive(server)


_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=8)
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=12,
)
_TAME = sorted(set(CALLS) - {"load_new_episode", "copy_opendrive_to_file", "set_episode_settings"})


@hypothesis.settings(max_examples=150, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.sampled_from(_TAME), st.lists(_VALUES, max_size=6), _VALUES)
def test_any_call_with_any_arguments_is_answered(
    server: ServerProcess, method: str, values: list, metadata: Any
) -> None:
    with Line(server.port) as line:
        answer = line.call(method, *values, metadata=metadata)
        assert answer[:2] == [1, 7]
        assert (answer[2] is None) != (answer[3] is None)
        assert answer[2] is None or not answer[2].startswith("internal error"), answer
        assert line.call("version")[3] == [[1, client_release()]]


_VECTOR = st.lists(st.floats(-1e4, 1e4, width=32), min_size=3, max_size=3)
_POSE = st.tuples(_VECTOR, _VECTOR)
_COMMAND = st.tuples(
    st.integers(0, 25), st.lists(st.integers(0, 60) | _VECTOR | _POSE | st.booleans(), min_size=1, max_size=7)
)


@hypothesis.settings(max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.lists(_COMMAND.map(lambda c: [c]), max_size=6))
def test_any_batch_gives_one_result_per_command(server: ServerProcess, commands: list) -> None:
    with Line(server.port) as line:
        answer = line.call("apply_batch", commands, False)
        assert answer[2] is None
        assert len(answer[3]) == len(commands)


@hypothesis.settings(max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.binary(min_size=1, max_size=400))
def test_random_bytes_do_not_crash_the_server(server: ServerProcess, data: bytes) -> None:
    with Line(server.port) as line:
        line.send(data)
    alive(server)


def test_a_genuine_client_works_after_malformed_messages(client: carla.Client) -> None:
    world = client.get_world()
    assert world.wait_for_tick(60.0).frame > 0
    assert world.get_actors().filter("spectator")
