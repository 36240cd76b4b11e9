"""Whole towns: ray hits, agreement with the map, and the cache."""

from __future__ import annotations

import math
import re
import struct
from pathlib import Path

import numpy as np
import pytest

from caos.assets.street.contents import clash, declared
from caos.foundation.errors import CaosError
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.embedded.towns.cache import cached, default_cache, is_built
from caos.simulator.embedded.towns.plan import load_plan
from caos.simulator.embedded.towns.roads.areas import Areas
from caos.simulator.embedded.towns.roads.network import read_network
from caos.simulator.embedded.towns.roads.opendrive_writer import write_opendrive
from caos.simulator.embedded.towns.streetscape.collector import Collector
from caos.simulator.embedded.towns.streetscape.plots import Land
from caos.simulator.embedded.towns.streetscape.roadside import room_for_a_post
from caos.simulator.embedded.towns.streetscape.spawn_points import _apart
from caos.simulator.embedded.towns.streetscape.terrain import TownTerrain
from caos.simulator.embedded.towns.streetscape.walls import put_planned_walls
from caos.simulator.embedded.towns.styles import style_named
from caos.simulator.embedded.towns.town import FIRST_INSTANCE, Town, load_town, town_from_opendrive
from caos.simulator.embedded.towns.views import class_shares, render_views, sample_views
from caos.simulator.transform import Transform
from tests.simulator.towns.xodr import odd_road

carla = pytest.importorskip("carla")

DOWN = np.array([0.0, 0.0, -1.0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("towns")


@pytest.fixture(scope="module")
def town(folder: Path) -> Town:
    return load_town("Town02", folder)


@pytest.fixture(scope="module")
def renderer(town: Town) -> Renderer:
    renderer = Renderer("draft")
    renderer.load(town.statics)
    return renderer


def below(renderer: Renderer, points: np.ndarray, lift: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Tags and heights of the first hits straight below points."""
    hits = renderer.cast(points + np.array([0, 0, lift]), np.tile(DOWN, (len(points), 1)))
    return hits.tag, points[:, 2] + lift - hits.distance


def test_driving_lanes_are_road(town: Town, renderer: Renderer) -> None:
    carla_map = carla.Map(town.name, town.opendrive)
    at = np.array([[w.transform.location.x, w.transform.location.y, w.transform.location.z]
                   for w in carla_map.generate_waypoints(4.0)])  # fmt: skip
    tags, z = below(renderer, at)
    assert np.isin(tags, (1, 24)).mean() > 0.995
    assert np.abs(z - at[:, 2]).max() < 0.08


def test_all_placed_objects_are_declared_kinds(town: Town) -> None:
    shown = {re.sub(r"_\d+$", "", thing.name) for thing in town.environment_objects}
    assert {"building", "street_light", "bench"} <= shown
    assert [name for name in sorted(shown) if clash(name) is None and declared(f"furniture:{name}") is None] == []


def test_sidewalks_are_sidewalk_a_kerb_higher(town: Town, renderer: Renderer) -> None:
    tags, z = below(renderer, np.asarray(town.walk_points), 0.05)
    assert (tags == 2).mean() > 0.97
    assert np.abs(z - town.walk_points[:, 2]).max() < 0.06


def test_crossings_are_painted_road(town: Town, renderer: Renderer) -> None:
    corners = carla.Map(town.name, town.opendrive).get_crosswalks()
    first = np.array([[p.x, p.y, p.z] for p in corners[:4]])
    u, v = np.meshgrid(np.linspace(0.1, 0.9, 9), np.linspace(0.1, 0.9, 40))
    grid = first[0] + u.reshape(-1, 1) * (first[1] - first[0]) + v.reshape(-1, 1) * (first[3] - first[0])
    tags, _ = below(renderer, grid, 0.5)
    assert set(np.unique(tags)) == {1, 24}
    assert 0.3 < (tags == 24).mean() < 0.7


def test_ground_has_no_gap(town: Town, renderer: Renderer) -> None:
    rng = np.random.default_rng(4)
    spots = rng.uniform(-260, 260, (4000, 2))
    hits = renderer.cast(np.column_stack([spots, np.full(4000, 300.0)]), np.tile(DOWN, (4000, 1)))
    assert np.isfinite(hits.distance).all()
    angle = np.linspace(0, 2 * np.pi, 720)
    slope = math.tan(math.radians(0.6))
    rays = np.column_stack([np.cos(angle), np.sin(angle), np.full(720, -slope)])
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    for pose in town.spawn_points[::60]:
        start = np.tile([pose.x, pose.y, pose.z + 1.3], (720, 1))
        assert np.isfinite(renderer.cast(start, rays).distance).all()


def test_lanes_hold_only_paint_and_manhole_covers(town: Town, renderer: Renderer) -> None:
    at = np.array([p.location for p in town.spawn_points])
    tags, _ = below(renderer, at, 3.0)
    assert np.isin(tags, (1, 24)).all()


def test_spawn_points_lie_on_lanes_apart_from_each_other(town: Town) -> None:
    carla_map = carla.Map(town.name, town.opendrive)
    at = np.array([p.location for p in town.spawn_points])
    gaps = np.linalg.norm(at[:, None] - at[None], axis=2) + np.eye(len(at)) * 1e6
    assert len(at) > 60
    assert gaps.min() > 2.5
    for pose in town.spawn_points[::9]:
        waypoint = carla_map.get_waypoint(carla.Location(*pose.location))
        assert waypoint.transform.location.distance(carla.Location(*pose.location)) < 0.35
        assert math.cos(math.radians(waypoint.transform.rotation.yaw - pose.yaw_deg)) > 0.99


def test_traffic_lights_stand_beside_the_road_and_face_their_traffic(town: Town, renderer: Renderer) -> None:
    assert len(town.traffic_lights) >= 4
    carla_map = carla.Map(town.name, town.opendrive)
    for site in town.traffic_lights:
        assert site.heads
        waypoint = carla_map.get_waypoint(carla.Location(*site.trigger.pose.location))
        assert waypoint.transform.location.distance(carla.Location(*site.trigger.pose.location)) < 3.0
        towards = np.array(site.trigger.pose.location) - np.array(site.transform.location)
        facing = site.transform.matrix[:3, 0]
        assert towards @ facing > 0
        foot = carla_map.get_waypoint(carla.Location(*site.transform.location))
        assert foot.transform.location.distance(carla.Location(*site.transform.location)) > foot.lane_width / 2
    groups = {site.group for site in town.traffic_lights}
    assert all(len({s.phase for s in town.traffic_lights if s.group == g}) == 2 for g in groups)


def test_environment_objects_are_named_once_and_boxed(town: Town) -> None:
    objects = town.environment_objects
    assert len({o.name for o in objects}) == len({o.id for o in objects}) == len(objects)
    tags = {o.tag for o in objects}
    assert {3, 4, 5, 6, 8, 9, 20} <= tags
    assert all(o.instance_id >= FIRST_INSTANCE for o in objects)
    assert all(min(o.box_extent) > 0 for o in objects)


def test_navigation_mesh_is_connected(town: Town) -> None:
    data = town.navmesh
    assert data[:4] == b"TESM"
    polygons, vertices = struct.unpack_from("<ii", data, 48 + 24)
    start = 48 + 100 + 12 * vertices
    rows = [struct.unpack_from("<I6H6HHBB", data, start + 32 * i) for i in range(polygons)]
    seen, queue = {0}, [0]
    while queue:
        for neighbour in rows[queue.pop()][7:10]:
            if neighbour and neighbour - 1 not in seen:
                seen.add(neighbour - 1)
                queue.append(neighbour - 1)
    assert len(seen) > 0.95 * polygons
    assert {row[-1] for row in rows} == {1, 2}


def test_class_shares_are_those_of_a_street(town: Town, renderer: Renderer) -> None:
    shares = class_shares(renderer, sample_views(town, 40, np.random.default_rng(2)), (96, 54))
    road, walk, building, green = (100 * shares.get(tag, 0) for tag in (1, 2, 3, 9))
    background = 100 * sum(shares.get(tag, 0) for tag in (10, 11, 23, 25))
    assert 17 < road < 66
    assert 3.4 < walk < 13.4
    assert 3 < building < 24
    assert 4.4 < green < 17.6
    assert 15.5 < background < 62
    assert all(shares.get(tag, 0) > 0 for tag in (4, 5, 6, 8, 24))


def test_a_cached_town_is_loaded_and_a_damaged_one_rebuilt(folder: Path, town: Town) -> None:
    assert len(list(folder.glob("Town02-*.town"))) == 1
    again = load_town("Town02", folder)
    assert again.key == town.key
    assert len(again.statics) == len(town.statics)
    assert np.array_equal(again.statics[0].mesh.parts[0].vertices, town.statics[0].mesh.parts[0].vertices)


def test_a_damaged_cache_file_is_replaced(tmp_path: Path) -> None:
    class Notes:
        lines: list[str] = []  # noqa: RUF012

        def say(self, text: str) -> None:
            self.lines.append(text)

    notes = Notes()
    town = cached("odd", odd_road(), "open_land", 3, tmp_path, notes)  # type: ignore[arg-type]
    (file,) = tmp_path.glob("odd-*.town")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    again = cached("odd", odd_road(), "open_land", 3, tmp_path, notes)  # type: ignore[arg-type]
    assert len(notes.lines) == 2
    assert file.stat().st_size > len(whole) * 0.9
    assert [o.name for o in again.environment_objects] == [o.name for o in town.environment_objects]
    assert cached("odd", odd_road(), "open_land", 3, tmp_path, notes).key == town.key  # type: ignore[arg-type]
    assert len(notes.lines) == 2


def test_a_town_is_built_when_its_file_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CAOS_CACHE", str(tmp_path))
    assert not is_built("Town02")
    load_town("Town02")
    assert is_built("Town02")
    assert not is_built("Town03")


def test_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CAOS_CACHE", str(tmp_path))
    assert default_cache() == tmp_path / "towns"


def test_any_road_becomes_a_town_with_sidewalks_on_its_slope() -> None:
    town = town_from_opendrive("odd", odd_road(), style="suburb", seed=5)
    renderer = Renderer("draft")
    renderer.load(town.statics)
    carla_map = carla.Map("odd", odd_road())
    at = np.array([[w.transform.location.x, w.transform.location.y, w.transform.location.z]
                   for w in carla_map.generate_waypoints(2.0)])  # fmt: skip
    assert at[:, 2].max() > 15
    tags, z = below(renderer, at)
    # The sidewalk goes around dead ends, so the first and last points may lie on its edge.
    assert np.isin(tags, (1, 24)).mean() > 0.97
    assert np.median(np.abs(z - at[:, 2])) < 0.02
    tags, _ = below(renderer, np.asarray(town.walk_points), 0.3)
    assert (tags == 2).mean() > 0.9
    assert [s.kind for s in town.traffic_signs] == ["274"]
    assert sum(o.tag == 3 for o in town.environment_objects) >= 4


def test_the_seed_changes_roadside_objects_only() -> None:
    first, same, other = (town_from_opendrive("odd", odd_road(), style="old_town", seed=s) for s in (1, 1, 2))
    assert [o.transform for o in first.environment_objects] == [o.transform for o in same.environment_objects]
    assert [o.transform for o in first.environment_objects] != [o.transform for o in other.environment_objects]
    assert first.spawn_points == other.spawn_points


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not XML"),
        ("not a map", "is not XML"),
        ("<OpenSCENARIO/>", "root element is <OpenSCENARIO>"),
        ("<OpenDRIVE/>", "has no <road>"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><OpenDRIVE/>', "defines a document type"),
        (odd_road()[:900], "is not XML"),
        (odd_road().replace('type="driving"', 'type="sidewalk"'), "has no driving lane"),
        (odd_road().replace('length="160"', 'length="nan"'), "length='nan' is not a number from"),
        (odd_road().replace('length="160"', 'length="-4"'), "must be positive"),
        (odd_road().replace('id="7"', 'id="main"'), "missing or wrong attribute"),
        (odd_road().replace("<width", "<border"), "no <width>"),
        (odd_road().replace("<geometry", "<nothing").replace("</geometry", "</nothing"), "no <geometry>"),
    ],
)
def test_broken_opendrive_is_named(text: str, words: str) -> None:
    with pytest.raises(CaosError, match=words):
        town_from_opendrive("broken", text)


def test_an_unknown_style_is_named() -> None:
    with pytest.raises(CaosError, match="unknown style 'suburbs'; did you mean 'suburb'"):
        town_from_opendrive("odd", odd_road(), style="suburbs")


def test_views_are_written(tmp_path: Path, folder: Path, town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "towns").mkdir(exist_ok=True)
    for file in folder.glob("*.town"):
        (folder / "towns" / file.name).write_bytes(file.read_bytes())
    monkeypatch.setenv("CAOS_CACHE", str(folder))
    files = render_views("Town02", tmp_path, n=1, size=(64, 36), quality="draft")
    assert [f.name for f in files] == ["Town02_clear_00.png"]
    with pytest.raises(CaosError, match="unknown weather"):
        render_views("Town02", tmp_path, n=1, weather="snow")
    with pytest.raises(CaosError, match="at least 1"):
        render_views("Town02", tmp_path, n=0)


def test_a_plan_can_define_walls() -> None:
    option = read_network("Town03", write_opendrive(load_plan("Town03"))).options["walls"]
    areas = Areas(read_network("far", odd_road().replace('y="0', 'y="900')), add_walks=False, water=None)
    terrain = TownTerrain(areas, style_named("downtown"), np.random.default_rng(0), water_z=-3.0)
    out = Collector(Land(areas), terrain)
    put_planned_walls(out, option)
    assert [thing.tag for thing in out.objects] == [4] * 7
    # OpenDRIVE's y is the negative of CARLA's.
    assert [thing.box_center[1] for thing in out.objects] == pytest.approx([-24.0] * 7, abs=0.3)
    assert out.objects[0].transform.x == pytest.approx(18.0)
    put_planned_walls(out, option)
    assert len(out.objects) == 7, "the ground is taken"


def test_spawn_points_keep_clearance_where_lanes_split() -> None:
    ahead = [Transform(x, 0.0, 0.3) for x in (0.0, 6.0, 18.0)]
    beside = [Transform(36.0, 0.0, 0.3), Transform(36.0, 3.4, 0.3), Transform(37.0, 1.5, 0.3, yaw_deg=5.0)]
    assert _apart((*ahead, *beside)) == (ahead[0], ahead[2], *beside[:2])


def test_a_gantry_needs_a_median_for_its_inner_post() -> None:
    with_median = ("driving", "driving", "median", "driving", "driving")
    assert room_for_a_post(with_median, 2)
    assert not room_for_a_post(("driving",) * 4, 2)
    assert room_for_a_post(("driving", "driving"), -1), "a carriageway of its own"
    assert room_for_a_post(("driving", "driving"), 2)
