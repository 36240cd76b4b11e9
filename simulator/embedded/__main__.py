"""``python -m caos.simulator.embedded``: the embedded server as a child process.

Started by :mod:`caos.simulator.embedded.launch`. It prints its port to standard output when it is ready, and exits when
its standard input is closed.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading
from pathlib import Path

from caos.foundation.errors import CaosError
from caos.simulator.embedded.engine import CUE_PATIENCE_S
from caos.simulator.embedded.launch import READY, exit_with_parent
from caos.simulator.embedded.protocol.releases import LATEST
from caos.simulator.embedded.server import EmbeddedServer, ServerOptions


def main() -> int:
    """Serve until the parent ends."""
    parser = argparse.ArgumentParser(prog="caos.simulator.embedded")
    parser.add_argument("--town", default="Town01")
    parser.add_argument("--quality", default="standard")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--opendrive", type=Path)
    parser.add_argument("--maps", type=Path)
    parser.add_argument("--release", default=LATEST.name)
    parser.add_argument("--cue-patience-s", type=float, default=CUE_PATIENCE_S)
    parser.add_argument("--warm-up", action="store_true")
    arguments = parser.parse_args()
    is_to_warm_up = arguments.__dict__.pop("warm_up")
    logging.basicConfig(
        level=os.environ.get("CAOS_SERVER_LOG", "INFO"), stream=sys.stderr, format="%(levelname)s %(message)s"
    )
    exit_with_parent()
    try:
        server = EmbeddedServer(ServerOptions(port=0, **vars(arguments)))
    except CaosError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if is_to_warm_up:
        server.warm_up()
    server.start()
    sys.stdout.write(f"{READY} {server.port}\n")
    sys.stdout.flush()
    threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
