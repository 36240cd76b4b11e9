"""Table of calls: name, argument readers, implementation, and fidelity to CARLA."""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from caos.simulator.embedded.engine import Engine
from caos.simulator.embedded.protocol.rpc import Later, RpcError
from caos.simulator.embedded.protocol.streams import StreamServer
from caos.simulator.embedded.protocol.traffic_manager_sync import TickGate
from caos.simulator.embedded.protocol.wire import BadArgumentError, Value
from caos.simulator.embedded.world_state.maps import TownMaps
from caos.simulator.embedded.world_state.shared_renderer import SharedRenderer
from caos.simulator.embedded.world_state.world import World, WorldError

log = logging.getLogger(__name__)

Fidelity = Literal["real", "simplified", "refused", "no effect"]
Answer = Literal["value", "void", "bare"]
Reader: TypeAlias = Callable[[Value], Any]


@dataclass(frozen=True, eq=False)
class Server:
    """State on which calls operate."""

    world: World
    engine: Engine
    streams: StreamServer
    renderer: SharedRenderer
    version: str
    maps: TownMaps
    managers: dict[int, str]
    opendrive: dict[str, str]
    loading: threading.Lock
    offered: dict[str, bytes] = field(default_factory=dict)
    turn: TickGate = field(default_factory=TickGate)


@dataclass(frozen=True)
class Call:
    """One RPC method.

    Attributes:
        name: CARLA's name.
        readers: One reader per argument.
        least: Number of required arguments; the others came with later releases and have defaults.
        run: Implementation: ``run(server, *arguments)``.
        answer: How CARLA wraps the result: a value, nothing, or bare.
        fidelity: How close it is to CARLA.
        note: Differences, for the compatibility table.
        locked: Whether the world's lock is held while it runs.
    """

    name: str
    readers: tuple[Reader, ...]
    least: int
    run: Callable[..., Any]
    answer: Answer
    fidelity: Fidelity
    note: str
    locked: bool

    def serve(self, server: Server, arguments: list[Value]) -> Any:
        """Run the call and return its wrapped result.

        Raises:
            RpcError: If the arguments do not match.
        """
        if not self.least <= len(arguments) <= len(self.readers):
            raise RpcError(
                f"rpclib: server could not find function '{self.name}' with argument count {len(arguments) + 1}."
            )
        try:
            read = [reader(argument) for reader, argument in zip(self.readers, arguments, strict=False)]
        except BadArgumentError as error:
            raise RpcError(f"{self.name}: {error}") from error
        return self._run(server, read)

    def _run(self, server: Server, arguments: list[Any]) -> Any:
        def work() -> Any:
            if self.locked:
                with server.world.lock:
                    return self.run(server, *arguments)
            return self.run(server, *arguments)

        return self._wrapped(work)

    def _wrapped(self, work: Callable[[], Any]) -> Any:
        """Wrap the result or the error of ``work`` as CARLA does."""
        try:
            result = work()
        except BadArgumentError as error:
            raise RpcError(f"{self.name}: {error}") from error
        except WorldError as error:
            if self.fidelity == "refused":
                # Many calls are sent without waiting for the answer: then this line is the only trace.
                log.warning("refused %s: %s", self.name, error)
            return [[True, [str(error)]]] if self.answer == "void" else [[0, [str(error)]]]
        if isinstance(result, Later):
            return Later(functools.partial(self._wrapped, result.work))
        if self.answer == "bare":
            return result
        return [[False]] if self.answer == "void" else [[1, result]]


CALLS: dict[str, Call] = {}
"""All calls by name, registered by the modules of this package on import."""


def call(
    *readers: Reader,
    void: bool = False,
    bare: bool = False,
    fidelity: Fidelity = "real",
    note: str = "",
    locked: bool = True,
    name: str = "",
    added_later: int = 0,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function in the table under its own name (or ``name``).

    The last ``added_later`` arguments are unknown to clients of older releases; the function has defaults for them.
    """

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        title = name or run.__name__
        answer: Answer = "void" if void else "bare" if bare else "value"
        CALLS[title] = Call(title, readers, len(readers) - added_later, run, answer, fidelity, note, locked)
        return run

    return register


def dispatch(server: Server, method: str, parameters: list[Value]) -> Any:
    """Answer a request; ``parameters`` begin with CARLA's metadata.

    Raises:
        RpcError: If the method is unknown, or its arguments do not match.
    """
    known = CALLS.get(method)
    if known is None:
        raise RpcError(f"rpclib: server could not find function '{method}' with argument count {len(parameters)}.")
    return known.serve(server, parameters[1:])
