"""RPC: msgpack over TCP, as CARLA's clients speak it: many connections, one thread each, each served in order.

A client's mistake costs that client an error or its connection, never the server: what cannot be decoded closes the
connection, what can be decoded but not served is answered with an RPC error.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from typing import Any

import msgpack

log = logging.getLogger(__name__)

MAX_MESSAGE_BYTES = 64 << 20
"""The largest request. OpenDRIVE texts of whole cities are about 20 MB."""
MAX_CONNECTIONS = 256
RECEIVE_BYTES = 1 << 18
REQUEST = 0
NOTIFICATION = 2

Handler = Callable[[str, list[Any]], Any]


class RpcError(Exception):
    """A call that cannot be served; the text travels in the protocol's error field."""


class ProtocolError(Exception):
    """Bytes that are not msgpack-RPC; the connection is closed."""


class RpcServer:
    """Accepts connections and hands each decoded call to ``handler(method, arguments)``."""

    def __init__(self, host: str, port: int, handler: Handler) -> None:
        self._handler = handler
        self._listener = socket.create_server((host, port), backlog=128)
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
        self.port: int = self._listener.getsockname()[1]

    def start(self) -> None:
        """Begin to accept connections, in the background."""
        threading.Thread(target=self._accept, name="rpc-accept", daemon=True).start()

    def close(self) -> None:
        """Stop accepting and drop every connection."""
        self._closed = True
        close_socket(self._listener)
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            close_socket(connection)

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        with self._lock:
            return len(self._connections)

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection, address = self._listener.accept()
            except OSError:
                continue
            with self._lock:
                full = len(self._connections) >= MAX_CONNECTIONS
                if not full:
                    self._connections.add(connection)
            if full:
                log.warning("refused a connection from %s: %d are open", address, MAX_CONNECTIONS)
                close_socket(connection)
                continue
            threading.Thread(target=self._serve, args=(connection,), name="rpc", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            self._converse(connection)
        except ProtocolError as error:
            log.warning("closed a connection: %s", error)
        except OSError:
            pass
        finally:
            with self._lock:
                self._connections.discard(connection)
            close_socket(connection)

    def _converse(self, connection: socket.socket) -> None:
        unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=MAX_MESSAGE_BYTES)
        while chunk := connection.recv(RECEIVE_BYTES):
            try:
                unpacker.feed(chunk)
                for message in unpacker:
                    answer = self._answer(message)
                    if answer is not None:
                        connection.sendall(answer)
            except (msgpack.exceptions.UnpackException, ValueError, RecursionError, TypeError) as error:
                raise ProtocolError(f"not msgpack: {error or type(error).__name__}") from error

    def _answer(self, message: Any) -> bytes | None:
        kind, number, method, parameters = split_request(message)
        error, result = None, None
        try:
            result = self._handler(method, parameters)
        except RpcError as refused:
            error = str(refused)
        except Exception:
            log.exception("%s failed", method)
            error = f"internal error in {method}"
        if kind == NOTIFICATION:
            return None
        packed: bytes = msgpack.packb([1, number, error, result], use_bin_type=True)
        return packed


def split_request(message: Any) -> tuple[int, int, str, list[Any]]:
    """Kind, number, method and parameters of a request or notification.

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
        raise ProtocolError(f"a message of kind {message[0]} and length {len(message)} is no request")
    if type(number) is not int or not isinstance(method, str) or not isinstance(parameters, list):
        raise ProtocolError("a request's number, method or parameters have the wrong type")
    return kind, number, method, parameters


def close_socket(connection: socket.socket) -> None:
    """Close a socket, waking any thread that waits on it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
