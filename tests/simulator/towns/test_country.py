"""Towns in other countries: other colours and signs, the same geometry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.street import signs
from caos.assets.tags import SemanticTag
from caos.foundation.errors import CaosError
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.towns.country import country_named, in_country
from caos.simulator.embedded.towns.plan import COUNTRY_OPTION, countries, in_country_of, town_and_country
from caos.simulator.embedded.towns.roads.network import read_network
from caos.simulator.embedded.towns.town import Town
from caos.simulator.embedded.world_state.maps import TownMaps
from caos.simulator.town_files import opendrive_of, roads_of

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
VILLAGE = Path(__file__).parents[3] / "examples" / "village.toml"


def wall(name: str, color: tuple[float, float, float], *, textured: bool = False) -> Mesh:
    texture = np.full((4, 4, 3), color, np.float32) if textured else None
    return Mesh((Part(TRIANGLE, np.array([[0, 1, 2]], np.int32), Material(name, color, texture=texture)),))


def little_town(*meshes: Mesh) -> Town:
    poses = [np.diag([1.0 + i, 1, 1, 1]) for i in range(len(meshes))]
    placed = tuple(Placed(mesh, pose, SemanticTag.BUILDING, 7) for mesh, pose in zip(meshes, poses, strict=True))
    return Town("Town99", "<OpenDRIVE/>", placed, (), (), (), (), (), (), b"", np.zeros((0, 3)), "key")


def test_wall_colours_are_replaced_by_index() -> None:
    palette = country_named("italy").paint["plaster"]
    town = in_country(
        little_town(wall("plaster 1", (0.5, 0.4, 0.2), textured=True), wall("plaster 7", (0.4, 0.2, 0.1))), "italy"
    )
    first, second = (placed.mesh.parts[0].material for placed in town.statics)
    assert first.color == pytest.approx(palette[1])
    assert first.texture is not None
    assert first.texture[0, 0] == pytest.approx(palette[1])
    assert second.color == pytest.approx(palette[7 % len(palette)])


def test_leaves_are_tinted_whatever_their_tree_and_nothing_grows_too_bright() -> None:
    tint = country_named("italy").tint["leaves"]
    town = in_country(little_town(wall("oak 2 leaves 1", (0.1, 0.2, 0.05)), wall("meadow", (0.8, 0.8, 0.8))), "italy")
    leaves, meadow = (placed.mesh.parts[0].material.color for placed in town.statics)
    assert leaves == pytest.approx(tuple(a * b for a, b in zip((0.1, 0.2, 0.05), tint, strict=True)))
    assert max(meadow) == pytest.approx(0.9)


def test_countries_move_nothing_and_keep_unchanged_objects() -> None:
    glass, plaster = wall("office glass 2", (0.1, 0.1, 0.1)), wall("plaster 1", (0.5, 0.4, 0.2))
    before = little_town(glass, plaster, plaster)
    after = in_country(before, "sweden")
    assert after.statics[0].mesh is glass
    assert after.statics[1].mesh is after.statics[2].mesh  # a mesh that is placed twice is still stored once
    for one, other in zip(before.statics, after.statics, strict=True):
        assert (one.world_from_mesh == other.world_from_mesh).all()
        assert (one.tag, one.instance_id) == (other.tag, other.instance_id)
        assert (one.mesh.parts[0].vertices == other.mesh.parts[0].vertices).all()
    assert after.key != before.key
    assert (after.name, after.opendrive, after.spawn_points) == (before.name, before.opendrive, before.spawn_points)


def test_signs_are_those_of_the_country() -> None:
    town = in_country(little_town(signs.sign("warning"), signs.sign("speed_50"), signs.sign("bus_stop")), "usa")
    assert town.statics[0].mesh is signs.sign("us_warning")
    assert town.statics[1].mesh is signs.sign("us_speed_35")
    assert "sign bus_stop" in {part.material.name for part in town.statics[2].mesh.parts}


@pytest.mark.parametrize("name", countries())
def test_every_country_can_be_read(name: str) -> None:
    country = country_named(name)
    assert country.about
    assert all(0 < value < 1 for colours in country.paint.values() for colour in colours for value in colour)


def test_names_of_towns_in_countries(tmp_path: Path) -> None:
    assert town_and_country("Town05@usa") == ("Town05", "usa")
    assert town_and_country("/home/me@work/plan.toml") == ("/home/me@work/plan.toml", "")
    odd = tmp_path / "plan@usa"
    odd.write_text("")
    assert town_and_country(str(odd)) == (str(odd), "")
    assert in_country_of("Town05@usa", "japan") == "Town05@japan"
    assert in_country_of("Town05@usa", "") == "Town05"
    assert {"Town05@usa", "Town10HD@italy"} <= set(TownMaps().names)
    with pytest.raises(CaosError, match=r"unknown country 'frnace'"):
        country_named("frnace")


def test_a_custom_plan_stores_its_country_in_the_opendrive_header() -> None:
    plain, abroad = opendrive_of(str(VILLAGE)), opendrive_of(f"{VILLAGE}@japan")
    assert plain is not None
    assert abroad is not None
    assert read_network("village", abroad).options[COUNTRY_OPTION] == "japan"
    assert COUNTRY_OPTION not in read_network("village", plain).options
    assert roads_of("Town02") != roads_of("Town02@usa")
    assert roads_of("NoTown") is None
    for town in ("Town02@jpan", f"{VILLAGE}@jpan"):
        with pytest.raises(CaosError, match="unknown country 'jpan'; did you mean 'japan'"):
            roads_of(town)
