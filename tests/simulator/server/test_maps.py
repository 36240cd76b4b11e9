"""Maps by name: a folder of OpenDRIVE files, and the order of messages when a map is loaded."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import carla
import msgpack
import pytest

from caos.foundation.errors import CaosError
from caos.simulator.embedded.launch import ServerProcess, serve
from caos.simulator.embedded.protocol.rpc import RpcServer
from caos.simulator.embedded.world_state.maps import MapStyle, find_maps, style_beside
from tests.simulator.server.street import STREET
from tests.simulator.server.test_protocol import Line

FIRST_STATE_BYTES = 4 + 48 + 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("maps")
    (made / "Town04" / "OpenDrive").mkdir(parents=True)
    (made / "Town04" / "OpenDrive" / "Town04.xodr").write_text(STREET)
    (made / "Town04" / "OpenDrive" / "Town04.toml").write_text('style = "old_edge"\nseed = 4\n')
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[ServerProcess]:
    with serve("Town04", quality="draft", maps=folder) as process:
        yield process


def test_a_town_name_loads_the_file_of_that_name(client: carla.Client, folder: Path) -> None:
    world = client.get_world()
    assert world.get_map().name == "Carla/Maps/Town04"
    assert world.get_map().get_waypoint(carla.Location(40, 1.75, 0)).road_id == 7
    assert world.get_spectator().attributes["roads"] == f"the roads of {folder}/Town04/OpenDrive/Town04.xodr"
    assert {"/Game/Carla/Maps/Town04_Opt", "/Game/Carla/Maps/Town07"} <= set(client.get_available_maps())


def test_a_load_is_answered_before_the_episode_changes(server: ServerProcess, client: carla.Client) -> None:
    with Line(server.port) as line:
        before, (token,) = line.call("get_episode_info")[3][0][1]
        assert line.call("load_new_episode", "Town04_Opt", True, 0xFFFF)[3] == [[False]]
        assert line.call("get_episode_info")[3][0][1][0] == before
        stream, port = struct.unpack_from("<IH", token)
        with socket.create_connection(("127.0.0.1", port), timeout=30) as reader:
            reader.sendall(struct.pack("<I", stream))
            received = b""
            while len(received) < FIRST_STATE_BYTES:
                received += reader.recv(4096)
        assert struct.unpack_from("<Q", received, 4 + 48)[0] == before + 1
    assert client.get_world().get_map().name == "Carla/Maps/Town04_Opt"


def test_a_file_listed_in_one_town_can_be_downloaded_in_the_next(server: ServerProcess, client: carla.Client) -> None:
    with Line(server.port) as line:
        (name,) = line.call("get_required_files", "Nav")[3][0][1]
        other = "Town04" if "_Opt" in name else "Town04_Opt"
        client.load_world(other)
        assert line.call("get_required_files", "Nav")[3][0][1] != [name]
        assert line.call("request_file", name)[3][0][1][:4] == b"TESM"


def test_loads_in_a_row(client: carla.Client) -> None:
    ids = [client.reload_world().id for _ in range(4)]
    assert ids == list(range(ids[0], ids[0] + 4))


@pytest.mark.parametrize("request_of_a_round", [("apply_batch", [], False), ("get_episode_settings",)])
def test_a_manager_waits_for_an_answer_until_the_episode_has_changed(
    server: ServerProcess, request_of_a_round: tuple
) -> None:
    name, *arguments = request_of_a_round
    with Line(server.port) as line:
        before = line.call("get_episode_info")[3][0][1][0]
        assert line.call("add_traffic_manager_running", ["127.0.0.1", 8123])[3] == [[1, True]]
        line.send(msgpack.packb([0, 1, "load_new_episode", [[False], "", True, 0xFFFF]]))
        # Calls before the load begins are answered at once.
        answers = []
        while not answers or answers[-1][1] != 1:
            line.send(msgpack.packb([0, 2, name, [[False], *arguments]]))
            answers.append(line.read())
        assert line.read()[1] == 2
        assert line.call("get_episode_info")[3][0][1][0] == before + 1
        assert line.call("destroy_traffic_manager", 8123)[3] == [[1, True]]


def test_an_unknown_map_is_refused_with_a_hint(client: carla.Client) -> None:
    with pytest.raises(RuntimeError, match=r"Map 'Town13' not found; this server has Town01, .*--maps DIR"):
        client.load_world("Town13")


def test_map_origin_distinguishes_files_from_plans(folder: Path) -> None:
    maps = find_maps(folder)
    assert maps.file("Town04_Opt") == maps.file("Town04") == folder / "Town04" / "OpenDrive" / "Town04.xodr"
    assert maps.file("Town03") is None
    assert "not CARLA's" in maps.origin("Town03")
    with pytest.raises(CaosError, match="unknown town 'Town4'; did you mean 'Town04'"):
        maps.town("Town4")


def test_a_folder_without_maps_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match=r"has no OpenDRIVE file \(\*.xodr\) at any depth"):
        find_maps(tmp_path)
    with pytest.raises(CaosError, match="there is no folder of maps"):
        find_maps(tmp_path / "none")


def test_the_toml_file_beside_a_map_is_validated(tmp_path: Path) -> None:
    file = tmp_path / "a.xodr"
    assert style_beside(file) == MapStyle()
    (tmp_path / "a.toml").write_text('style = "metropolis"')
    with pytest.raises(CaosError, match=r"a.toml: unknown style 'metropolis'"):
        style_beside(file)
    (tmp_path / "a.toml").write_text('styl = "city"')
    with pytest.raises(CaosError, match="styl"):
        style_beside(file)


def test_a_starting_server_refuses_connections() -> None:
    server = RpcServer("127.0.0.1", 0, lambda _, __: None)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=5)
    server.start()
    socket.create_connection(("127.0.0.1", server.port), timeout=5).close()
    server.close()
