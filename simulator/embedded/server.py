"""The embedded server: world, engine, RPC server and stream server combined."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from caos.assets.street.vehicles import VEHICLES
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.execution.threads import spare_the_cores
from caos.foundation.settings import read_text
from caos.simulator.embedded.calls import actors, batch, episode, lights, recordings, refused, town_objects, vehicles
from caos.simulator.embedded.calls.episode import OPENDRIVE_MAP
from caos.simulator.embedded.calls.table import Server, dispatch
from caos.simulator.embedded.engine import CUE_PATIENCE_S, Engine
from caos.simulator.embedded.protocol.releases import LATEST, release_named
from caos.simulator.embedded.protocol.rpc import Handler, RpcServer
from caos.simulator.embedded.protocol.streams import StreamServer
from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.world_state.actor_bodies import ActorBodies
from caos.simulator.embedded.world_state.maps import dressed, find_maps, style_beside
from caos.simulator.embedded.world_state.shared_renderer import SharedRenderer
from caos.simulator.embedded.world_state.world import World

log = logging.getLogger(__name__)

CALL_MODULES = (actors, batch, episode, lights, recordings, refused, town_objects, vehicles)
LOOPBACK = ("127.0.0.1", "localhost", "::1")
DESCRIPTORS = 8192


@dataclass(frozen=True)
class ServerOptions:
    """Options of a server.

    Attributes:
        host: Address to listen on.
        port: RPC port; 0 selects a free one. Streams use the next port, or a free one.
        town: The first town.
        quality: Render quality: ``preview``, ``draft``, ``standard`` or ``high``.
        opendrive: An OpenDRIVE file to load instead of ``town``.
        library: Folder of imported hazard objects.
        release: The CARLA release to speak; it must be that of the clients.
        maps: Folder of OpenDRIVE files that replace the roads of the towns of the same name.
        cue_patience_s: Longest delay in seconds of the answer to a tick call, for its images.
    """

    host: str = "127.0.0.1"
    port: int = 2000
    town: str = "Town01"
    quality: str = "standard"
    opendrive: Path | None = None
    library: Path | None = None
    release: str = LATEST.name
    maps: Path | None = None
    cue_patience_s: float = CUE_PATIENCE_S


class EmbeddedServer:
    """A running server; a context manager.

    Attributes:
        is_leaving: Set before closing: a warm-up in progress ends soon.

    Raises:
        CaosError: If a port is taken, or the town, quality, library, release or OpenDRIVE file is not usable.
    """

    def __init__(self, options: ServerOptions, progress: Progress = SILENT) -> None:
        self.options = options
        self._progress = progress
        self.is_leaving = False
        release = release_named(options.release)
        self._maps = find_maps(options.maps, progress)
        bodies = ActorBodies(options.library)
        self.streams, self.rpc = _bind(options, self._answer)
        self.world = World(bodies, self.streams, release)
        self.world.tape.is_open = options.host in LOOPBACK
        self.renderer = SharedRenderer(options.quality)
        self.engine = Engine(self.world, self.streams, self.renderer, options.cue_patience_s)
        self._server = Server(
            self.world, self.engine, self.streams, self.renderer, release.name, self._maps, {}, {}, threading.Lock()
        )
        try:
            self._first_town()
        except BaseException:
            self.close()
            raise

    @property
    def port(self) -> int:
        """The RPC port."""
        return self.rpc.port

    def __enter__(self) -> EmbeddedServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start serving in the background; before, connections are refused, which clients detect at once.

        Raises:
            CaosError: If another server has started to listen on the port.
        """
        spare_the_cores()
        _allow_descriptors()
        self.engine.start()
        try:
            self.streams.start()
            self.rpc.start()
        except OSError as error:
            raise CaosError(f"cannot listen on {self.options.host}:{self.port}: {error}; try --port") from error

    @property
    def origin(self) -> str:
        """Describe the source of the current town's roads."""
        return self.world.episode.origin

    def warm_up(self) -> None:
        """Render a first tiny image and build all vehicle meshes, so that a client's first images come soon.

        Calls are answered meanwhile. The vehicles take about ten seconds; clients wait one or two for their images.
        """
        start = self.world.spectator.transform
        self.renderer.render(self.world.snapshot(), Camera(start, 16, 9), ("rgb", "tags"))
        for model in VEHICLES.values():
            if self.is_leaving:
                return
            self.renderer.make(model.build)
        log.debug("warmed up")

    def close(self) -> None:
        """Stop serving."""
        self.is_leaving = True
        self.engine.close()
        with self.world.lock:
            self.world.tape.stop_recording()
        self.rpc.close()
        self.streams.close()

    def _answer(self, method: str, parameters: list[Any]) -> Any:
        return dispatch(self._server, method, parameters)

    def _first_town(self) -> None:
        started = time.monotonic()
        if self.options.opendrive is not None:
            text = read_text(self.options.opendrive)
            self._server.opendrive["text"] = text
            beside = style_beside(self.options.opendrive)
            town = replace(dressed(self.options.opendrive.name, text, beside, self._progress), name=OPENDRIVE_MAP)
            origin = f"the roads of {self.options.opendrive}"
        else:
            town, origin = self._maps.town(self.options.town), self._maps.origin(self.options.town)
        self.world.begin(self.world.prepare(town, origin=origin))
        log.info("%s loaded in %.1f s: %s", town.name, time.monotonic() - started, origin)


def _bind(options: ServerOptions, answer: Handler) -> tuple[StreamServer, RpcServer]:
    try:
        rpc = RpcServer(options.host, options.port, answer)
    except (OSError, OverflowError) as error:
        raise CaosError(
            f"cannot listen on {options.host}:{options.port}: {error}; is another server running there? try --port"
        ) from error
    try:
        # CARLA's convention; clients learn the actual port from each token.
        return StreamServer(options.host, options.port + 1 if options.port else 0), rpc
    except (OSError, OverflowError):
        return StreamServer(options.host, 0), rpc


def _allow_descriptors() -> None:
    """Raise the limit of open files to the system's maximum: each connection takes a descriptor."""
    try:
        import resource
    except ImportError:  # not available on this system
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
