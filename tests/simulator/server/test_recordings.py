"""Recorder and replayer through the genuine client: recorded values are replayed, reports have CARLA's wording."""

from __future__ import annotations

import math
import os
import struct
import time
from pathlib import Path

import carla
import pytest

from caos.simulator.embedded.launch import serve
from caos.simulator.embedded.protocol.wire import ActorDescription
from caos.simulator.embedded.recording.log_file import (
    NOBODY,
    ActorEvent,
    LogHead,
    Packet,
    RecordingError,
    event_packet,
    frame_start,
    read_recording,
    record_packet,
)
from tests.simulator.server.street import STREET
from tests.simulator.server.test_client import TESLA, at, spawn

TICKS = 30
NAN = math.nan


def poses(world: carla.World, actor_id: int) -> tuple[float, ...]:
    pose = world.get_snapshot().find(actor_id).get_transform()
    return pose.location.x, pose.location.y, pose.location.z, pose.rotation.yaw


@pytest.fixture
def crash(client: carla.Client, world: carla.World, tmp_path: Path) -> tuple[Path, int, int, list[tuple[float, ...]]]:
    """A recording of a car that hits another, which is then destroyed; their ids, and where the first one was."""
    file = tmp_path / "crash.log"
    hero = world.get_blueprint_library().find(TESLA)
    hero.set_attribute("role_name", "hero")
    assert client.start_recorder(str(file), True) == str(file)
    car, other = world.spawn_actor(hero, at(20)), spawn(world, "vehicle.audi.tt", at(30))
    car.apply_control(carla.VehicleControl(throttle=1.0))
    car.set_target_velocity(carla.Vector3D(8, 0, 0))
    car.set_light_state(carla.VehicleLightState(carla.VehicleLightState.LowBeam))
    went = []
    for _ in range(TICKS):
        world.tick()
        went.append(poses(world, car.id))
    other.destroy()
    world.tick()
    client.stop_recorder()
    world.tick()
    car.destroy()
    world.tick()
    return file, car.id, other.id, went


def test_recording_report_has_carlas_wording(client: carla.Client, crash) -> None:
    file, car, other, went = crash
    told = client.show_recorder_file_info(str(file), False)
    assert told.startswith("Version: 2\nMap: OpenDriveMap\nDate: ")
    assert f" Create {car}: vehicle.tesla.model3 (1) at (" in told
    assert "  role_name = hero\n" in told
    assert f" between {car} (hero)  with {other}\n" in told
    assert f" Destroy {other}\n" in told
    assert told.endswith(f"\nFrames: {TICKS + 1}\nDuration: {TICKS * 0.05:g} seconds\n")
    everything = client.show_recorder_file_info(str(file), True)
    x, y, z, _ = went[-1]
    assert f"  Id: {car} Location: ({100 * x:g}, {100 * y:g}, {100 * z:g})" in everything
    assert f"  Id: {car} LowBeam\n" in everything
    assert " State traffic lights: 1\n" in everything
    assert " Dynamic actors: 2\n" in everything
    assert " Actor bounding boxes: " in everything


def test_recording_queries(client: carla.Client, crash) -> None:
    file, car, other, _ = crash
    met = client.show_recorder_collisions(str(file), "h", "v").splitlines()
    assert (
        met[4]
        == "    Time  Types     Id Actor 1                                 Id Actor 2                            "
    )
    row = met[5].split()
    assert row == ["1", "v", "v", str(car), TESLA, str(other), "vehicle.audi.tt"]
    nobody = client.show_recorder_collisions(str(file), "w", "a").splitlines()
    assert nobody[5:] == ["", f"Frames: {TICKS + 1}", "Duration: 1.5 seconds"]
    blocked = client.show_recorder_actors_blocked(str(file), 0.4, 100.0).splitlines()
    names = [line.split()[2] for line in blocked[5:-3]]
    assert "vehicle.audi.tt" in names
    assert client.show_recorder_file_info("no_such.log", True).endswith("no_such.log not found on server\n")


def test_replaying_gives_the_same_frames(client: carla.Client, world: carla.World, crash) -> None:
    file, car, other, went = crash
    for _ in range(2):
        said = client.replay_file(str(file), 0.0, 0.0, car, False)
        assert said.splitlines()[1:3] == ["Total time recorded: 1.5", "Replaying from 0 s - 1.5 s (1.5 s) at 1.0x"]
        for tick in range(1, TICKS):
            world.tick()
            assert poses(world, car) == pytest.approx(went[tick], abs=1e-4), tick
        assert world.get_actor(other) is not None
        assert world.get_spectator().get_transform().location.x < went[-1][0] - 5
        world.tick()
        world.tick()
        # At the end the world continues by itself, from there.
        assert other not in {actor.id for actor in world.get_actors()}
        assert world.get_snapshot().find(car) is not None
        world.get_actor(car).destroy()
        world.tick()


def test_a_part_of_a_replay_at_another_speed_without_the_hero(client: carla.Client, world: carla.World, crash) -> None:
    file, car, other, went = crash
    client.set_replayer_time_factor(0.5)
    client.replay_file(str(file), 0.5, 0.5, 0, False)
    world.tick()
    # Half a step after frame 11, between it and frame 12.
    halfway = [(a + b) / 2 for a, b in zip(went[10], went[11], strict=True)]
    assert poses(world, car)[:3] == pytest.approx(halfway[:3], abs=1e-3)
    client.stop_replayer(True)
    world.tick()
    for actor in (car, other):
        world.get_actor(actor).destroy()
    world.tick()
    client.set_replayer_time_factor(1.0)
    client.set_replayer_ignore_hero(True)
    said = client.replay_file(str(file), 0.0, 0.0, 0, False)
    assert "Ignoring Hero vehicle" in said
    world.tick()
    assert {actor.id for actor in world.get_actors().filter("vehicle.*")} == {other}
    client.set_replayer_ignore_hero(False)
    client.stop_replayer(False)
    world.tick()


def test_files_other_than_recordings_are_not_overwritten(
    client: carla.Client, world: carla.World, tmp_path: Path
) -> None:
    diary = tmp_path / "diary.txt"
    diary.write_text("dear diary")
    with pytest.raises(RuntimeError, match="is not a recording and is not overwritten"):
        client.start_recorder(str(diary))
    assert diary.read_text() == "dear diary"
    with pytest.raises(RuntimeError, match="cannot record to .*nowhere"):
        client.start_recorder(str(tmp_path / "nowhere" / "a.log"))
    assert "File is not a CARLA recorder" in client.show_recorder_file_info(str(diary), False)
    assert "File is not a CARLA recorder" in client.replay_file(str(diary), 0, 0, 0, False)
    os.mkfifo(tmp_path / "pipe.log")  # opening it would block the world
    with pytest.raises(RuntimeError, match="is not a recording and is not overwritten"):
        client.start_recorder(str(tmp_path / "pipe.log"))
    assert "not found on server" in client.replay_file(str(tmp_path / "pipe.log"), 0, 0, 0, False)
    elsewhere = tmp_path / "elsewhere.log"
    elsewhere.write_bytes(LogHead(2, 0, "Town99").write())
    assert "Could not load mapfile Town99" in client.replay_file(str(elsewhere), 0, 0, 0, False)


def test_a_file_of_a_real_server_byte_by_byte() -> None:
    """Bytes written by hand in the format of CARLA's recorder: a frame with a walker that hits a wall."""
    name, role = b"walker.pedestrian.0001", b"role_name"
    added = struct.pack("<HIB6fIH", 1, 7, 2, 100, -200, 90, 0, 0, 45, 3, len(name)) + name
    added += struct.pack("<HBH", 1, 4, len(role)) + role + struct.pack("<H", 4) + b"hero"
    body = struct.pack("<BIQdd", 0, 24, 1, 0.1, 0.0) + struct.pack("<BI", 2, len(added)) + added
    met = struct.pack("<HIII??", 1, 0, 7, NOBODY, True, False)
    body += struct.pack("<BI", 5, len(met)) + met + struct.pack("<BI", 23, 2) + b"\0\0" + struct.pack("<BI", 1, 0)
    head = struct.pack("<HH", 2, 14) + b"CARLA_RECORDER" + struct.pack("<qH", 1700000000, 6) + b"Town03"
    recording = read_recording(head + body + b"\x06\xff")
    assert recording.head == LogHead(2, 1700000000, "Town03")
    (frame,) = recording.frames
    (walker,) = frame.added()
    assert (walker.id, walker.kind, walker.location, walker.rotation[2]) == (7, 2, (100.0, -200.0, 90.0), 45.0)
    assert walker.description.values == {"role_name": "hero"}
    assert frame.records(Packet.COLLISION)["second"].tolist() == [NOBODY]
    assert head == recording.head.write()
    for cut in range(0, len(head), 3):
        with pytest.raises(RecordingError):
            read_recording(head[:cut])
    for cut in range(len(head), len(head + body)):
        assert len(read_recording((head + body)[:cut]).frames) <= 1


def test_a_recording_of_another_town_loads_it_first(tmp_path: Path) -> None:
    (tmp_path / "street.xodr").write_text(STREET)
    (tmp_path / "other.log").write_bytes(LogHead(2, 0, "Lane").write())
    (tmp_path / "Lane.xodr").write_text(STREET)
    with serve(quality="preview", opendrive=tmp_path / "street.xodr", maps=tmp_path) as server:
        client = carla.Client("127.0.0.1", server.port)
        client.set_timeout(60.0)
        before = client.get_world()
        assert before.get_map().name.endswith("OpenDriveMap")
        assert "Loading map Lane" in client.replay_file(str(tmp_path / "other.log"), 0, 0, 0, False)
        for _ in range(100):
            if client.get_world().id != before.id:
                break
            time.sleep(0.1)
        assert client.get_world().get_map().name.endswith("Lane")


def _recording(*frames: bytes) -> bytes:
    return LogHead(2, 0, "OpenDriveMap").write() + b"".join(frames)


def _car(number: int, **place: float) -> ActorEvent:
    location = tuple(place.get(axis, 0.0) * 100 for axis in "xyz")
    return ActorEvent(number, 1, location, (0.0, 0.0, 0.0), ActorDescription(0, "vehicle.tesla.model3", ()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "odd"),
    [("location", NAN), ("rotation", 3e36), ("elapsed", NAN), ("speed", math.inf), ("event", NAN), ("event", 3e36)],
)
def test_a_recording_with_non_finite_numbers_is_refused(
    client: carla.Client, world: carla.World, tmp_path: Path, where: str, odd: float
) -> None:
    row = {"location": (900, (odd, 0, 0), (0, 0, 0)), "rotation": (900, (0, 0, 0), (0, odd, 0))}.get(where)
    body = record_packet(Packet.POSITION, [row]) if row else record_packet(Packet.WALKER, [(900, odd)])
    first = frame_start(1, 0.05, 0.0) + event_packet([_car(900, x=odd if where == "event" else 10.0)])
    later = frame_start(2, 0.05, odd if where == "elapsed" else 0.1) + body * (where not in {"elapsed", "event"})
    (tmp_path / "odd.log").write_bytes(_recording(first, later))
    assert "File cannot be played: frame " in client.replay_file(str(tmp_path / "odd.log"), 0, 0, 0, False)
    world.tick()
    assert not world.get_actors().filter("vehicle.*")


def test_unknown_actors_are_left_out_of_a_replay(client: carla.Client, world: carla.World, tmp_path: Path) -> None:
    numbers = (0, 2**32 - 1, 0xFFFF, 0x10000, *range(1000, 1008))
    crowd = [_car(number, x=6.0 * place, y=300.0) for place, number in enumerate(numbers)]
    bad = ActorEvent(999, 7, (0.0,) * 3, (0.0,) * 3, ActorDescription(0, "sensor.camera.rgb", (("fstop", 4, "0"),)))
    (tmp_path / "crowd.log").write_bytes(_recording(frame_start(1, 0.05, 0.0) + event_packet([bad, *crowd])))
    client.replay_file(str(tmp_path / "crowd.log"), 0, 0, 0, True)
    world.tick()
    assert 0 < spawn(world, TESLA, at(20)).id < 2**32
    world.tick()
    found = world.get_actors().filter("vehicle.*")
    assert (len(found), len(world.get_actors().filter("sensor.*"))) == (13, 0)
    for actor in found:
        actor.destroy()


def test_a_file_with_too_many_packets_is_rejected() -> None:
    with pytest.raises(RecordingError, match="more than 2000000 packets"):
        read_recording(_recording(struct.pack("<BI", 50, 0) * 2_000_001))
    assert read_recording(_recording(bytes(5_000_000))).frames == []
