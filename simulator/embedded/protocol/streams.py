"""Data streams: a client connects, sends a stream's number, and then only receives length-prefixed messages.

In synchronous mode no message is lost: messages wait for a slow reader, and a step waits for a reader that has received
a token but has not connected yet. In asynchronous mode messages for a busy reader are dropped.
"""

from __future__ import annotations

import collections
import logging
import socket
import struct
import threading
import time
from collections.abc import Sequence

from caos.simulator.embedded.protocol.rpc import BACKLOG, accepted, bound_socket, close_socket

log = logging.getLogger(__name__)

WORLD_STREAM = 1
TCP = 1
QUEUED_BYTES = 24 << 20
SEND_BUFFER_BYTES = 4 << 20
SMALL_MESSAGE_BYTES = 1 << 16
CONNECT_PATIENCE_S = 1.0
READER_PATIENCE_S = 20.0
"""Time that a synchronous step waits for a reader that does not receive, before the reader is dropped."""
FLUSH_PATIENCE_S = 1.0
HANDSHAKE_PATIENCE_S = 30.0
MAX_READERS = 1024
"""Beyond this, a new connection replaces one that has named no stream, or one of a closed stream."""

Buffer = bytes | memoryview
Message = tuple[Buffer, ...]


class _Reader:
    """One subscribed connection and its queue of outgoing messages, bounded in bytes."""

    def __init__(self, connection: socket.socket, stream: int) -> None:
        self.connection, self.stream = connection, stream
        self._messages: collections.deque[Message] = collections.deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._is_sending = False
        self.gone = False

    def drop(self) -> None:
        """Disconnect this reader."""
        with self._changed:
            self.gone = True
            self._messages.clear()
            self._changed.notify_all()
        close_socket(self.connection)

    def offer(self, message: Message, patience_s: float) -> bool:
        """Queue a message, waiting up to ``patience_s`` for room; False if there was none."""
        size = _size(message)
        with self._changed:
            free = self._changed.wait_for(lambda: self.gone or self._has_room(size), patience_s)
            if free and not self.gone:
                self._put(message, size)
            return free

    def replace(self, message: Message) -> None:
        """Queue a message; drop older ones if there is no room."""
        size = _size(message)
        with self._changed:
            while self._messages and not self._has_room(size):
                self._bytes -= _size(self._messages.popleft())
            self._put(message, size)

    def flush(self, patience_s: float) -> None:
        """Wait until all queued messages have been sent, up to ``patience_s``."""
        with self._changed:
            self._changed.wait_for(lambda: self.gone or not (self._messages or self._is_sending), patience_s)

    def pump(self) -> None:
        """Send queued messages until dropped."""
        while (message := self._take()) is not None:
            size = struct.pack("<I", _size(message))
            if _size(message) < SMALL_MESSAGE_BYTES:
                self.connection.sendall(b"".join((size, *message)))
                continue
            self.connection.sendall(size + bytes(message[0]))
            for part in message[1:]:
                self.connection.sendall(part)

    def _has_room(self, size: int) -> bool:
        return not self._messages or self._bytes + size <= QUEUED_BYTES

    def _put(self, message: Message, size: int) -> None:
        self._messages.append(message)
        self._bytes += size
        self._changed.notify_all()

    def _take(self) -> Message | None:
        with self._changed:
            self._is_sending = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.gone or bool(self._messages))
            if self.gone:
                return None
            message = self._messages.popleft()
            self._bytes -= _size(message)
            self._is_sending = True
            self._changed.notify_all()
            return message


def _size(message: Message) -> int:
    return sum(len(part) for part in message)


class StreamServer:
    """Manages tokens, subscriptions and delivery of all streams of a server."""

    def __init__(self, host: str, port: int) -> None:
        self._listener = bound_socket(host, port)
        self.port: int = self._listener.getsockname()[1]
        self._readers: dict[int, list[_Reader]] = collections.defaultdict(list)
        self._silent: dict[socket.socket, None] = {}
        self._open: set[int] = {WORLD_STREAM}
        self._expected: list[tuple[int, float]] = []
        self._changed = threading.Condition()
        self._next_stream = WORLD_STREAM + 1
        self._last_world: Message | None = None
        self._is_held = False
        self._newcomers = 0
        self._closed = False

    def start(self) -> None:
        """Start accepting subscriptions in the background."""
        self._listener.listen(BACKLOG)
        threading.Thread(target=self._accept, name="stream-accept", daemon=True).start()

    def close(self) -> None:
        """Stop accepting, and disconnect all readers."""
        self._closed = True
        close_socket(self._listener)
        with self._changed:
            readers = [reader for group in self._readers.values() for reader in group]
        for reader in readers:
            reader.drop()

    def open_stream(self) -> int:
        """Open a new stream and return its number."""
        with self._changed:
            number = self._next_stream
            self._next_stream += 1
            self._open.add(number)
        return number

    def close_stream(self, stream: int) -> None:
        """Stop sending on a stream.

        Its connections stay open and silent: a client that is still listening would otherwise reconnect again and
        again.
        """
        with self._changed:
            self._open.discard(stream)
            self._expected = [item for item in self._expected if item[0] != stream]
            self._changed.notify_all()

    def token(self, stream: int) -> bytes:
        """The 24-byte token with which a client subscribes; it has no address, which means the server's host."""
        return struct.pack("<IHBB16x", stream, self.port, TCP, 0)

    def expect(self, stream: int) -> None:
        """Record that a client has received a token and is about to connect."""
        with self._changed:
            if stream in self._open:
                self._expected.append((stream, time.monotonic() + CONNECT_PATIENCE_S))

    def settle(self) -> None:
        """Wait until every expected reader has connected, or its second is over."""
        with self._changed:
            while True:
                now = time.monotonic()
                self._expected = [(stream, until) for stream, until in self._expected if until > now]
                if not self._expected:
                    return
                self._changed.wait(max(until for _, until in self._expected) - now)

    def hold_world(self) -> None:
        """Withhold world states until :meth:`release_world`.

        A client that changes to a new episode closes its connection while other threads of it read from there; data
        that arrives then can crash its process.
        """
        with self._changed:
            self._is_held, self._last_world, self._newcomers = True, None, 0

    def wait_for_newcomer(self, patience_s: float) -> None:
        """Wait for a new subscription to the withheld world stream, up to ``patience_s``."""
        with self._changed:
            self._changed.wait_for(lambda: self._newcomers > 0 or self._closed, patience_s)

    def release_world(self) -> None:
        """Resume sending world states."""
        with self._changed:
            self._is_held = False

    def has_readers(self, stream: int) -> bool:
        """Whether a stream has subscribers."""
        with self._changed:
            return stream in self._open and bool(self._readers.get(stream))

    @property
    def readers(self) -> int:
        """Number of connected subscriptions."""
        with self._changed:
            return sum(len(group) for group in self._readers.values())

    def send(self, stream: int, message: Sequence[Buffer], *, lossless: bool) -> None:
        """Pass a message to all readers of a stream.

        World states never wait: a reader that is far behind misses old ones. Other messages wait for their readers if
        they are lossless, and are dropped for a reader that is behind if they are not.
        """
        parts = tuple(message)
        with self._changed:
            if stream == WORLD_STREAM:
                if self._is_held:
                    return
                self._last_world = parts
            readers = list(self._readers.get(stream, ())) if stream in self._open else []
        for reader in readers:
            if stream == WORLD_STREAM:
                reader.replace(parts)
            elif not reader.offer(parts, READER_PATIENCE_S if lossless else 0.0) and lossless:
                log.warning("dropped a reader of stream %d that does not receive", stream)
                reader.drop()

    def flush(self, stream: int) -> None:
        """Wait until the messages of a stream have been sent to its readers, up to one second."""
        with self._changed:
            readers = list(self._readers.get(stream, ()))
        for reader in readers:
            reader.flush(FLUSH_PATIENCE_S)

    def _accept(self) -> None:
        for connection in accepted(self._listener, lambda: self._closed, self._make_room):
            with self._changed:
                full = len(self._silent) + sum(map(len, self._readers.values())) >= MAX_READERS
            if full:
                self._make_room()
            with self._changed:
                self._silent[connection] = None
            threading.Thread(target=self._serve, args=(connection,), name="stream", daemon=True).start()

    def _make_room(self) -> None:
        """Close the least useful connection: one without a stream, else one of a closed stream, else any."""
        with self._changed:
            connection = next(iter(self._silent), None)
            readers = [reader for group in self._readers.values() for reader in group]
            readers.sort(key=lambda reader: (reader.stream in self._open, reader.stream == WORLD_STREAM))
        if connection is not None:
            close_socket(connection)
            with self._changed:
                self._silent.pop(connection, None)
        elif readers:
            readers[0].drop()
            self._unsubscribe(readers[0])

    def _serve(self, connection: socket.socket) -> None:
        reader = None
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            connection.settimeout(HANDSHAKE_PATIENCE_S)
            stream = _read_stream_number(connection)
            if stream is None:
                return
            connection.settimeout(None)
            reader = _Reader(connection, stream)
            self._subscribe(reader)
            threading.Thread(target=_watch, args=(reader,), name="stream-watch", daemon=True).start()
            reader.pump()
        except OSError:
            pass
        finally:
            if reader is not None:
                self._unsubscribe(reader)
            with self._changed:
                self._silent.pop(connection, None)
            close_socket(connection)

    def _subscribe(self, reader: _Reader) -> None:
        with self._changed:
            self._silent.pop(reader.connection, None)
            self._readers[reader.stream].append(reader)
            self._newcomers += reader.stream == WORLD_STREAM
            announced = next((item for item in self._expected if item[0] == reader.stream), None)
            if announced is not None:
                self._expected.remove(announced)
            # A client that subscribes between two steps would otherwise have no world state until the next one.
            if reader.stream == WORLD_STREAM and self._last_world is not None:
                reader.replace(self._last_world)
            self._changed.notify_all()

    def _unsubscribe(self, reader: _Reader) -> None:
        reader.drop()
        with self._changed:
            group = self._readers.get(reader.stream, [])
            if reader in group:
                group.remove(reader)
            if not group:
                self._readers.pop(reader.stream, None)


def _read_stream_number(connection: socket.socket) -> int | None:
    received = b""
    while len(received) < 4:
        chunk = connection.recv(4 - len(received))
        if not chunk:
            return None
        received += chunk
    number: int = struct.unpack("<I", received)[0]
    return number


def _watch(reader: _Reader) -> None:
    """Detect that a client has closed its side; it sends nothing after the handshake."""
    try:
        while reader.connection.recv(4096):
            pass
    except OSError:
        pass
    reader.drop()
