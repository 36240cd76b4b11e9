"""What the embedded server costs whoever tests a client with it: start, ticks, sensors, memory, installation."""

from __future__ import annotations

import importlib.metadata
import queue
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import carla
import psutil

from caos.simulator.embedded.launch import ServerProcess, serve

SIZE = (640, 360)
VEHICLES, CROWD, TICKS, PICTURES, ROUNDS = 50, 60, 200, 6, 2
LOADS, TOWNS = 200, ("Town01", "Town02")
RGB, LABELS = "camera.rgb", "camera.semantic_segmentation"
WEATHERS = {
    "by day": carla.WeatherParameters.ClearNoon,
    "in rain": carla.WeatherParameters.HardRainNoon,
    "at night": carla.WeatherParameters.ClearNight,
}
SENSORS = (
    "camera.semantic_segmentation",
    "camera.rgb",
    "camera.instance_segmentation",
    "camera.depth",
    "camera.normals",
    "camera.optical_flow",
    "camera.dvs",
    "lidar.ray_cast",
    "lidar.ray_cast_semantic",
    "other.radar",
)


@dataclass(frozen=True)
class ClientCosts:
    """What was measured.

    Attributes:
        start_s: From nothing to the first answer, with the town in the cache.
        crowded_cpu_s: Processor seconds of the first picture a server draws, of a street with a vehicle at 60 places.
        warm_crowded_cpu_s: The same of a server that has warmed up.
        ticks_per_s: With 50 vehicles under a TrafficManager and no camera.
        sensor_cpu_s: Processor seconds of the server for a frame of each sensor; cameras have 640x360 pixels.
        rgb_to_labels: What a picture costs in processor time where a semantic one costs one, by weather.
        loads_mb: Memory of the server after 20 loads of towns, and after 200.
        installed_mb: Everything that ``caos-bench[simulator]`` installs.
    """

    start_s: float
    crowded_cpu_s: float
    warm_crowded_cpu_s: float
    ticks_per_s: float
    sensor_cpu_s: dict[str, float]
    rgb_to_labels: dict[str, float]
    loads_mb: tuple[float, float]
    installed_mb: float


def measure_client_costs(town: str = "Town01", quality: str = "preview") -> ClientCosts:
    """The costs in a town."""
    crowded_picture_cpu_s(town, quality)  # so that the town and the vehicles are in the cache
    crowded_cpu_s = crowded_picture_cpu_s(town, quality)
    warm_crowded_cpu_s = crowded_picture_cpu_s(town, quality, warm_up=True)
    began = time.perf_counter()
    with serve(town, quality) as server:
        client = carla.Client("127.0.0.1", server.port)
        client.set_timeout(120.0)
        world = client.get_world()
        start_s = time.perf_counter() - began
        settings = world.get_settings()
        settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
        world.apply_settings(settings)
        sensors = {name: _sensor_cpu_s(world, server, name) for name in SENSORS}
        ratios = {name: _rgb_to_labels(world, server, weather) for name, weather in WEATHERS.items()}
        ticks = _ticks_per_s(client, world)
        memory = _loads_mb(client, server)
    return ClientCosts(start_s, crowded_cpu_s, warm_crowded_cpu_s, ticks, sensors, ratios, memory, installed_mb())


def crowded_picture_cpu_s(town: str, quality: str, vehicles: int = CROWD, *, warm_up: bool = False) -> float:
    """Processor seconds of a server's first picture, with vehicles of all kinds in the town."""
    with serve(town, quality, warm_up=warm_up) as server:
        client = carla.Client("127.0.0.1", server.port)
        client.set_timeout(120.0)
        world = client.get_world()
        cars, points = list(world.get_blueprint_library().filter("vehicle.*")), world.get_map().get_spawn_points()
        made = [carla.command.SpawnActor(cars[k % len(cars)], points[k]) for k in range(min(vehicles, len(points)))]
        client.apply_batch_sync(made)
        blueprint, messages = _camera(world, RGB), queue.SimpleQueue()
        points[0].location.z += 1.5
        process = psutil.Process(server.pid)
        before = sum(process.cpu_times()[:2])
        with _listening(world, blueprint, points[0], messages):
            messages.get(timeout=120)
            return sum(process.cpu_times()[:2]) - before


def _rgb_to_labels(world: carla.World, server: ServerProcess, weather: carla.WeatherParameters) -> float:
    """Alternately, so that whatever else the machine does touches both."""
    world.set_weather(weather)
    pairs = [[_sensor_cpu_s(world, server, name) for name in (RGB, LABELS)] for _ in range(ROUNDS)]
    rgb, labels = (sum(costs) for costs in zip(*pairs, strict=True))
    return rgb / labels


def _loads_mb(client: carla.Client, server: ServerProcess) -> tuple[float, float]:
    """Memory after the first loads and after all; every tenth is of another town."""
    process, found = psutil.Process(server.pid), []
    for k in range(1, LOADS + 1):
        client.load_world(TOWNS[k // 10 % len(TOWNS)])
        if k in (LOADS // 10, LOADS):
            time.sleep(3.0)  # what is free goes back a moment after the load
            found.append(process.memory_info().rss / 1e6)
    return found[0], found[1]


def seconds_to_answer(town: str = "Town01", quality: str = "standard") -> float:
    """Processor seconds of a server from nothing to its first answer, with its town in the cache."""
    serve(town, quality).stop()
    with serve(town, quality) as server:
        client = carla.Client("127.0.0.1", server.port)
        client.set_timeout(120.0)
        client.get_world()
        return sum(psutil.Process(server.pid).cpu_times()[:2])


def _sensor_cpu_s(world: carla.World, server: ServerProcess, name: str) -> float:
    blueprint = _camera(world, name)
    pose = world.get_map().get_spawn_points()[0]
    pose.location.z += 1.5
    process, messages = psutil.Process(server.pid), queue.SimpleQueue()
    with _listening(world, blueprint, pose, messages) as sensor:
        # the first pictures load the town, and an event camera is silent while nothing moves
        for k in range(2 + PICTURES):
            if k == 2:
                before = sum(process.cpu_times()[:2])
            pose.rotation.yaw += 2.0
            sensor.set_transform(pose)
            world.tick()
            if not (name == "camera.dvs" and k == 0):
                messages.get(timeout=120)
        return (sum(process.cpu_times()[:2]) - before) / PICTURES


def _camera(world: carla.World, name: str) -> carla.ActorBlueprint:
    """A sensor's blueprint; cameras in the size that is measured."""
    blueprint = world.get_blueprint_library().find(f"sensor.{name}")
    if name.startswith("camera."):
        for side, pixels in zip("xy", SIZE, strict=True):
            blueprint.set_attribute(f"image_size_{side}", str(pixels))
    return blueprint


@contextmanager
def _listening(
    world: carla.World, blueprint: carla.ActorBlueprint, pose: carla.Transform, messages: queue.SimpleQueue
) -> Iterator[carla.Actor]:
    sensor = world.spawn_actor(blueprint, pose)
    sensor.listen(messages.put)
    yield sensor
    sensor.stop()
    time.sleep(0.2)
    sensor.destroy()
    if world.get_settings().synchronous_mode:
        world.tick()


def _ticks_per_s(client: carla.Client, world: carla.World) -> float:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    manager = client.get_trafficmanager(port)
    manager.set_synchronous_mode(True)
    manager.set_random_device_seed(0)
    cars = list(world.get_blueprint_library().filter("vehicle.*"))
    points = world.get_map().get_spawn_points()
    spawned = 0
    for k, point in enumerate(points):
        vehicle = world.try_spawn_actor(cars[k % len(cars)], point) if spawned < VEHICLES else None
        if vehicle is not None:
            vehicle.set_autopilot(True, port)
            spawned += 1
    for _ in range(20):
        world.tick()
    began = time.perf_counter()
    for _ in range(TICKS):
        world.tick()
    taken = time.perf_counter() - began
    manager.shut_down()
    return TICKS / taken


def installed_mb(distribution: str = "caos-bench", extra: str = "simulator") -> float:
    """What a distribution and all it needs with an extra take on disk, as far as they are installed here."""
    todo, seen, total = [(distribution, extra)], set(), 0
    while todo:
        name, wanted = todo.pop()
        if (name, wanted) in seen:
            continue
        is_new = not any(name == known for known, _ in seen)
        seen.add((name, wanted))
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if is_new:
            files = [file.locate() for file in found.files or ()]
            total += sum(file.stat().st_size for file in files if file.is_file())
        todo += list(_requirements(found, wanted))
    return total / 1e6


def _requirements(found: importlib.metadata.Distribution, extra: str) -> Iterator[tuple[str, str]]:
    """Names and extras of what a distribution needs on this system; its marks decide."""
    from packaging.requirements import Requirement

    for line in found.requires or ():
        needed = Requirement(line)
        if needed.marker is None or needed.marker.evaluate({"extra": extra}):
            name = re.sub(r"[-_.]+", "-", needed.name).lower()
            yield from ((name, own) for own in needed.extras or {""})
