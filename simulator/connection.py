"""Connection to a CARLA server: connect, check versions, restore state; conversion of CARLA's values.

Part of :mod:`caos.simulator.session`, with :mod:`.actor_pool` and :mod:`.rig`: nothing else talks to a server.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import carla

from caos.foundation.errors import CaosError, LostError
from caos.foundation.execution.progress import Progress
from caos.simulator.guardian import ServerState
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

OLDEST_SERVER: Final = (0, 9, 15)
"""The first release with the current tag table whose client can be installed."""
CALL_PATIENCE_S: Final = 120.0
_TRY_S: Final = 5.0


def address(simulator: str) -> tuple[str, int]:
    """Split ``HOST:PORT``.

    Raises:
        CaosError: If it does not have that form.
    """
    host, _, port = simulator.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise CaosError(f"simulator {simulator!r} is neither 'embedded' nor HOST:PORT such as localhost:2000")
    return host.strip("[]"), int(port)


def connect(host: str, port: int, patience_s: float, progress: Progress) -> LossReporting:
    """Return a client of the server at an address, with a matching version; its calls raise LostError on loss.

    Raises:
        CaosError: If no server answers within ``patience_s``, or its version does not match.
    """
    client = carla.Client(host, port)
    client.set_timeout(min(_TRY_S, max(1.0, patience_s)))
    until, tries = time.monotonic() + patience_s, 0
    while True:
        tries += 1
        try:
            version = client.get_server_version()
            break
        except RuntimeError as error:
            if time.monotonic() > until:
                raise CaosError(
                    f"no CARLA server answers at {host}:{port} ({tries} tries in {patience_s:.0f} s, client "
                    f"{client.get_client_version()}: {error}); start one there, or use the simulator 'embedded'"
                ) from error
        progress.say(f"waiting for a CARLA server at {host}:{port}")
        time.sleep(0.5)
    check_versions(version, client.get_client_version(), host, port)
    client.set_timeout(CALL_PATIENCE_S)
    return LossReporting(client)


def check_versions(server: str, client: str, host: str, port: int) -> None:
    """Reject mismatched releases: each CARLA release renumbers its sensor streams, and wrong numbers crash clients.

    Raises:
        CaosError: If the server is too old or the releases differ.
    """
    ours, theirs = _release(client), _release(server)
    if theirs is not None and theirs < OLDEST_SERVER:
        raise CaosError(f"the server at {host}:{port} is CARLA {server}; 0.9.15 or later is needed")
    if ours != theirs:
        wanted = server.split("-", maxsplit=1)[0]
        only = " (there is one for Python 3.10 only)" if theirs == (0, 9, 15) else ""
        raise CaosError(
            f"the server at {host}:{port} is CARLA {server} but the installed client is {client}, and they do not "
            f"speak the same protocol; install the matching client: pip install carla=={wanted}{only}"
        )


def _release(version: str) -> tuple[int, ...] | None:
    parts = version.split("-", maxsplit=1)[0].split(".")
    return tuple(int(part) for part in parts) if len(parts) == 3 and all(p.isdigit() for p in parts) else None


class LossReporting:
    """Proxy of a client object (client, world, actor) whose calls raise LostError when the server fails them.

    The client raises bare RuntimeErrors, for example on a timeout. Only errors of its own calls are converted: errors
    of the calling code stay as they are.
    """

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        return functools.partial(_call, name, value) if callable(value) else value


def _call(name: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    try:
        return function(*arguments, **named)
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise
        raise LostError(f"the simulator failed to answer {name}: {error}") from error


def server_state(world: Any) -> ServerState:
    """Return the state of a server that a session has to restore."""
    settings = world.get_settings()
    return ServerState(
        town=town_name(world.get_map()),
        synchronous=bool(settings.synchronous_mode),
        no_rendering=bool(settings.no_rendering_mode),
        delta_s=settings.fixed_delta_seconds,
        weather=tuple(weather_in(world.get_weather()).__dict__.values()),
    )


def restore(client: Any, found: ServerState, actors: Sequence[int]) -> None:
    """Restore a server: remove actors, and set town, weather and settings as they were."""
    client.apply_batch_sync([carla.command.DestroyActor(i) for i in actors], False)
    world = client.get_world()
    if town_name(world.get_map()) != found.town:
        world = client.load_world(found.town, reset_settings=False)
    world.set_weather(weather_out(Weather(*found.weather)))
    if world.get_settings().synchronous_mode:
        world.tick(CALL_PATIENCE_S)
    settings = world.get_settings()
    settings.synchronous_mode, settings.no_rendering_mode = found.synchronous, found.no_rendering
    settings.fixed_delta_seconds = found.delta_s
    world.apply_settings(settings)


def restore_server(host: str, port: int, found: ServerState, actors: Sequence[int]) -> None:
    """Restore a server from outside a session, as a guardian does when the session's process was killed."""
    client = carla.Client(host, port)
    client.set_timeout(CALL_PATIENCE_S)
    restore(client, found, actors)


def town_name(town: Any) -> str:
    """Return ``Town01`` for the map ``Carla/Maps/Town01``."""
    return str(town.name).rsplit("/", 1)[-1]


def xyz(vector: Any) -> tuple[float, float, float]:
    """Return a CARLA vector as a tuple."""
    return float(vector.x), float(vector.y), float(vector.z)


def transform_out(pose: Transform) -> Any:
    """Convert a pose to CARLA's type."""
    return carla.Transform(carla.Location(*pose.location), carla.Rotation(*pose.rotation))


def transform_in(pose: Any) -> Transform:
    """Convert a CARLA pose to our type."""
    return Transform(*xyz(pose.location), pose.rotation.pitch, pose.rotation.yaw, pose.rotation.roll)


def weather_out(weather: Weather) -> Any:
    """Convert a weather to CARLA's type; parameters unknown to this release are left out."""
    out = carla.WeatherParameters()
    for name, value in weather.__dict__.items():
        if hasattr(out, name):
            setattr(out, name, float(value))
    return out


def weather_in(weather: Any) -> Weather:
    """Convert a CARLA weather to our type."""
    return Weather(**{name: float(getattr(weather, name, value)) for name, value in Weather().__dict__.items()})
