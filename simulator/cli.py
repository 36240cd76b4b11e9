"""``caos serve``: the embedded server for any CARLA client."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; others than loopback let anybody in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65534, help="Port of the calls; streams use the next one.")] = 2000,
    town: Annotated[str, typer.Option(help="The first town: Town01 to Town06.")] = "Town01",
    quality: Annotated[str, typer.Option(help="Of the pictures: draft, standard or high.")] = "standard",
    opendrive: Annotated[
        Path | None, typer.Option(help="Dress the roads of this OpenDRIVE file instead of a town.", dir_okay=False)
    ] = None,
    library: Annotated[
        Path | None, typer.Option(help="Folder of imported hazard objects to offer as static.prop.*", file_okay=False)
    ] = None,
    release: Annotated[
        str, typer.Option(help="The CARLA release to speak, 0.9.15 or 0.9.16: that of the clients.")
    ] = "0.9.16",
) -> None:
    """Serve a small CARLA: any client of the same CARLA release can connect. Ends with Ctrl-C."""
    import logging

    from caos.foundation.errors import CaosError
    from caos.foundation.progress import Terminal
    from caos.simulator.embedded.render.quality import quality as known_quality
    from caos.simulator.embedded.server import EmbeddedServer, ServerOptions

    logging.basicConfig(level=logging.INFO, format="%(message)s")
    known_quality(quality)
    if opendrive is not None and not opendrive.is_file():
        raise CaosError(f"there is no OpenDRIVE file {opendrive}")
    terminal = Terminal()
    if host not in LOOPBACK:
        terminal.say(
            f"warning: listening on {host}. CARLA's protocol has no authentication: whoever reaches this port "
            "controls the simulator. Keep it behind a firewall or a tunnel."
        )
    server = EmbeddedServer(ServerOptions(host, port, town, quality, opendrive, library, release), terminal)
    terminal.say("drawing a first picture")
    server.warm_up()
    with server:
        terminal.say(f"CARLA {release} (embedded) on {host}:{server.port}, {town}, {quality} quality; Ctrl-C ends it")
        try:
            _wait_for_a_signal()
        except KeyboardInterrupt:
            terminal.say("stopped")


def _wait_for_a_signal() -> None:
    """Wait for Ctrl-C or an end by the system, whatever native code did to the handlers.

    The renderer's libraries let the system go on with an interrupted wait: it would never return to Python.

    Raises:
        KeyboardInterrupt: When either comes.
    """
    import signal
    import threading

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    never = threading.Event()
    while not never.wait(0.5):
        pass
