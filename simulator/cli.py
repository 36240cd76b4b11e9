"""``caos serve``: the embedded server for any CARLA client."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WARM_UP_S = 60.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; any address but loopback admits remote clients.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65534, help="RPC port; streams use the next port.")] = 2000,
    town: Annotated[
        str, typer.Option(help="The first town: Town01 to Town07, Town10HD, or a name of --maps.")
    ] = "Town01",
    quality: Annotated[str, typer.Option(help="Render quality: preview, draft, standard or high.")] = "standard",
    opendrive: Annotated[
        Path | None, typer.Option(help="Build a town from the roads of this OpenDRIVE file.", dir_okay=False)
    ] = None,
    library: Annotated[
        Path | None, typer.Option(help="Folder of imported hazard objects to offer as static.prop.*", file_okay=False)
    ] = None,
    maps: Annotated[
        Path | None,
        typer.Option(
            help="Folder of OpenDRIVE files, searched at any depth, that replace towns of the same name: Town04.xodr "
            "is Town04. Without it the roads are this project's own.",
            file_okay=False,
        ),
    ] = None,
    release: Annotated[
        str, typer.Option(help="CARLA release to speak, 0.9.15 or 0.9.16; must match the clients.")
    ] = "0.9.16",
) -> None:
    """Serve a small CARLA: any client of the same CARLA release can connect. Ends with Ctrl-C."""
    import logging
    import os
    import threading

    from caos.foundation.errors import CaosError
    from caos.foundation.execution.progress import Terminal
    from caos.simulator.embedded.render.quality import check_quality
    from caos.simulator.embedded.server import EmbeddedServer, ServerOptions

    # The command line's logging set-up would hide the server's messages about clients; --quiet and --debug still apply.
    usual = logging.root.level if logging.root.level > logging.WARNING else min(logging.root.level, logging.INFO)
    logging.basicConfig(level=os.environ.get("CAOS_SERVER_LOG", usual), format="%(message)s", force=True)
    check_quality(quality)
    if opendrive is not None and not opendrive.is_file():
        raise CaosError(f"cannot find the OpenDRIVE file {opendrive}")
    terminal = Terminal()
    if host not in LOOPBACK:
        terminal.say(
            f"warning: listening on {host}. CARLA's protocol has no authentication: anyone who can reach this port "
            "controls the simulator. Keep it behind a firewall or a tunnel."
        )
    options = ServerOptions(host, port, town, quality, opendrive, library, release, maps)
    with EmbeddedServer(options, terminal) as server:
        where = f"{host}:{server.port}, {opendrive or town}, {quality} quality"
        # Not in this thread, which waits for Ctrl-C.
        first_picture = threading.Thread(target=server.warm_up, name="warm-up", daemon=True)
        try:
            _hear_signals()
            terminal.say(f"CARLA {release} (embedded) on {where}; Ctrl-C ends it")
            if opendrive is None:
                terminal.say(f"{town}: {server.origin}")
            first_picture.start()
            _wait_for_a_signal()
        except KeyboardInterrupt:
            terminal.say("stopped")
        server.is_leaving = True
        # The renderer must not be interrupted.
        if first_picture.ident is not None:
            first_picture.join(WARM_UP_S)


def _hear_signals() -> None:
    """Let SIGINT and SIGTERM raise ``KeyboardInterrupt``."""
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def _wait_for_a_signal() -> None:
    """Wait for SIGINT or SIGTERM, independently of Python's handlers.

    The renderer's libraries restart interrupted system calls: a blocking wait would never return to Python.

    Raises:
        KeyboardInterrupt: On either signal.
    """
    import threading

    _hear_signals()
    never = threading.Event()
    while not never.wait(0.5):
        pass
