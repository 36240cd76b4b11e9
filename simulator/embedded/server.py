"""The embedded server: a world, its clock, and the two protocols, put together."""

from __future__ import annotations

import functools
import logging
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from caos.foundation.errors import CaosError, unknown
from caos.foundation.progress import SILENT, Progress
from caos.foundation.settings import read_text
from caos.foundation.threads import spare_the_cores
from caos.simulator.embedded.calls import actors, batch, episode, lights, refused, scenery, vehicles
from caos.simulator.embedded.calls.table import Server, dispatch
from caos.simulator.embedded.engine import Engine
from caos.simulator.embedded.figures import Figures
from caos.simulator.embedded.opendrive_check import check_opendrive
from caos.simulator.embedded.releases import LATEST, release_named
from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.rpc import Handler, RpcServer
from caos.simulator.embedded.scenery import Scenery
from caos.simulator.embedded.streams import StreamServer
from caos.simulator.embedded.towns.town import TOWN_NAMES, Town, load_town
from caos.simulator.embedded.world import World

log = logging.getLogger(__name__)

PLAN_OF = {"Town10HD": "Town03"}
"""CARLA's default town has no plan of its own here."""
CALL_MODULES = (actors, batch, episode, lights, refused, scenery, vehicles)
LOOPBACK = ("127.0.0.1", "localhost", "::1")
DESCRIPTORS = 8192


def map_names() -> tuple[str, ...]:
    """The names under which towns can be loaded: CARLA's, with its variants for layered maps."""
    plain = (*TOWN_NAMES, *PLAN_OF)
    return (*plain, *(f"{name}_Opt" for name in plain))


@dataclass(frozen=True)
class ServerOptions:
    """How a server is started.

    Attributes:
        host: Address to listen on.
        port: Port of the calls; 0 takes a free one. The streams take the next port, or a free one.
        town: The first town.
        quality: Of the renderer: ``draft``, ``standard`` or ``high``.
        opendrive: A file to load instead of ``town``.
        library: Folder of imported hazard objects.
        release: The CARLA release to speak, which has to be the clients'.
    """

    host: str = "127.0.0.1"
    port: int = 2000
    town: str = "Town01"
    quality: str = "standard"
    opendrive: Path | None = None
    library: Path | None = None
    release: str = LATEST.name


class EmbeddedServer:
    """A running server; a context manager.

    Raises:
        CaosError: If a port is taken, or the town, quality, library, release or OpenDRIVE file is not usable.
    """

    def __init__(self, options: ServerOptions, progress: Progress = SILENT) -> None:
        self.options = options
        self._progress = progress
        release = release_named(options.release)
        figures = Figures(options.library)
        self.streams, self.rpc = _listen(options, self._answer)
        self.world = World(self._town, figures, self.streams, release)
        self.scenery = Scenery(options.quality)
        self.engine = Engine(self.world, self.streams, self.scenery)
        self._server = Server(
            self.world, self.engine, self.streams, self.scenery, release.name, self._load, map_names(), {}, {}
        )
        try:
            self._first_town()
        except BaseException:
            self.close()
            raise

    @property
    def port(self) -> int:
        """The port of the calls."""
        return self.rpc.port

    def __enter__(self) -> EmbeddedServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Begin to serve, in the background."""
        spare_the_cores()
        _allow_descriptors()
        self.engine.start()
        self.streams.start()
        self.rpc.start()

    def warm_up(self) -> None:
        """Draw a first tiny picture: to load a town into the renderer can stall every call for seconds."""
        start = self.world.spectator.transform
        self.scenery.render(self.world.moment(), Camera(start, 16, 9), ("rgb", "tags"))

    def close(self) -> None:
        """Stop serving."""
        self.engine.close()
        self.rpc.close()
        self.streams.close()

    def _answer(self, method: str, parameters: list[Any]) -> Any:
        return dispatch(self._server, method, parameters)

    def _first_town(self) -> None:
        if self.options.opendrive is not None:
            text = _read_opendrive(self.options.opendrive)
            self._server.opendrive["text"] = text
            self.world.load(episode.dressed(text, self._progress))
        else:
            self._load(self.options.town, 0xFFFF)

    def _load(self, name: str, layers: int) -> None:
        if name not in map_names():
            raise unknown("town", name, map_names())
        started = time.monotonic()
        self.world.load_named(name, layers)
        log.info("%s loaded in %.1f s", name, time.monotonic() - started)

    def _town(self, name: str) -> Town:
        plain = name.removesuffix("_Opt")
        return replace(self._plan(PLAN_OF.get(plain, plain)), name=name)

    @functools.lru_cache(maxsize=1)  # noqa: B019 (a server lives as long as its process)
    def _plan(self, name: str) -> Town:
        return load_town(name, progress=self._progress)


def _listen(options: ServerOptions, answer: Handler) -> tuple[StreamServer, RpcServer]:
    try:
        rpc = RpcServer(options.host, options.port, answer)
    except (OSError, OverflowError) as error:
        raise CaosError(
            f"cannot listen on {options.host}:{options.port}: {error}; is another server running there? try --port"
        ) from error
    try:
        # CARLA's convention; clients learn the real port from each token
        return StreamServer(options.host, options.port + 1 if options.port else 0), rpc
    except (OSError, OverflowError):
        return StreamServer(options.host, 0), rpc


def _allow_descriptors() -> None:
    """As many open connections as the system gives: each takes a descriptor."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _read_opendrive(path: Path) -> str:
    text = read_text(path)
    check_opendrive(path.stem, text)
    return text
