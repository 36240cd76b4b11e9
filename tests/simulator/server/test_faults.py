"""Misbehaving clients: killed, many at once, not reading, reconnecting again and again."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import carla
import pytest

from caos.simulator.embedded.launch import ServerProcess, serve
from tests.simulator.server.test_client import TESLA, at
from tests.simulator.server.test_protocol import Line, alive


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_twenty_clients_at_once(server: ServerProcess) -> None:
    seen, problems = [], []

    def visit(number: int) -> None:
        try:
            client = carla.Client("127.0.0.1", server.port)
            client.set_timeout(60.0)
            world = client.get_world()
            pose = at(5 + 7 * (number % 20), 1.75 if number % 2 else -1.75, 40.0 + 5 * number)
            actor = world.spawn_actor(world.get_blueprint_library().find("walker.pedestrian.0002"), pose)
            world.wait_for_tick(60.0)
            seen.append(actor.id)
            actor.destroy()
        except RuntimeError as error:
            problems.append(error)

    threads = [threading.Thread(target=visit, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    assert problems == []
    assert len(set(seen)) == 20


_VICTIM = """
import sys, carla
client = carla.Client("127.0.0.1", int(sys.argv[1]))
client.set_timeout(30.0)
world = client.get_world()
settings = world.get_settings()
settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
world.apply_settings(settings)
blueprint = world.get_blueprint_library().find("sensor.camera.depth")
camera = world.spawn_actor(blueprint, carla.Transform(carla.Location(20, 1.75, 1.6)))
camera.listen(lambda image: None)
world.tick()
print("ticking", camera.id, flush=True)
while True:
    world.tick()
"""


def test_a_client_killed_in_mid_tick(server: ServerProcess, client: carla.Client) -> None:
    victim = subprocess.Popen([sys.executable, "-c", _VICTIM, str(server.port)], stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    camera = int(victim.stdout.readline().split()[1])
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    victim.stdout.close()
    world = client.get_world()
    assert world.get_settings().synchronous_mode
    before = world.tick(30.0)
    assert world.tick(30.0) == before + 1
    client.apply_batch_sync([carla.command.DestroyActor(camera)], False)
    settings = world.get_settings()
    settings.synchronous_mode, settings.fixed_delta_seconds = False, None
    world.apply_settings(settings)
    world.wait_for_tick(60.0)


def test_a_thousand_spawns_leave_memory_flat(server: ServerProcess, client: carla.Client, world: carla.World) -> None:
    library = world.get_blueprint_library()
    car, fix, box = library.find(TESLA), library.find("sensor.other.gnss"), library.filter("static.prop.*")[0]
    command = carla.command

    def cycle(rounds: int) -> None:
        for _ in range(rounds):
            batch = [command.SpawnActor(car, at(20 + 10 * k)) for k in range(5)]
            batch += [command.SpawnActor(fix, carla.Transform()) for _ in range(3)]
            batch += [command.SpawnActor(box, at(80 + 5 * k)) for k in range(2)]
            answers = client.apply_batch_sync(batch, True)
            assert not any(answer.error for answer in answers)
            client.apply_batch_sync([command.DestroyActor(a.actor_id) for a in answers], True)

    cycle(20)
    before = resident_mb(server.pid)
    cycle(100)
    assert resident_mb(server.pid) - before < 8
    assert len(world.get_actors().filter("vehicle.*")) == 0


def test_reconnect_storm(server: ServerProcess) -> None:
    with Line(server.port) as line:
        token = line.call("get_episode_info")[3][0][1][1][0]
    _, port = struct.unpack("<IH", token[:6])
    for _ in range(20):
        alive(server)
    before = resident_mb(server.pid)
    for k in range(600):
        with socket.create_connection(("127.0.0.1", port if k % 2 else server.port)) as connection:
            connection.sendall(struct.pack("<I", 1))
    alive(server)
    time.sleep(0.5)
    assert resident_mb(server.pid) - before < 30
    threads = int(
        next(
            line.split()[1]
            for line in Path(f"/proc/{server.pid}/status").read_text().splitlines()
            if line.startswith("Threads")
        )
    )
    assert threads < 120


def test_a_blocked_reader_does_not_affect_others(server: ServerProcess, world: carla.World) -> None:
    with Line(server.port) as line:
        token = line.call("get_episode_info")[3][0][1][1][0]
    _, port = struct.unpack("<IH", token[:6])
    with socket.socket() as sleeper:
        sleeper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sleeper.connect(("127.0.0.1", port))
        sleeper.sendall(struct.pack("<I", 1))
        for _ in range(300):
            world.tick(60.0)


def test_a_server_dies_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom caos.simulator.embedded.launch import serve\n"
        "s = serve(quality='draft', opendrive=__import__('pathlib').Path(sys.argv[1]))\n"
        "print(s.pid, flush=True)\ntime.sleep(60)"
    )
    from tests.simulator.server.street import STREET

    file = tmp_path / "street.xodr"
    file.write_text(STREET)
    parent = subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 60
    while time.monotonic() < until and Path(f"/proc/{child}/status").exists():
        if "State:\tZ" in Path(f"/proc/{child}/status").read_text():
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{child}/status").exists()


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "broken.xodr"
    broken.write_text("this is no road")
    with pytest.raises(Exception, match="did not start: .*(OpenDRIVE|road)"):
        serve(opendrive=broken)
