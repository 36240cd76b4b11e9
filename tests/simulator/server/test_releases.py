"""Differences of the protocol between the supported CARLA releases."""

from __future__ import annotations

import importlib.metadata
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import carla
import pytest

from caos.foundation.errors import CaosError
from caos.simulator.embedded.calls.table import dispatch
from caos.simulator.embedded.protocol.releases import ATTRIBUTE_TYPES, RELEASES, client_release, release_named
from caos.simulator.embedded.protocol.rpc import RpcError
from caos.simulator.embedded.server import EmbeddedServer, ServerOptions
from tests.simulator.server.street import STREET

METADATA = [False]
TYPES = {"0.9.15": {"bool": 0, "int": 1, "float": 2, "string": 3, "rgb": 4},
         "0.9.16": {"bool": 1, "int": 2, "float": 3, "string": 4, "rgb": 5}}  # fmt: skip
WORLD_STATE = {"0.9.15": 16, "0.9.16": 17}


@pytest.fixture(params=sorted(RELEASES))
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(tmp_path: Path, release: str) -> Iterator[EmbeddedServer]:
    (tmp_path / "street.xodr").write_text(STREET)
    made = EmbeddedServer(ServerOptions(port=0, quality="draft", opendrive=tmp_path / "street.xodr", release=release))
    yield made
    made.close()


def ask(server: EmbeddedServer, name: str, *arguments: Any) -> Any:
    return dispatch(server._server, name, [METADATA, *arguments])[0]


def sofa(server: EmbeddedServer) -> list[Any]:
    return [server.world.catalogue.ids.index("static.prop.sofa_01") + 1, "static.prop.sofa_01", []]


def pose(x: float) -> list[Any]:
    return [[x, 1.75, 5.0], [0.0, 0.0, 0.0]]


def test_attributes_have_the_release_s_types(server: EmbeddedServer, release: str) -> None:
    assert ask(server, "version") == [1, release]
    _, definitions = ask(server, "get_actor_definitions")
    camera = next(row for row in definitions if row[1] == "sensor.camera.rgb")
    types = {attribute[0]: attribute[1] for attribute in camera[3]}
    wanted = TYPES[release]
    assert (types["image_size_x"], types["fov"], types["role_name"]) == (
        wanted["int"],
        wanted["float"],
        wanted["string"],
    )
    _, spectator = ask(server, "get_spectator")
    marks = ("role_name", "server", "roads")
    assert [attribute[:2] for attribute in spectator[2][2]] == [[name, wanted["string"]] for name in marks]


def test_the_world_s_state_has_the_release_s_number(server: EmbeddedServer, release: str) -> None:
    head, _ = server.engine._state(server.world.step(0.05))
    assert struct.unpack_from("<Q", head)[0] == WORLD_STATE[release]


def test_a_child_is_spawned_with_and_without_a_socket(server: EmbeddedServer) -> None:
    _, parent = ask(server, "spawn_actor", sofa(server), pose(10.0))
    for x, socket in ((20.0, ()), (30.0, ("roof",))):
        _, child = ask(server, "spawn_actor_with_parent", sofa(server), pose(x), parent[0], 0, *socket)
        assert child[1] == parent[0]
    with pytest.raises(RpcError, match="argument count 4"):
        ask(server, "spawn_actor_with_parent", sofa(server), pose(40.0), parent[0])


def test_a_batch_spawns_in_the_release_s_form(server: EmbeddedServer, release: str) -> None:
    fields = [sofa(server), pose(10.0), [False], *([0, ""] if release != "0.9.15" else []), []]
    ((done, actor),) = ask(server, "apply_batch", [[[0, fields]]], False)
    assert done == 1
    assert server.world.actors[actor].description.id == "static.prop.sofa_01"


def test_types_are_those_of_the_installed_client() -> None:
    ours = release_named(client_release())
    theirs = {name.lower().replace("rgbcolor", "rgb"): int(v) for name, v in carla.ActorAttributeType.names.items()}
    assert {kind: ours.attribute_type(kind) for kind in ATTRIBUTE_TYPES} == theirs
    assert carla.Client("127.0.0.1", 1).get_client_version() == ours.name


def test_an_unsupported_client_release_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "0.9.13")
    with pytest.raises(
        CaosError, match=r"carla client is 0\.9\.13.*speaks 0\.9\.15, 0\.9\.16; pip install carla==0\.9\.16"
    ):
        client_release()


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(CaosError, match=r"unknown CARLA release '0\.9\.14'"):
        EmbeddedServer(ServerOptions(port=0, release="0.9.14"))
