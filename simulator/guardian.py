"""A small process that outlives a killed session just long enough to give a shared server back.

It is told, as lines of JSON on its standard input, what the server was like and which actors are the session's. When
the input ends without a farewell, the session's process has died, and the guardian restores the server.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from caos.foundation.execution.children import module_command

FAREWELL = "done"


@dataclass(frozen=True)
class ServerState:
    """A server as a session found it."""

    town: str
    synchronous: bool
    no_rendering: bool
    delta_s: float | None
    weather: tuple[float, ...]


class Guardian:
    """The session's side of it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @classmethod
    def start(cls, host: str, port: int) -> Guardian:
        """A guardian for a session on the server at an address."""
        process = subprocess.Popen(
            module_command("caos.simulator.guardian", host, str(port)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return cls(process)

    def update(self, found: ServerState, actors: Iterable[int]) -> None:
        """Update the state to restore if this process dies."""
        self._say(json.dumps({"found": asdict(found), "actors": list(actors)}))

    def dismiss(self) -> None:
        """Nothing is left to restore."""
        self._say(FAREWELL)
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        # a guardian that was killed itself is no reason to stop working
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()


def read_orders(lines: Iterable[str]) -> tuple[ServerState, list[int]] | None:
    """What is to be restored after the last line, or None after a farewell or if nothing was ever told."""
    last: str | None = None
    for line in lines:
        if line.strip() == FAREWELL:
            return None
        # a line cut short by a kill is not an order
        last = line if line.endswith("\n") else last
    if last is None:
        return None
    order = json.loads(last)
    found = order["found"]
    return ServerState(**{**found, "weather": tuple(found["weather"])}), [int(i) for i in order["actors"]]


def main(arguments: Sequence[str]) -> int:
    """Wait for the end of the session, and restore the server if it was not a good one."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    orders = read_orders(sys.stdin)
    if orders is None:
        return 0
    from caos.simulator.connection import restore_server

    restore_server(arguments[0], int(arguments[1]), *orders)
    # the client's threads may crash an orderly exit
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
