"""Limits of the server: bad input costs its client an error, and other clients nothing."""

from __future__ import annotations

import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable

import carla
import pytest

from caos.foundation.errors import CaosError
from caos.simulator.embedded.blueprints.sensors import LIMITS, SENSOR_BLUEPRINTS
from caos.simulator.embedded.launch import ServerProcess
from caos.simulator.embedded.protocol.releases import client_release
from caos.simulator.embedded.world_state.opendrive_check import check_opendrive, checked_roads
from caos.simulator.weather import WEATHER_LIMITS, Weather
from tests.simulator.server.street import STREET
from tests.simulator.server.test_client import TESLA, at, spawn
from tests.simulator.server.test_protocol import Line, alive

PLAN_VIEW = re.compile(r"<planView>.*</planView>", re.DOTALL)
BROKEN = [
    (PLAN_VIEW.sub("", STREET), "no <geometry> in its <planView>"),
    (PLAN_VIEW.sub("<planView/>", STREET), "no <geometry> in its <planView>"),
    (STREET.replace("<line/>", ""), "a <geometry> needs one of arc, line"),
    (STREET.replace("<line/>", "<line/><arc curvature='0'/>"), "not line, arc"),
    (STREET.replace('a="3.5"', 'a="1e6"', 1), "a lane is 1e+06 m wide; at most 100 m"),
    (STREET.replace('a="3.5"', 'a="1e9"', 1), "a='1e9' is not a number from"),
    (STREET.replace('a="3.5" b="0"', 'a="3.5" b="9"', 1), "m wide; at most 100 m"),
    (STREET.replace('hdg="0"', 'hdg="nan"', 1), "hdg='nan' is not a number from"),
    (STREET.replace('length="160.0"', 'length="-1"'), "its length is -1.0; it must be positive"),
    (STREET.replace('id="7"', 'id="-7"'), "a road id is a whole number from 0"),
    (STREET.replace("<center>", "<centre>").replace("</center>", "</centre>"), "without a <center> lane"),
    ("<!DOCTYPE x [<!ENTITY a 'b'>]>" + STREET, "defines a document type"),
    ("<OpenDRIVE/>", "has no <road>"),
    ("<nonsense/>", "its root element is <nonsense>"),
    ("<xml>no</xml>", "is not OpenDRIVE: its root element is <xml>"),
    ("", "is not XML"),
]


@pytest.mark.parametrize(("text", "words"), BROKEN)
def test_invalid_opendrive_is_rejected_before_carlas_parser(text: str, words: str) -> None:
    with pytest.raises(CaosError) as caught:
        checked_roads("x", text)
    assert words in str(caught.value)


def test_lane_width_is_evaluated_within_its_section() -> None:
    section = STREET[STREET.index('<laneSection s="0">') : STREET.index("</lanes>")]
    # Narrow within the ten metres of its section, hundreds of metres wide if extended to the end of the road.
    steep = section.replace('a="3.5" b="0" c="0"', 'a="3.5" b="0" c="0.05"')
    rest = section.replace('laneSection s="0"', 'laneSection s="10"')
    checked_roads("taper", STREET.replace(section, steep + rest))
    with pytest.raises(CaosError, match="at most 100 m are built"):
        checked_roads("taper", STREET.replace(section, steep))


def test_remaining_errors_are_found_by_a_child_process() -> None:
    check_opendrive("street", STREET)
    two_starts = STREET.replace("</laneSection>", '</laneSection><laneSection s="0"></laneSection>', 1)
    with pytest.raises(CaosError, match="OpenDRIVE 'x'"):
        check_opendrive("x", two_starts)


@pytest.fixture
def clock(client: carla.Client) -> Callable[[], None]:
    """Check that the world still runs by itself and answers another client."""
    world = client.get_world()

    def runs() -> None:
        before = world.get_snapshot().frame
        assert world.wait_for_tick(30.0).frame > before

    return runs


def test_numbers_of_every_size_do_not_stop_the_clock(
    server: ServerProcess, client: carla.Client, clock: Callable[[], None]
) -> None:
    car = spawn(client.get_world(), TESLA, at(30))
    walker = spawn(client.get_world(), "walker.pedestrian.0002", at(60, 4.5, 1.0))
    with Line(server.port) as line:
        for huge in (3e38, 1e300, -1e30, 2**63, float("inf"), float("nan")):
            for method, arguments in (
                ("enable_actor_constant_velocity", [car.id, [huge, 0, 0]]),
                ("set_actor_target_velocity", [car.id, [0, huge, 0]]),
                ("set_actor_target_angular_velocity", [car.id, [0, 0, huge]]),
                ("add_actor_impulse", [car.id, [huge, huge, 0]]),
                ("set_actor_location", [car.id, [huge, 0, 0]]),
                ("set_actor_transform", [car.id, [[0, 0, huge], [huge, 0, 0]]]),
                ("apply_ackermann_control_to_vehicle", [car.id, [huge] * 5]),
                ("apply_control_to_walker", [walker.id, [[huge, huge, 0], huge, False]]),
                ("set_walker_state", [walker.id, [[0, 0, 0], [0, huge, 0]], huge]),
                ("apply_physics_control", [car.id, [huge] * 17]),
                ("set_imui_gravity", [huge]),
                ("set_weather_parameters", [[huge] * 14]),
                ("cast_ray", [[0, 0, 0], [huge, 0, 0]]),
                ("project_point", [[huge, 0, 0], [0, 0, -1], 10]),
            ):
                answer = line.call(method, *arguments)
                assert answer[2] is None or "expected" in answer[2], (method, huge, answer)
                assert answer[2] is None or "internal" not in answer[2], (method, huge, answer)
    clock()
    refused = pytest.raises(RuntimeError, match="expected a number in -10000..10000")
    with Line(server.port) as line, refused:
        answer = line.call("enable_actor_constant_velocity", car.id, [3e38, 0, 0])
        raise RuntimeError(answer[2])
    client.apply_batch_sync([carla.command.DestroyActor(a.id) for a in (car, walker)], False)
    clock()


def test_weather_is_clamped_to_carlas_ranges(client: carla.Client, clock: Callable[[], None]) -> None:
    world = client.get_world()
    before = world.get_weather()
    world.set_weather(
        carla.WeatherParameters(cloudiness=1e30, sun_altitude_angle=-1e30, fog_density=50.0, wetness=3e38)
    )
    found = world.get_weather()
    assert (found.cloudiness, found.sun_altitude_angle, found.fog_density, found.wetness) == (100, -90, 50, 100)
    clock()
    world.set_weather(before)
    assert list(WEATHER_LIMITS) == list(Weather.__dataclass_fields__)


BAD_SENSORS = [
    ("sensor.camera.rgb", "fstop", "0"),
    ("sensor.camera.rgb", "gamma", "0"),
    ("sensor.camera.rgb", "gamma", "1e30"),
    ("sensor.camera.rgb", "shutter_speed", "0"),
    ("sensor.camera.rgb", "iso", "-1"),
    ("sensor.camera.rgb", "exposure_compensation", "1e30"),
    ("sensor.lidar.ray_cast", "horizontal_fov", "0"),
    ("sensor.lidar.ray_cast", "range", "-3"),
    ("sensor.lidar.ray_cast", "channels", "0"),
    ("sensor.lidar.ray_cast", "points_per_second", "1e12"),
    ("sensor.other.radar", "horizontal_fov", "180"),
    ("sensor.other.gnss", "noise_lat_stddev", "1e30"),
    ("sensor.other.imu", "noise_seed", "1e300"),
    ("sensor.camera.depth", "sensor_tick", "-1"),
]


def test_invalid_sensor_attributes_are_refused(client: carla.Client) -> None:
    world = client.get_world()
    for name, attribute, value in BAD_SENSORS:
        wanted = world.get_blueprint_library().find(name)
        wanted.set_attribute(attribute, value)
        with pytest.raises(RuntimeError, match=f"{attribute}=.* is outside"):
            world.spawn_actor(wanted, at(40))
    named = {attribute.id for blueprint in SENSOR_BLUEPRINTS for attribute in blueprint.attributes}
    assert set(LIMITS) <= named


def test_idle_connections_do_not_block_new_clients(server: ServerProcess) -> None:
    with Line(server.port) as line:
        token = line.call("get_episode_info")[3][0][1][1][0]
        # Connected before the crowd, without a request yet.
        early = carla.Client("127.0.0.1", server.port)
        early.set_timeout(60.0)
        _, port = struct.unpack("<IH", token[:6])
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
        idle += [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
        for connection in idle[::3]:
            connection.sendall(b"\x94")  # slow clients: the first byte of a request
        alive(server)
        assert line.call("version")[2] is None
        assert early.get_server_version() == client_release()
        for connection in idle:
            connection.close()
    alive(server)


_FEW_DESCRIPTORS = """
import resource, sys, time
from caos.simulator.embedded.protocol.rpc import RpcServer
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
server = RpcServer("127.0.0.1", 0, lambda method, arguments: method)
server.start()
print(server.port, flush=True)
begun = time.process_time()
sys.stdin.read()
print(time.process_time() - begun, flush=True)
"""


def test_a_server_out_of_descriptors_makes_room_and_does_not_spin() -> None:
    command = [sys.executable, "-c", _FEW_DESCRIPTORS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        port = int(child.stdout.readline())
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
        with Line(port) as line:
            assert line.call("hello") == [1, 7, None, "hello"]
        time.sleep(1.0)  # a busy accept loop would use all of it
        child.stdin.close()
        assert float(child.stdout.read()) < 0.5
        for connection in silent:
            connection.close()


def test_serve_logs_clients_and_ends_with_ctrl_c(tmp_path) -> None:
    (tmp_path / "street.xodr").write_text(STREET)
    for number in (signal.SIGINT, signal.SIGTERM):
        child = subprocess.Popen(
            [sys.executable, "-m", "caos", "serve", "--port", "0", "--quality", "draft", "--opendrive", "street.xodr"],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stderr is not None
        said = []
        for line in child.stderr:
            said.append(line)
            if "Ctrl-C ends it" in line:
                break
        with Line(int(re.search(r":(\d+),", said[-1])[1])) as line:
            line.call("get_episode_info")
        child.send_signal(number)
        rest = child.communicate(timeout=600)[1]
        assert "stopped" in rest, said
        assert "a client joins OpenDriveMap: the roads of street.xodr" in rest
        assert "Traceback" not in rest
        assert child.returncode == 0


GONE = 4_000_000
NOT_FOUND = "Actor could not be found in the registry"
OF_ACTORS = [
    ("get_physics_control", (), NOT_FOUND),
    ("get_vehicle_light_state", (), NOT_FOUND),
    ("get_wheel_steer_angle", (0,), NOT_FOUND),
    ("get_actor_bone_names", (), NOT_FOUND),
    ("set_actor_location", ([0.0, 0.0, 0.0],), NOT_FOUND),
    ("set_actor_simulate_physics", (True,), NOT_FOUND),
    ("apply_control_to_walker", ([[0.0, 0.0, 0.0], 0.0, False],), NOT_FOUND),
    ("set_traffic_light_state", (0,), NOT_FOUND),
    ("get_light_boxes", (), NOT_FOUND),
    ("destroy_actor", (), "unable to destroy actor: not found"),
    ("get_group_traffic_lights", (), "unable to get group traffic lights: actor not found"),
]


def test_calls_on_a_removed_actor_are_answered_as_in_carla(server: ServerProcess) -> None:
    with Line(server.port) as line:
        assert line.call("get_actor_bounding_box", GONE)[3] == [[1, [[0.0] * 3, [0.0] * 3, [0.0] * 3, 0]]]
        for name, arguments, words in OF_ACTORS:
            wrapped = line.call(name, GONE, *arguments)[3][0]
            full = words if words != NOT_FOUND else f"Responding error from function {name}: {words}.  Actor Id: {GONE}"
            assert wrapped[1] == [full], name


def test_a_call_on_an_actor_of_another_type_is_refused(server: ServerProcess) -> None:
    with Line(server.port) as line:
        spectator = line.call("get_spectator")[3][0][1][0]
        for name, words in (
            ("get_physics_control", "Actor does not match the expected type"),
            ("get_light_boxes", "Actor is not a traffic light"),
        ):
            told = line.call(name, spectator)[3][0][1]
            assert told == [f"Responding error from function {name}: {words}.  Actor Id: {spectator}"]
