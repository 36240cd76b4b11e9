"""The pytest plugin: used by an outside project; a test leaves nothing behind for the next one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from caos.simulator.embedded.launch import serve
from tests.simulator.server.street import STREET

PROJECT = Path(__file__).resolve().parents[3] / "examples" / "carla_client"
PLUGIN = "caos.simulator.testing"

LEAVE_EVERYTHING = """
import random
import carla, pytest

seen = {}

def look(world):
    things = world.get_environment_objects(carla.CityObjectLabel.Buildings)
    lights = [light.is_frozen() for light in world.get_actors().filter("traffic.traffic_light*")]
    settings = world.get_settings()
    times = sorted({light.get_green_time() for light in world.get_actors().filter("traffic.traffic_light*")})
    return (len(world.get_actors()), len(things), sum(lights), str(world.get_weather()), settings.synchronous_mode,
            settings.fixed_delta_seconds, settings.no_rendering_mode, times, settings.max_substeps,
            world.get_spectator().get_transform().location.x, random.random())

def test_mess(carla_world, carla_client):
    seen["before"] = look(carla_world)
    library, points = carla_world.get_blueprint_library(), carla_world.get_map().get_spawn_points()
    car = carla_world.spawn_actor(library.find("vehicle.tesla.model3"), points[0])
    camera = carla_world.spawn_actor(library.find("sensor.camera.depth"), carla.Transform(), attach_to=car)
    camera.listen(lambda image: None)
    carla_world.tick()
    carla_world.set_weather(carla.WeatherParameters.HardRainNight)
    carla_world.freeze_all_traffic_lights(True)
    for light in carla_world.get_actors().filter("traffic.traffic_light*"):
        light.set_green_time(77.0)
    carla_world.unload_map_layer(carla.MapLayer.Buildings)
    carla_world.get_spectator().set_transform(points[1])
    carla_world.tick()
    settings = carla_world.get_settings()
    settings.synchronous_mode, settings.fixed_delta_seconds, settings.no_rendering_mode = False, 0.1, True
    carla_world.apply_settings(settings)
    assert look(carla_world)[:7] != seen["before"][:7]
    carla_client.set_timeout(0.01)

def test_all_is_as_before(carla_world):
    assert look(carla_world) == seen["before"]

def test_mess_in_a_world_of_its_own(carla_client, carla_world, tmp_path):
    carla_client.start_recorder(str(tmp_path / "left.log"))
    settings = carla_world.get_settings()
    settings.no_rendering_mode, settings.max_substeps = True, 3
    carla_world.apply_settings(settings)
    world = carla_client.reload_world(False)
    points = world.get_map().get_spawn_points()
    world.spawn_actor(world.get_blueprint_library().find("vehicle.tesla.model3"), points[0])
    world.set_weather(carla.WeatherParameters.HardRainNight)
    world.tick()

def test_all_is_as_before_again(carla_world):
    now = look(carla_world)
    assert now == seen["before"]

@pytest.mark.carla(town="Town01_Opt")
def test_another_town(carla_world):
    assert carla_world.get_map().name.endswith("Town01_Opt")
    seen["id"] = carla_world.id

def test_the_town_of_the_run_again(carla_world):
    assert carla_world.get_map().name.endswith("/Town01")
    assert carla_world.id != seen["id"]

def test_that_fails(carla_world):
    assert False, "on purpose"
"""


TELL_HOW = """
import pytest
from caos.foundation.errors import CaosError
from caos.simulator.embedded import launch

def refuse(*words, **options):
    raise CaosError(f"asked to warm up: {options['warm_up']}")

@pytest.fixture(scope="session", autouse=True)
def nothing_is_served():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "serve", refuse)
        yield

def test_blind(carla_world):
    ...

@pytest.mark.carla(pictures=True)
def test_seeing(carla_world):
    ...
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=280)


def test_an_outside_project_and_what_a_test_leaves_behind(tmp_path: Path) -> None:
    messy = tmp_path / "test_messy.py"
    messy.write_text(LEAVE_EVERYTHING)
    done = run("--carla-seed", "5", "tests", str(messy))
    assert "1 failed, 10 passed" in done.stdout, done.stdout[-4000:] + done.stderr[-1000:]
    assert "test_that_fails" in done.stdout
    # The server's log is part of the report.
    assert re.search(r"-+ CARLA server -+\n.*Town01", done.stdout, re.DOTALL)


@pytest.mark.parametrize(("which", "said"), [("blind", "False"), ("blind or seeing", "True")])
def test_the_server_warms_up_if_a_test_has_the_pictures_mark(tmp_path: Path, which: str, said: str) -> None:
    file = tmp_path / "test_looks.py"
    file.write_text(TELL_HOW)
    assert f"asked to warm up: {said}" in run(str(file), "-k", which).stdout


def test_warm_up_is_complete_when_the_server_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAOS_SERVER_LOG", "DEBUG")
    file = tmp_path / "street.xodr"
    file.write_text(STREET)
    with serve(quality="preview", opendrive=file, warm_up=True) as server:
        assert "warmed up" in server.log()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--carla-quality", "prewiev"), "unknown quality 'prewiev'"),
        (("--carla-server", "127.0.0.1:x"), "--carla-server: 'x' is not a whole number"),
    ],
)
def test_bad_options_are_named(words: tuple[str, ...], said: str) -> None:
    done = run(*words, "-k", "empty_town")
    assert done.returncode != 0
    assert said in done.stdout + done.stderr


def test_options_are_listed_without_heavy_imports() -> None:
    done = run("--help")
    assert all(f"--carla-{name}=" in done.stdout for name in ("town", "maps", "seed", "quality", "server"))
    code = f"import sys, {PLUGIN}; print(sorted({{'carla', 'torch', 'mitsuba', 'numpy'}} & set(sys.modules)))"
    light = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert light.stdout.strip() == "[]"
