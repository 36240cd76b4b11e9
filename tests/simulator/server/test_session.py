"""Sessions on the embedded server, used like a real one: at an address, shared, restored afterwards."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import carla
import numpy as np
import pytest

from caos.foundation.errors import CaosError, LostError
from caos.simulator.actor_pool import Spawn
from caos.simulator.connection import LossReporting, check_versions
from caos.simulator.embedded.launch import ServerProcess
from caos.simulator.embedded.protocol.releases import client_release
from caos.simulator.frames import Frame
from caos.simulator.guardian import ServerState, read_orders
from caos.simulator.session import Session
from caos.simulator.transform import Transform
from caos.simulator.weather import preset

VILLAGE = Path(__file__).resolve().parents[3] / "examples/village.toml"
EYE = Transform(20, 1.75, 1.6)
SIZE = (64, 36)


def look(client: carla.Client) -> tuple[object, ...]:
    world = client.get_world()
    settings, weather = world.get_settings(), world.get_weather()
    world.wait_for_tick(60.0)
    actors = sorted(actor.id for actor in world.get_actors())
    return (
        settings.synchronous_mode,
        settings.fixed_delta_seconds,
        weather.cloudiness,
        weather.sun_altitude_angle,
        actors,
    )


@pytest.fixture
def session(server: ServerProcess):
    with Session.open(f"127.0.0.1:{server.port}") as opened:
        yield opened


def test_hazard_masks_are_found_by_instance_id(session: Session) -> None:
    assert session.is_embedded
    assert session.town == "OpenDriveMap"
    hazard = session.spawn_hazard(session.hazards()[0], Transform(27, 1.2))
    car = session.spawn_vehicle("vehicle.tesla.model3", Transform(40, 1.75), color="200,20,20")
    walker = session.spawn_walker("walker.pedestrian.0003", Transform(30, -1.0), walking=True)
    frame = session.capture(EYE, *SIZE, 70.0)
    masks = session.hazard_masks(frame, [hazard, car, walker])
    assert all(mask.sum() >= 3 for mask in masks.values())
    assert set(np.unique(frame.tags[masks[walker]])) == {12}
    assert frame.rgb.shape == (36, 64, 3)
    assert np.isinf(frame.depth[frame.tags == 11]).all()
    nearest = frame.depth[masks[hazard]].min()
    assert nearest == pytest.approx(7, abs=session.bounds(hazard).extent[0] + 0.5)
    box = session.bounds(walker)
    assert box.center[2] == pytest.approx(box.extent[2])
    points = frame.points()[masks[walker]]
    assert points[:, 2].min() > -0.05
    assert abs(points[:, 0] - 30).max() < 0.8


def test_many_captures_leave_no_actors_behind(session: Session, client: carla.Client) -> None:
    world = client.get_world()
    session.capture(EYE, *SIZE, outputs=("instances", "depth"))
    first = session.capture(EYE, *SIZE, outputs=("instances", "depth"))
    count = len(world.get_actors())
    frames = [session.capture(Transform(20 + k, 1.75, 1.6), *SIZE, outputs=("instances",)).frame for k in range(5)]
    assert frames == list(range(first.frame + 1, first.frame + 6))
    again = session.capture(EYE, *SIZE, outputs=("instances", "depth"))
    assert np.array_equal(first.depth, again.depth)
    assert again.rgb is None
    assert len(world.get_actors()) == count
    session.capture(EYE, 32, 18, outputs=("depth",))
    session.tick()
    # This client receives the other one's tick shortly after.
    patience = time.monotonic() + 30
    while len(world.get_actors()) != count - 1 and time.monotonic() < patience:
        time.sleep(0.05)
    assert len(world.get_actors()) == count - 1


def test_colour_cameras_do_not_listen_between_captures(session: Session) -> None:
    session.capture(EYE, *SIZE, 70.0)
    listening = {name: camera.actor.is_listening() for name, camera in session._rig._cameras.items()}
    assert listening == {"rgb": False, "tags": True, "instances": True, "depth": True}
    assert session.capture(EYE, *SIZE, 70.0).rgb is not None


def test_spawning_many_reports_those_that_do_not_fit(session: Session) -> None:
    wanted = [Spawn("vehicle.audi.tt", Transform(30 + 3 * (k % 2) + 10 * (k // 2), 1.75)) for k in range(6)]
    made = session.spawn_many(wanted)
    assert [one is None for one in made] == [False, True] * 3
    session.move({made[0]: Transform(60, -1.75, 0, yaw_deg=180)})
    session.tick()
    assert session._pool._actor(made[0]).get_location().x == pytest.approx(60)
    session.destroy_all()
    assert session.actors == {}
    with pytest.raises(
        CaosError, match="unknown blueprint 'vehicle.tesla.model4'; did you mean 'vehicle.tesla.model3'"
    ):
        session.spawn_vehicle("vehicle.tesla.model4", Transform())


def test_ground_and_rays(session: Session) -> None:
    height, tag = session.project_to_ground(30, 1.75, 4.0)
    assert height == pytest.approx(0.0, abs=0.02)
    assert tag in {1, 24}
    assert session.project_to_ground(30, 1.75, 4.0, reach_m=1.0) is None
    assert any(tag in {1, 24} for _, tag in session.cast_ray((30, 1.75, 4), (30, 1.75, -1)))


def test_a_server_is_restored_after_success_and_after_an_error(server: ServerProcess, client: carla.Client) -> None:
    before = look(client)
    with Session.open(f"127.0.0.1:{server.port}") as session:
        session.set_weather(preset("overcast"))
        session.spawn_vehicle("vehicle.audi.tt", Transform(40, 1.75))
        session.capture(EYE, *SIZE, outputs=("depth",))
    assert look(client) == before
    with pytest.raises(KeyboardInterrupt), Session.open(f"127.0.0.1:{server.port}") as session:
        session.set_weather(preset("fog"))
        session.spawn_walker("walker.pedestrian.0001", Transform(40, 1.75))
        raise KeyboardInterrupt
    assert look(client) == before


_KILLED = """
import sys, time
from caos.simulator.session import Session
from caos.simulator.transform import Transform
from caos.simulator.weather import preset
session = Session.open(sys.argv[1])
session.set_weather(preset("fog"))
session.spawn_vehicle("vehicle.audi.tt", Transform(40, 1.75))
session.capture(Transform(20, 1.75, 1.6), 64, 36, outputs=("depth",))
print("ready", flush=True)
time.sleep(60)
"""


def test_a_server_is_restored_when_the_session_is_killed(server: ServerProcess, client: carla.Client) -> None:
    before = look(client)
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, f"127.0.0.1:{server.port}"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    assert client.get_world().get_settings().synchronous_mode
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    until = time.monotonic() + 120
    while client.get_world().get_settings().synchronous_mode and time.monotonic() < until:
        time.sleep(0.2)
    assert look(client) == before


_ENDED = """
import sys
from caos.simulator.session import Session
from caos.simulator.transform import Transform
with Session.open(sys.argv[1]) as session:
    for _ in range(3):
        session.capture(Transform(20, 1.75, 1.6), 64, 36, outputs=("depth", "tags"))
if sys.argv[2] == "fail":
    sys.exit(3)
"""


@pytest.mark.parametrize(("how", "code"), [("end", 0), ("fail", 3)])
def test_the_clients_exit_crash_stays_away_from_exit_codes(server: ServerProcess, how: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ENDED, f"127.0.0.1:{server.port}", how], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr


def test_no_server_at_the_address() -> None:
    words = rf"no CARLA server answers at 127.0.0.1:1 \(\d+ tries in 1 s, client {client_release()}"
    with pytest.raises(CaosError, match=words):
        Session.open("127.0.0.1:1", connect_patience_s=1.0)
    for wrong in ("localhost", "localhost:x", ":2000", "localhost:99999"):
        with pytest.raises(CaosError, match="neither 'embedded' nor HOST:PORT"):
            Session.open(wrong)


def test_mismatched_versions_are_refused() -> None:
    check_versions("0.9.16-12-gabc", "0.9.16", "h", 1)
    with pytest.raises(CaosError, match=r"pip install carla==0.9.15 \(there is one for Python 3.10 only\)"):
        check_versions("0.9.15", "0.9.16", "h", 1)
    with pytest.raises(CaosError, match="0.9.15 or later"):
        check_versions("0.9.14", "0.9.14", "h", 1)
    check_versions("0.9.15", "0.9.15", "h", 1)
    with pytest.raises(CaosError, match="pip install carla==0.9.16$"):
        check_versions("0.9.16", "0.9.15", "h", 1)


def test_a_missing_image_names_its_camera(session: Session) -> None:
    session.capture(EYE, *SIZE, outputs=("tags", "depth"))
    session._rig._cameras["depth"].actor.stop()
    with pytest.raises(CaosError, match=r"no image from the 'depth' camera within 3 s \(received: tags\)"):
        session.capture(EYE, *SIZE, outputs=("tags", "depth"), patience_s=3.0)
    with pytest.raises(CaosError, match="unknown output 'normal'; did you mean 'normals'"):
        session.capture(EYE, *SIZE, outputs=("normal",))


def test_ambiguous_instance_ids_are_reported(session: Session) -> None:
    car = session.spawn_vehicle("vehicle.audi.tt", Transform(40, 1.75))
    frame = session.capture(EYE, *SIZE, outputs=("instances", "depth"))
    instances = frame.instances.copy()
    instances[-1, :] = car & 0xFFFF
    forged = Frame(frame.frame, frame.pose, frame.fov_deg, instances=instances, depth=frame.depth)
    with pytest.raises(CaosError, match="another object shares its 16-bit number"):
        session.hazard_masks(forged, [car])
    with pytest.raises(CaosError, match="share the 16-bit instance number"):
        session._pool._check_unique([car, car + 65536])


def test_the_guardian_reads_its_orders() -> None:
    found = ServerState("Town01", synchronous=False, no_rendering=False, delta_s=None, weather=(1.0, 2.0))
    order = json.dumps({"found": found.__dict__, "actors": [3, 4]}) + "\n"
    assert read_orders([order, "done\n"]) is None
    assert read_orders([]) is None
    assert read_orders(["{}\n", order, '{"found": {"to']) == (found, [3, 4])


def test_only_errors_of_the_client_become_lost_errors() -> None:
    client = LossReporting(carla.Client("127.0.0.1", 1))
    client.set_timeout(0.5)
    with pytest.raises(LostError, match="the simulator failed to answer get_server_version: time-out of 500ms"):
        client.get_server_version()
    with pytest.raises(AttributeError, match="get_sever_version"):
        client.get_sever_version()
    # Errors while the caller processes a result are not errors of the client.
    with pytest.raises(RuntimeError, match="^a bug of ours$") as caught:
        _fail(client.get_client_version())
    assert not isinstance(caught.value, CaosError)


def _fail(_: object) -> None:
    raise RuntimeError("a bug of ours")


def test_a_refused_camera_is_not_a_lost_server(session: Session) -> None:
    with pytest.raises(CaosError, match=r"cannot make a rgb camera of 0x36, 90 degrees: ") as caught:
        session.capture(EYE, 0, 36, outputs=("rgb",))
    assert not isinstance(caught.value, LostError)


def test_a_custom_town_is_loaded_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "broken.xodr").write_text("<nonsense/>")
    with Session.open(quality="draft") as session:
        session.load_town(str(VILLAGE))
        assert session.town == str(VILLAGE)
        assert len(session.map.get_topology()) >= 6
        height, _ = session.project_to_ground(-50, -1.6, 4.0)
        assert height == pytest.approx(0, abs=0.3)
        with pytest.raises(CaosError, match="there is no file './nowhere.toml'"):
            session.load_town("./nowhere.toml")
        with pytest.raises(CaosError, match="broken.xodr gives no valid OpenDRIVE"):
            session.load_town(str(tmp_path / "broken.xodr"))
        with pytest.raises(CaosError, match="unknown town 'Town77'"):
            session.load_town("Town77")


def test_an_embedded_server_starts_in_a_custom_town() -> None:
    with Session.open(quality="draft", town=str(VILLAGE)) as opened:
        assert opened.town == str(VILLAGE)
        frame = opened.capture(Transform(-40, 1.6, 1.6), *SIZE, outputs=("tags",))
    assert {1, 11} <= set(np.unique(frame.tags).tolist())
