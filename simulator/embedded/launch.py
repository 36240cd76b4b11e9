"""Launcher of the embedded server: a child process on a free loopback port, waited for until it is ready, and stopped.

The child watches its parent: it ends when the parent does, however the parent ends.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

from caos.foundation.command_line.extras import require_extra
from caos.foundation.errors import CaosError
from caos.foundation.execution.children import module_command
from caos.simulator.embedded.protocol.releases import client_release

READY = "ready"
LOOPBACK = "127.0.0.1"
START_PATIENCE_S = 900.0
"""Timeout in seconds of the start: enough to build six towns on a slow machine."""
STOP_PATIENCE_S = 5.0


class ServerProcess:
    """An embedded server in a child process; a context manager that stops it.

    Attributes:
        port: The RPC port, on loopback; streams use the next port, or a free one.
    """

    def __init__(self, process: subprocess.Popen[bytes], port: int, output: IO[bytes]) -> None:
        self._process, self.port, self._output = process, port, output

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def address(self) -> str:
        """``host:port`` of the RPC server, as accepted by :meth:`caos.Session.open`."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def processor_s(self) -> float:
        """CPU seconds used by the child; 0 where the system does not report them."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def is_running(self) -> bool:
        """Whether the child is running."""
        return self._process.poll() is None

    def log(self) -> str:
        """The end of the child's output."""
        return _tail(self._output)

    def stop(self) -> None:
        """Stop the child and wait for it."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._output.close()


def serve(
    town: str = "Town01",
    quality: str = "standard",
    library: str | Path | None = None,
    opendrive: str | Path | None = None,
    maps: str | Path | None = None,
    cue_patience_s: float | None = None,
    *,
    warm_up: bool = False,
) -> ServerProcess:
    """Start the embedded server, a small CARLA, in a child process on a free port, ready for clients.

    It speaks the release of the installed client.
    It stops with ``stop()``, at the end of a ``with`` block, and with this process at the latest::

        with caos.serve("Town02", quality="draft") as server:
            client = carla.Client("127.0.0.1", server.port)

    Args:
        town: The first town.
        quality: Render quality: ``preview``, ``draft``, ``standard`` or ``high``.
        library: Folder of imported hazard objects to offer as ``static.prop.*``.
        opendrive: An OpenDRIVE file to build a town from, instead of ``town``.
        maps: Folder of OpenDRIVE files that replace towns of the same name, such as CARLA's own ``Town04.xodr``.
        cue_patience_s: Longest delay in seconds of the answer to a tick call, for its images; None suits clients that
            time out after two seconds. After the answer, a client polls for the world state, which occupies a core.
        warm_up: Whether the server renders a first image and builds every vehicle mesh before it is ready, so that
            clients do not wait for them. Otherwise that happens when the first camera is used; a world without cameras
            needs a quarter of the memory.

    Raises:
        CaosError: If it does not start; the message contains its output.
    """
    require_extra("simulator")
    output = tempfile.TemporaryFile(prefix="caos-server-")  # noqa: SIM115 (lives as long as the child)
    command = module_command(
        "caos.simulator.embedded", "--town", town, "--quality", quality, "--release", client_release()
    )
    command += ["--library", str(library)] if library else []
    command += ["--opendrive", str(opendrive)] if opendrive else []
    command += ["--maps", str(maps)] if maps else []
    command += ["--cue-patience-s", str(cue_patience_s)] if cue_patience_s is not None else []
    command += ["--warm-up"] if warm_up else []
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, start_new_session=True
    )
    try:
        port = _wait_until_ready(process, output)
    except BaseException:
        process.kill()
        process.wait()
        output.close()
        raise
    return ServerProcess(process, port, output)


def _wait_until_ready(process: subprocess.Popen[bytes], output: IO[bytes]) -> int:
    assert process.stdout is not None
    until = time.monotonic() + START_PATIENCE_S
    while time.monotonic() < until:
        readable, _, _ = select.select([process.stdout], [], [], 1.0)
        line = process.stdout.readline().decode(errors="replace") if readable else ""
        if line.startswith(READY):
            return int(line.split()[1])
        if process.poll() is not None:
            break
    raise CaosError(f"the embedded server did not start: {_tail(output).strip() or 'it printed nothing'}")


def _tail(output: IO[bytes], size: int = 2000) -> str:
    if output.closed:
        return ""
    end = os.fstat(output.fileno()).st_size
    return os.pread(output.fileno(), size, max(0, end - size)).decode(errors="replace")


def exit_with_parent() -> None:
    """In the child: exit when the parent has ended (its pipe closes, or this process gets another parent)."""
    parent = os.getppid()

    def watch_pipe() -> None:
        # Not sys.stdin: its lock would be held at exit.
        while os.read(0, 64):
            pass
        os._exit(0)

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(0)

    for watch in (watch_pipe, watch_parent):
        threading.Thread(target=watch, name=watch.__name__, daemon=True).start()
