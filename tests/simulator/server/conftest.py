from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from pathlib import Path

import carla
import pytest

from caos.simulator.embedded.launch import ServerProcess, serve
from caos.simulator.testing import CarlaServer
from tests.simulator.server.street import STREET

WIDTH, HEIGHT = 64, 36


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A small street at preview quality; one server per test file, so that the order of files does not matter."""
    file: Path = tmp_path_factory.mktemp("street") / "street.xodr"
    file.write_text(STREET)
    with serve(quality="preview", opendrive=file) as process:
        yield process


@pytest.fixture
def carla_server(server: ServerProcess) -> CarlaServer:
    """The file's server, for the fixtures of the pytest plugin."""
    return CarlaServer("127.0.0.1", server.port, server, town="OpenDriveMap")


@pytest.fixture
def carla_client(carla_server: CarlaServer) -> carla.Client:
    made = carla.Client(carla_server.host, carla_server.port)
    made.set_timeout(60.0)
    return made


@pytest.fixture
def client(carla_client: carla.Client) -> carla.Client:
    return carla_client


@pytest.fixture
def free_running(carla_client: carla.Client) -> Iterator[None]:
    """Restore asynchronous mode after the fixtures that follow, for tests that use no world."""
    yield
    world = carla_client.get_world()
    settings = world.get_settings()
    settings.synchronous_mode, settings.fixed_delta_seconds = False, None
    world.apply_settings(settings)


@pytest.fixture
def world(free_running: None, carla_world: carla.World) -> carla.World:
    """The street, as provided by the pytest plugin."""
    return carla_world


class Listener:
    """A sensor that queues its messages, and is stopped so that the client does not crash at exit."""

    def __init__(
        self,
        world: carla.World,
        blueprint: str,
        pose: carla.Transform,
        parent: carla.Actor | None = None,
        **values: object,
    ) -> None:
        wanted = world.get_blueprint_library().find(blueprint)
        for name, value in values.items():
            wanted.set_attribute(name, str(value))
        self.actor = world.spawn_actor(wanted, pose, attach_to=parent)
        self.messages: queue.SimpleQueue = queue.SimpleQueue()
        self.actor.listen(self.messages.put)

    def get(self, timeout_s: float = 60.0) -> object:
        return self.messages.get(timeout=timeout_s)

    def close(self) -> None:
        self.actor.stop()
        time.sleep(0.05)
        self.actor.destroy()


@pytest.fixture
def listen(world: carla.World) -> Iterator:
    made: list[Listener] = []

    def make(blueprint: str, pose: carla.Transform, parent: carla.Actor | None = None, **values: object) -> Listener:
        if blueprint.startswith("sensor.camera."):
            values = {"image_size_x": WIDTH, "image_size_y": HEIGHT, **values}
        made.append(Listener(world, blueprint, pose, parent, **values))
        return made[-1]

    yield make
    for listener in made:
        listener.close()
    time.sleep(0.2)
