"""Guardian: a small process that restores a shared server after its session's process was killed.

It reads JSON lines from standard input with the server's original state and the ids of the session's actors. If the
input ends without the farewell line, the session's process has died, and the guardian restores the server.
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

from caos.foundation.children import module_command

FAREWELL = "done"


@dataclass(frozen=True)
class ServerState:
    """State of a server before a session."""

    town: str
    synchronous: bool
    no_rendering: bool
    delta_s: float | None
    weather: tuple[float, ...]


class Guardian:
    """Client side of a guardian process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @classmethod
    def start(cls, host: str, port: int) -> Guardian:
        """Start a guardian for a session on the server at an address."""
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
        """End the guardian: the session has restored the server."""
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
        # A guardian that was killed is no reason to stop working.
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()


def read_orders(lines: Iterable[str]) -> tuple[ServerState, list[int]] | None:
    """Return the state to restore after the last line; None after a regular end, or if none was ever sent."""
    last: str | None = None
    for line in lines:
        if line.strip() == FAREWELL:
            return None
        # A line truncated by a kill is ignored.
        last = line if line.endswith("\n") else last
    if last is None:
        return None
    order = json.loads(last)
    found = order["found"]
    return ServerState(**{**found, "weather": tuple(found["weather"])}), [int(i) for i in order["actors"]]


def main(arguments: Sequence[str]) -> int:
    """Wait for the end of the session, and restore the server if it was not regular."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    orders = read_orders(sys.stdin)
    if orders is None:
        return 0
    from caos.simulator.connection import restore_server

    restore_server(arguments[0], int(arguments[1]), *orders)
    # The client's threads may crash an orderly exit.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
