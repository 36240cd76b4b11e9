"""RPC server: msgpack over TCP as CARLA's clients use it, with one thread per connection and calls served in order.

A client's mistake costs that client an error or its connection, never the server: bytes that cannot be decoded close
the connection, calls that cannot be served are answered with an RPC error.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgpack

log = logging.getLogger(__name__)

MAX_MESSAGE_BYTES = 64 << 20
"""Size limit of a request. OpenDRIVE texts of whole cities are about 20 MB."""
MAX_CONNECTIONS = 1024
"""Beyond this, a new connection replaces one that never made a call, or else the longest idle one."""
FIRST_WORD_S = 600.0
"""Timeout for a connection's first complete request."""
SEND_PATIENCE_S = 60
"""Send timeout for a client that does not read its answer."""
RECEIVE_BYTES = 1 << 18
BACKLOG = 256
OUT_OF_DESCRIPTORS_S = 0.1
REQUEST = 0
NOTIFICATION = 2

Handler = Callable[[str, list[Any]], Any]


class RpcError(Exception):
    """A call that cannot be served; the text is sent in the protocol's error field."""


class ProtocolError(Exception):
    """Bytes that are not msgpack-RPC; closes the connection."""


@dataclass(frozen=True)
class Later:
    """A deferred answer: ``work`` computes it in another thread, and the connection serves other calls meanwhile."""

    work: Callable[[], Any]


@dataclass(eq=False)
class _Connection:
    """A connection, the number of its calls, and the time of the last one."""

    connection: socket.socket
    sending: threading.Lock = field(default_factory=threading.Lock)
    calls: int = 0
    last: float = field(default_factory=time.monotonic)

    @property
    def has_asked(self) -> bool:
        return self.calls > 0


class RpcServer:
    """Accepts connections and passes each decoded call to ``handler(method, arguments)``."""

    def __init__(self, host: str, port: int, handler: Handler) -> None:
        self._handler = handler
        self._listener = bound_socket(host, port)
        self._guests: set[_Connection] = set()
        self._lock = threading.Lock()
        self._closed = False
        self.port: int = self._listener.getsockname()[1]

    def start(self) -> None:
        """Start accepting connections in the background."""
        self._listener.listen(BACKLOG)
        threading.Thread(target=self._accept, name="rpc-accept", daemon=True).start()

    def close(self) -> None:
        """Stop accepting, and close all connections."""
        self._closed = True
        close_socket(self._listener)
        with self._lock:
            guests = list(self._guests)
        for guest in guests:
            close_socket(guest.connection)

    @property
    def connections(self) -> int:
        """Number of connected clients."""
        with self._lock:
            return len(self._guests)

    def _accept(self) -> None:
        for connection in accepted(self._listener, lambda: self._closed, self._make_room):
            guest = _Connection(connection)
            with self._lock:
                full = len(self._guests) >= MAX_CONNECTIONS
            if full:
                self._make_room()
            with self._lock:
                self._guests.add(guest)
            threading.Thread(target=self._serve, args=(guest,), name="rpc", daemon=True).start()

    def _make_room(self) -> None:
        """Close the least useful connection: one that never made a call, else the longest idle one."""
        with self._lock:
            least = min(self._guests, key=lambda guest: (guest.has_asked, guest.last), default=None)
            self._guests.discard(least)
        if least is not None:
            log.warning("closed a connection that was idle for %.0f s to make room", time.monotonic() - least.last)
            close_socket(least.connection)

    def _serve(self, guest: _Connection) -> None:
        connection = guest.connection
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            connection.settimeout(FIRST_WORD_S)
            self._converse(guest)
        except ProtocolError as error:
            log.warning("closed a connection: %s", error)
        except OSError:
            pass
        finally:
            with self._lock:
                self._guests.discard(guest)
            close_socket(connection)
            silent = time.monotonic() - guest.last
            log.debug("a client left after %d calls, the last %.1f s before", guest.calls, silent)

    def _converse(self, guest: _Connection) -> None:
        connection = guest.connection
        unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=MAX_MESSAGE_BYTES)
        while chunk := connection.recv(RECEIVE_BYTES):
            try:
                unpacker.feed(chunk)
                for message in unpacker:
                    self._answer(guest, message)
                    guest.last = time.monotonic()
                    guest.calls += 1
                    if guest.calls == 1:
                        connection.settimeout(None)
                        limit_sending(connection, SEND_PATIENCE_S)
            except (msgpack.exceptions.UnpackException, ValueError, RecursionError, TypeError) as error:
                raise ProtocolError(f"not msgpack: {error or type(error).__name__}") from error

    def _answer(self, guest: _Connection, message: Any) -> None:
        kind, number, method, parameters = split_request(message)
        error, result = _outcome(method, lambda: self._handler(method, parameters))
        if isinstance(result, Later):
            work = result.work

            def finish() -> None:
                with contextlib.suppress(OSError):
                    _send(guest, kind, _packed(number, *_outcome(method, work), method))

            threading.Thread(target=finish, name=f"rpc-{method}", daemon=True).start()
            return
        _send(guest, kind, _packed(number, error, result, method))


def _outcome(method: str, work: Callable[[], Any]) -> tuple[str | None, Any]:
    """Return the error and the result of a call."""
    try:
        return None, work()
    except RpcError as refused:
        return str(refused), None
    except Exception:
        log.exception("%s failed", method)
        return f"internal error in {method}", None


def _send(guest: _Connection, kind: int, answer: bytes) -> None:
    if kind != NOTIFICATION:
        with guest.sending:
            guest.connection.sendall(answer)


def _packed(number: int, error: str | None, result: Any, method: str) -> bytes:
    try:
        packed: bytes = msgpack.packb([1, number, error, result], use_bin_type=True)
    except (ValueError, TypeError, OverflowError):
        log.exception("the answer to %s cannot be packed", method)
        packed = msgpack.packb([1, number, f"internal error in {method}", None], use_bin_type=True)
    return packed


def split_request(message: Any) -> tuple[int, int, str, list[Any]]:
    """Split a request or notification into kind, number, method and parameters.

    Raises:
        ProtocolError: If the message is neither.
    """
    if not isinstance(message, list) or not message or type(message[0]) is not int:
        raise ProtocolError("a message is not an array that begins with its kind")
    if message[0] == REQUEST and len(message) == 4:
        kind, number, method, parameters = message
    elif message[0] == NOTIFICATION and len(message) == 3:
        kind, method, parameters = message
        number = 0
    else:
        raise ProtocolError(f"a message of kind {message[0]} and length {len(message)} is not a request")
    if type(number) is not int or not isinstance(method, str) or not isinstance(parameters, list):
        raise ProtocolError("a request's number, method or parameters have the wrong type")
    return kind, number, method, parameters


def bound_socket(host: str, port: int) -> socket.socket:
    """Bind a socket without listening: connections are refused immediately until ``listen`` is called.

    Raises:
        OSError: If the address is in use or unknown.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except BaseException:
        made.close()
        raise
    return made


def accepted(
    listener: socket.socket, is_closed: Callable[[], bool], make_room: Callable[[], None]
) -> Iterator[socket.socket]:
    """Yield connections. When file descriptors run out, ``make_room`` is called and the next try is delayed."""
    while not is_closed():
        try:
            connection, _ = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                make_room()
                time.sleep(OUT_OF_DESCRIPTORS_S)
            elif not is_closed() and listener.fileno() < 0:
                return
            continue
        yield connection


def limit_sending(connection: socket.socket, seconds: int) -> None:
    """Set a send timeout; receiving may block indefinitely."""
    if hasattr(socket, "SO_SNDTIMEO"):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", seconds, 0))


def close_socket(connection: socket.socket) -> None:
    """Close a socket, and wake any thread that blocks on it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
