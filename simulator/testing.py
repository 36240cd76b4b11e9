"""Pytest fixtures: an embedded CARLA server for the tests of any client, without a GPU.

Pytest loads this module (entry point ``pytest11``) wherever this package is installed; nothing is started or imported
until a test requests a fixture::

    def test_my_agent(carla_world):        # a town, empty, seeded, synchronous
        ...

One server serves a test run, or each worker of pytest-xdist. After each test the world is restored: actors, settings,
weather, traffic lights and their times, hidden parts of the town, and the town itself. A recorder is stopped.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pytest

if TYPE_CHECKING:
    import carla

    from caos.simulator.embedded.launch import ServerProcess

OPTIONS: Final = {
    "town": ("Town01", "the first town"),
    "maps": ("", "folder of OpenDRIVE files that replace towns of the same name"),
    "library": ("", "folder of objects to offer as static.prop.*"),
    "seed": ("0", "seed of traffic, pedestrians and Python's random numbers, set before each test"),
    "quality": ("preview", "render quality: preview, draft, standard or high"),
    "delta": ("0.05", "seconds per tick"),
    "timeout": ("120", "timeout of calls in seconds"),
    "server": ("", "host:port of a server to use instead of starting one, a real CARLA for example"),
}
"""Default and description of each option: ``--carla-NAME`` on the command line, ``carla_NAME`` in the ini file."""
MARKER: Final = (
    "carla(town=None, fresh=False, pictures=False): the town of a test, if not that of the run, or a new load of it; "
    "and whether the server renders a first image in advance"
)
LIGHTS: Final = "traffic.traffic_light*"
LAST_MESSAGES_S: Final = 0.2
"""Delay in seconds before a client ends: it may crash while its sensors still deliver."""


@dataclass(frozen=True)
class CarlaServer:
    """A server that tests connect to.

    Attributes:
        host: Its address.
        port: Its RPC port.
        process: The embedded server, if this run started it.
        town: The first town, if not that of the option; for a custom ``carla_server`` fixture.
    """

    host: str
    port: int
    process: ServerProcess | None = None
    town: str = ""

    def log(self) -> str:
        """Return the end of the server's output; empty for one that was running before."""
        return self.process.log() if self.process else ""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("carla", "a small CARLA for tests (caos-bench)")
    for name, (default, meaning) in OPTIONS.items():
        group.addoption(f"--carla-{name}", metavar=name.upper(), help=f"{meaning} ({default or 'none'})")
        parser.addini(f"carla_{name}", meaning, default=default)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


# Old-style hook wrapper, supported by every pytest: this module is loaded wherever the package is installed.
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Add the server's output to the report of a failed test."""
    report = (yield).get_result()
    server = getattr(item, "funcargs", {}).get("carla_server")
    if isinstance(server, CarlaServer) and report.failed and (said := server.log()):
        report.sections.append(("CARLA server", said))


def option(config: pytest.Config, name: str) -> str:
    """Return the value of an option: the command line's, else the ini file's, else the default."""
    given = config.getoption(f"--carla-{name}")
    return str(given if given is not None else config.getini(f"carla_{name}"))


@pytest.fixture(scope="session")
def carla_server(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> Iterator[CarlaServer]:
    """A CARLA server: the embedded one, started for this run, or the one given by ``--carla-server``.

    If a test of the run has the mark with ``pictures``, the server has rendered a first image and built all vehicles.
    """
    address = option(pytestconfig, "server")
    if address:
        host, _, port = address.partition(":")
        yield CarlaServer(host, _whole_number("server", port or "2000"))
        return
    from caos.foundation.errors import CaosError
    from caos.simulator.embedded.launch import serve

    options: dict[str, Any] = {name: Path(v) for name in ("maps", "library") if (v := option(pytestconfig, name))}
    options["warm_up"] = any(_wants_pictures(item) for item in request.session.items)
    try:
        process = serve(option(pytestconfig, "town"), option(pytestconfig, "quality"), **options)
    except CaosError as error:
        _refuse(str(error))
    with process:
        yield CarlaServer("127.0.0.1", process.port, process)


def _wants_pictures(item: pytest.Item) -> bool:
    return any(mark.kwargs.get("pictures") for mark in item.iter_markers("carla"))


@pytest.fixture(scope="session")
def carla_client(carla_server: CarlaServer, pytestconfig: pytest.Config) -> carla.Client:
    """A client of the server."""
    import carla

    client = carla.Client(carla_server.host, carla_server.port)
    client.set_timeout(_number("timeout", option(pytestconfig, "timeout")))
    return client


@pytest.fixture
def carla_world(
    carla_client: carla.Client, carla_server: CarlaServer, request: pytest.FixtureRequest
) -> Iterator[carla.World]:
    """A town without actors of earlier tests, seeded, in synchronous mode; restored after the test."""
    if carla_server.process and not carla_server.process.is_running:
        pytest.fail(f"the CARLA server has ended: {carla_server.log()}", pytrace=False)
    timeout_s = _number("timeout", option(request.config, "timeout"))
    seed = _whole_number("seed", option(request.config, "seed"))
    random.seed(seed)
    marker = request.node.get_closest_marker("carla")
    wanted = marker.kwargs if marker else {}
    town = wanted.get("town") or carla_server.town or option(request.config, "town")
    world = _load(carla_client, town, fresh=wanted.get("fresh", False))
    world.set_pedestrians_seed(seed)
    before = KeptState.of(world, _number("delta", option(request.config, "delta")))
    yield world
    carla_client.set_timeout(timeout_s)  # a test may have set a shorter one
    before.put_back(carla_client)


@pytest.fixture
def carla_traffic_manager(
    carla_client: carla.Client,
    carla_world: carla.World,  # noqa: ARG001 (there has to be one)
    pytestconfig: pytest.Config,
) -> Iterator[Any]:
    """A TrafficManager on a free port (several workers cannot share one), seeded and in synchronous mode."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    manager = carla_client.get_trafficmanager(port)
    manager.set_random_device_seed(_whole_number("seed", option(pytestconfig, "seed")))
    manager.set_synchronous_mode(True)
    yield manager
    world = carla_client.get_world()
    if world.get_settings().synchronous_mode:
        world.tick()  # the process crashes if a manager still refers to vehicles that the test has destroyed
    manager.shut_down()


def _load(client: carla.Client, town: str, *, fresh: bool) -> carla.World:
    """Return the world in a town; it is loaded if it is another one or a fresh load is requested."""
    world = client.get_world()
    if world.get_map().name.rsplit("/", 1)[-1] != town:
        return client.load_world(town)
    return client.reload_world() if fresh else world


@dataclass(frozen=True)
class KeptState:
    """State of a world before a test, in synchronous mode."""

    world: carla.World
    actors: frozenset[int]
    weather: Any
    settings: Any
    spectator: Any
    lights: dict[int, tuple[float, float, float]]

    @classmethod
    def of(cls, world: carla.World, delta_s: float) -> KeptState:
        """Record the state of a world, which is put into synchronous mode and ticked once for that."""
        settings = world.get_settings()
        settings.synchronous_mode, settings.fixed_delta_seconds, settings.no_rendering_mode = True, delta_s, False
        world.apply_settings(settings)
        world.tick()
        actors = frozenset(actor.id for actor in world.get_actors())
        lights = {light.id: _times(light) for light in world.get_actors().filter(LIGHTS)}
        return cls(world, actors, world.get_weather(), settings, world.get_spectator().get_transform(), lights)

    def put_back(self, client: carla.Client) -> None:
        """Restore the world. If a test has loaded another episode, the town is loaded again."""
        import carla

        client.stop_replayer(False)
        client.stop_recorder()
        world = client.get_world()
        world.apply_settings(self.settings)
        if world.id != self.world.id:
            client.load_world(self.world.get_map().name)
            return
        world.tick()
        extra = [actor for actor in world.get_actors() if actor.id not in self.actors]
        client.apply_batch_sync([carla.command.DestroyActor(actor.id) for actor in extra], False)
        world.set_weather(self.weather)
        for light in world.get_actors().filter(LIGHTS):
            if _times(light) != self.lights.get(light.id):
                _set_times(light, *self.lights[light.id])
        world.freeze_all_traffic_lights(False)
        world.reset_all_traffic_lights()
        with contextlib.suppress(RuntimeError):  # a real server has layers in some towns only
            world.load_map_layer(carla.MapLayer.All)
        world.enable_environment_objects({thing.id for thing in world.get_environment_objects()}, True)
        world.get_spectator().set_transform(self.spectator)
        world.tick()
        if any(actor.type_id.startswith("sensor.") for actor in extra):
            time.sleep(LAST_MESSAGES_S)


def _times(light: carla.TrafficLight) -> tuple[float, float, float]:
    """Durations of green, yellow and red in seconds."""
    return light.get_green_time(), light.get_yellow_time(), light.get_red_time()


def _set_times(light: carla.TrafficLight, green_s: float, yellow_s: float, red_s: float) -> None:
    light.set_green_time(green_s)
    light.set_yellow_time(yellow_s)
    light.set_red_time(red_s)


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if number <= 0:
        _refuse(f"--carla-{name}={value!r} is not a number above zero")
    return number


def _whole_number(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        _refuse(f"--carla-{name}: {value!r} is not a whole number")


def _refuse(words: str) -> NoReturn:
    """Fail with one line, without a traceback into this file."""
    raise pytest.fail.Exception(words, pytrace=False) from None
