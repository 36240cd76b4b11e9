"""Plans of the six towns, and the OpenDRIVE they become."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from caos.foundation.errors import CaosError
from caos.simulator.embedded.towns.plan import PLANS, TOWN_NAMES, RoadKind, load_plan, read_plan
from caos.simulator.embedded.towns.roads.curves import Curve, PlanarPose, Segment, biarc, through
from caos.simulator.embedded.towns.roads.opendrive_writer import write_opendrive
from caos.simulator.embedded.towns.styles import STYLES

carla = pytest.importorskip("carla")


@pytest.mark.parametrize("name", TOWN_NAMES)
def test_carla_reads_each_town_and_traffic_never_reaches_a_dead_end(name: str) -> None:
    carla_map = carla.Map(name, write_opendrive(load_plan(name)))
    waypoints = carla_map.generate_waypoints(3.0)
    assert sum(3.0 for w in waypoints if not w.is_junction) >= 1000
    assert [w for w in waypoints if not w.next(2.0)] == []
    assert [w for w in waypoints if not w.previous(2.0)] == []
    assert len(carla_map.get_topology()) > 50
    assert len(carla_map.get_crosswalks()) >= 5
    signals = {landmark.type for landmark in carla_map.get_all_landmarks()}
    assert {"1000001", "274"} <= signals
    assert signals & {"206", "205"}


@pytest.mark.parametrize("name", TOWN_NAMES)
def test_searching_a_driving_lane_to_either_side_terminates(name: str) -> None:
    text = write_opendrive(load_plan(name))
    carla_map = carla.Map(name, text)
    for road in ET.fromstring(text).iter("road"):
        middle = float(road.attrib["length"]) / 2
        for lane in (int(row.attrib["id"]) for row in road.iter("lane") if row.attrib["id"] != "0"):
            for step in (carla.Waypoint.get_left_lane, carla.Waypoint.get_right_lane):
                found = step(carla_map.get_waypoint_xodr(int(road.attrib["id"]), lane, middle))
                passed = 0
                while found is not None and found.lane_type != carla.LaneType.Driving:
                    found, passed = step(found), passed + 1
                    assert passed < 10, (name, road.attrib["id"], lane)


def test_a_median_keeps_both_halves_of_a_road_at_the_same_distance_from_its_middle() -> None:
    kind = RoadKind(lanes=2, lane_width=3.0, median=2.0, sidewalk=2.5)
    assert kind.kerb_m == 7.0
    assert [name for name, _ in kind.side(1)] == ["median", "driving", "driving", "sidewalk"]
    assert [name for name, _ in kind.side(-1)] == ["driving", "driving", "sidewalk"]
    assert (kind.lane_number(0, 1), kind.lane_number(1, -1), kind.lane_offset_m) == (2, -2, -1.0)


@pytest.mark.parametrize("name", TOWN_NAMES)
def test_lanes_have_plausible_widths_and_markings(name: str) -> None:
    carla_map = carla.Map(name, write_opendrive(load_plan(name)))
    marks = set()
    for waypoint in carla_map.generate_waypoints(15.0):
        assert 2.5 <= waypoint.lane_width <= 4.5
        marks |= {str(waypoint.left_lane_marking.type), str(waypoint.right_lane_marking.type)}
    assert "Broken" in marks
    assert marks & {"Solid", "SolidSolid"}


def test_turns_join_the_roads_without_a_jump() -> None:
    carla_map = carla.Map("Town04", write_opendrive(load_plan("Town04")))
    for before, after in carla_map.get_topology():
        last = before.next_until_lane_end(1.0)[-1]
        follower = last.next(0.6)
        if any(f.road_id == after.road_id and f.lane_id == after.lane_id for f in follower):
            assert last.transform.location.distance(after.transform.location) < 2.2


def test_the_hillside_town_climbs_and_the_others_are_flat() -> None:
    heights = {}
    for name in ("Town01", "Town04"):
        carla_map = carla.Map(name, write_opendrive(load_plan(name)))
        z = [w.transform.location.z for w in carla_map.generate_waypoints(10.0)]
        heights[name] = max(z) - min(z)
    assert heights["Town01"] == pytest.approx(0.0, abs=1e-3)
    assert heights["Town04"] == pytest.approx(20.5, abs=0.6)


def test_the_city_has_the_straight_road_that_carlas_examples_use() -> None:
    carla_map = carla.Map("Town05", write_opendrive(load_plan("Town05")))
    for x in (28.0, 31.0, 36.0):
        for y in range(-205, 20, 5):
            place = carla.Location(x, float(y), 0.0)
            assert carla_map.get_waypoint(place, project_to_road=False) is not None, (x, y)


def test_the_same_plan_gives_the_same_text() -> None:
    assert write_opendrive(load_plan("Town05")) == write_opendrive(load_plan("Town05"))


@pytest.mark.parametrize("name", TOWN_NAMES)
def test_every_style_named_in_a_plan_exists(name: str) -> None:
    plan = load_plan(name)
    assert {plan.style, *(road.style for road in plan.roads if road.style)} <= set(STYLES)


def test_unknown_town_is_refused_with_a_suggestion() -> None:
    with pytest.raises(CaosError, match="unknown town 'Town07'; did you mean 'Town0"):
        load_plan("Town07")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('from = "a"', 'from = "zz"', "unknown junction 'zz'"),
        ('kind = "ring"', 'kind = "rings"', "unknown road kind 'rings'; did you mean 'ring'"),
        ("seed = 11", "seed = ", "mine.toml is not valid TOML"),
        ("[nodes]", "[nodes]\nzz = { at = [900, 900] }", "fewer than 2 roads meet at junction 'zz'"),
        ("seed = 11", "sede = 11", "unknown key 'sede'; did you mean 'seed'"),
        ('control = "lights"', 'control = "lamps"', "key 'control': 'lamps' is not one of lights"),
    ],
)
def test_invalid_plans_name_the_problem(old: str, new: str, words: str, tmp_path: Path) -> None:
    text = (PLANS / "Town01.toml").read_text(encoding="utf-8").replace(old, new)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(CaosError, match=words):
        read_plan(tmp_path / "mine.toml")


def test_a_custom_plan_is_a_town_named_after_its_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes((PLANS / "Town02.toml").read_bytes())
    mine = load_plan(str(tmp_path / "mine.toml"))
    assert mine == dataclasses.replace(load_plan("Town02"), name="mine")
    with pytest.raises(CaosError, match="there is no file './nowhere.toml'"):
        load_plan("./nowhere.toml")


def test_biarc_ends_at_its_goal() -> None:
    for goal in (PlanarPose(20, 0, 0), PlanarPose(12, 9, math.pi / 2), PlanarPose(15, -7, -1.2), PlanarPose(30, 3, 0)):
        end = biarc(PlanarPose(0, 0, 0), goal).pose(biarc(PlanarPose(0, 0, 0), goal).length)
        assert (end.x, end.y) == pytest.approx((goal.x, goal.y), abs=1e-6)
        assert math.cos(end.heading - goal.heading) == pytest.approx(1.0, abs=1e-9)


def test_rounded_corner_has_the_arc_of_its_radius() -> None:
    curve = through([(0, 0), (50, 0), (50, 50)], 10)
    assert [round(s.curvature, 6) for s in curve.segments] == [0.0, 0.1, 0.0]
    assert curve.length == pytest.approx(40 + 5 * math.pi + 40)
    end = curve.pose(curve.length)
    assert (end.x, end.y, end.heading) == pytest.approx((50, 50, math.pi / 2))


def test_a_road_shorter_than_its_junctions_is_refused() -> None:
    with pytest.raises(CaosError, match="a road of 10.0 m is too short between junctions that need 12.0 m"):
        Curve(PlanarPose(0, 0, 0), (Segment(10.0),)).trimmed(6, 6)
