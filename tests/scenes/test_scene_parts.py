"""The pure parts of scene drawing: lanes, placement, silhouettes, weather, recipes, scenes as data."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import shapes
from caos.foundation.errors import CaosError
from caos.foundation.settings import read_record
from caos.scenes.generation.checking import check_seen, smallest_fragment
from caos.scenes.generation.contrast import ground_contrast
from caos.scenes.generation.ground import GroundProbe
from caos.scenes.generation.lanes import LanePoints, Lanes
from caos.scenes.generation.poses import (
    GroundRectangle,
    NoFreeSpaceError,
    floating_pose,
    hazard_spot,
    in_view,
    resting_pose,
    spread,
    viewpoint,
)
from caos.scenes.generation.silhouette import silhouette_pixels
from caos.scenes.generation.sunlight import box_points, sun_direction, without_shadows
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.recipes.recipe import load_recipe, recipe_names
from caos.scenes.recipes.rules import WEATHER_MIX, CameraRules, HazardRules, WeatherRules
from caos.scenes.recipes.weather_mix import draw_weather, parse_mix
from caos.scenes.scene import CameraSpec, Hazard, Scene, SceneVehicle, read_scene, scene_from_json
from caos.simulator.embedded.render.sky_light.sky import sun_direction as rendered_sun
from caos.simulator.semantic_tags import table_for
from caos.simulator.transform import Transform
from caos.simulator.weather import preset

CAMERA = CameraSpec(Transform(z=1.5), 640, 360, 90.0)
BOUNDS = np.array([-1, -0.5, 0], np.float32), np.array([1, 0.5, 2], np.float32)


def straight(y: float = 0.0) -> LanePoints:
    x = np.arange(-100.0, 100.0, 2.0)
    zeros = np.zeros_like(x)
    xyz = np.stack([x, zeros + y, zeros], 1)
    return LanePoints(xyz, zeros, zeros + 3.5, np.ones(len(x), bool), np.zeros(len(x), bool))


LANES = Lanes(straight(), straight(3.0), straight(5.0))


def slope(x: float, y: float, z: float) -> float:
    return 0.1 * x + 0.05 * y


@pytest.mark.parametrize("stance", ["upright", "fallen"])
def test_a_resting_object_touches_a_slope_with_its_whole_base(stance) -> None:
    pose, footprint = resting_pose(BOUNDS, (10, 20, 0), 30, stance, slope)
    corners = np.array([[x, y, z, 1] for x in (-1, 1) for y in (-0.5, 0.5) for z in (0, 2)])
    world = corners @ pose.matrix.T
    height = world[:, 2] - [slope(x, y, 0) for x, y in world[:, :2]]
    assert np.sort(height)[:4] == pytest.approx(0, abs=2e-3)
    assert footprint.polygon.area == pytest.approx(2.0 if stance == "upright" else 4.0)
    assert footprint.polygon.centroid.x == pytest.approx(10)


def test_kerbs_holes_and_cliffs_are_refused() -> None:
    with pytest.raises(NoFreeSpaceError, match="kerb"):
        resting_pose(BOUNDS, (0, 0, 0), 0, "upright", lambda x, y, z: 0.15 * (x > 0.5) * (y > 0))
    with pytest.raises(NoFreeSpaceError, match="no ground"):
        resting_pose(BOUNDS, (0, 0, 0), 0, "upright", lambda x, y, z: None)
    with pytest.raises(NoFreeSpaceError, match="steep"):
        resting_pose(BOUNDS, (0, 0, 0), 0, "upright", lambda x, y, z: 0.5 * x)


def test_footprints_keep_their_distance() -> None:
    car = GroundRectangle.of(0, 0, 0, 2, 1)
    assert not GroundRectangle.of(0, 2.1, 0, 2, 1).clear_of([car])
    assert GroundRectangle.of(0, 2.3, 0, 2, 1).clear_of([car])
    assert GroundRectangle.of(5, 0, 90, 2, 1).clear_of([car])


def test_only_what_the_camera_sees_is_in_view() -> None:
    seen = in_view(straight(10.0), CAMERA, (4, 60))
    assert len(seen)
    assert (seen.xyz[:, 0] > 10).all()
    assert np.hypot(seen.xyz[:, 0], 10).max() <= 60


def test_spots_lie_where_their_mode_says() -> None:
    rng = np.random.default_rng(0)
    rules = HazardRules()
    limits = {"road": (-1.3, 1.3), "roadside": (0.3, 3.2), "sidewalk": (3.7, 6.3), "anywhere": (-12, 12)}
    for mode, (low, high) in limits.items():
        y = [hazard_spot(LANES, CAMERA, mode, rules, rng)[1] for _ in range(200)]
        assert low <= min(y) <= max(y) <= high
    edge = [hazard_spot(LANES, CAMERA, "roadside", rules, rng, 0.5)[1] for _ in range(200)]
    assert min(abs(y - 1.75) for y in edge) >= 0.6
    with pytest.raises(NoFreeSpaceError, match="no lane in view"):
        hazard_spot(Lanes(straight(500), straight(500), straight(500)), CAMERA, "road", rules, rng)


def test_floating_things_are_seen_anywhere_and_the_frame_cuts_some() -> None:
    rng = np.random.default_rng(0)
    rules = HazardRules(range_m=(3, 50), view_share=1.1)
    middle = np.array([0.0, 0.0, 1.0, 1.0])  # of BOUNDS
    poses = [floating_pose(BOUNDS, CAMERA, rules, rng) for _ in range(300)]
    seen = np.array([pose.matrix @ middle for pose in poses])[:, :3] - CAMERA.pose.location
    across, up = seen[:, 1] / seen[:, 0], seen[:, 2] / seen[:, 0] * 640 / 360
    assert 3 <= seen[:, 0].min() < 4 < 40 < seen[:, 0].max() <= 50
    for share in (across, up):  # half a picture is a tangent of one at 90 degrees
        assert -1.1 <= share.min() < -1 < 1 < share.max() <= 1.1
    assert np.ptp([pose.roll_deg for pose in poses]) > 300


def test_hazards_beyond_the_edge_of_the_view_are_asked_for() -> None:
    wide, usual = (in_view(straight(10.0), CAMERA, (4, 60), share) for share in (1.3, 0.92))
    assert usual.xyz[:, 0].min() > 10 > wide.xyz[:, 0].min() > 10 / 1.3
    with pytest.raises(CaosError, match="view_share"):
        read_record(HazardRules, {"view_share": 2}, "hazards")


def test_a_viewpoint_is_a_car_camera() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        camera = viewpoint(LANES, CameraRules(), rng)
        assert 1.3 < camera.pose.z < 1.9
        assert abs(camera.pose.yaw_deg) <= 9
        assert abs(camera.pose.y) < 1.8
    with pytest.raises(CaosError, match="no driving lane"):
        empty = straight().pick(np.zeros(100, bool))
        viewpoint(Lanes(empty, empty, empty), CameraRules(), rng)


def test_spread_points_keep_apart() -> None:
    points = spread(straight(), 8, 9.0, np.random.default_rng(0))
    assert len(points) == 8
    assert np.diff(np.sort(points.xyz[:, 0])).min() >= 9


def test_a_silhouette_is_counted_exactly() -> None:
    cube = Mesh((shapes.box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5), Material("x")),))
    camera = CameraSpec(Transform(), 640, 360, 90.0)
    assert silhouette_pixels(cube, Transform(10.5), camera) == 32 * 32
    assert silhouette_pixels(cube, Transform(10.5, 10.5), camera) < 32 * 32
    assert silhouette_pixels(cube, Transform(-10.5), camera) == 0


def test_fragments() -> None:
    mask = np.zeros((8, 8), bool)
    assert smallest_fragment(mask) == 0
    mask[0, 0], mask[3:6, 3:6] = True, True
    assert smallest_fragment(mask) == 1


def test_contrast_is_the_distance_from_the_colour_of_the_ground() -> None:
    values = np.full((90, 160), STREETHAZARDS.png_value("road"), np.uint8)
    rgb = np.full((90, 160, 3), 90, np.uint8)
    mask = np.zeros((90, 160), bool)
    mask[40:50, 60:80] = True
    assert ground_contrast(rgb, values, mask) == pytest.approx(0, abs=1e-3)
    rgb[mask] = 255
    # Lightness of the grey 90 is 38.2 of 100.
    assert ground_contrast(rgb, values, mask) == pytest.approx(100 - 38.2, abs=0.1)
    rgb[40:50, 60:70] = 90
    assert ground_contrast(rgb, values, mask) == pytest.approx((100 - 38.2) / 2, abs=0.1)
    values[:] = STREETHAZARDS.png_value("building")
    assert ground_contrast(rgb, values, mask) is None


def test_seen_as_the_rules_want_it() -> None:
    mask = np.zeros((100, 100), bool)
    mask[10:20, 10:20] = True
    camera = CameraSpec(Transform(), 100, 100, 90.0)
    hard = HazardRules(min_visible_share=0.05, max_visible_share=0.5, min_image_share=1e-3)
    check_seen(mask, 300, camera, hard)
    check_seen(mask, 97, camera, HazardRules())  # edge pixels of a picture may be more than the silhouette's
    for whole, rules, word in (
        (150, hard, "in full view"),
        (3000, hard, "hidden"),
        (300, HazardRules(), "hidden"),
        (100, HazardRules(max_image_share=0.005), "too many pixels"),
        (100, HazardRules(min_image_share=0.05), "too few pixels"),
    ):
        with pytest.raises(NoFreeSpaceError, match=word):
            check_seen(mask, whole, camera, rules)
    with pytest.raises(NoFreeSpaceError, match="out of sight"):
        check_seen(np.zeros_like(mask), 300, camera, hard)


def test_the_sun_stands_where_the_renderer_has_it() -> None:
    for name in ("clear", "low-sun"):
        assert sun_direction(preset(name)) == pytest.approx(tuple(rendered_sun(preset(name))))
    assert without_shadows("night")
    assert without_shadows("overcast")
    assert not without_shadows("clear")
    box = Mesh((shapes.box((-1, -1, 0), (1, 1, 2), Material("x")),))
    points = np.array(box_points(box, Transform(10, 20, 0, 0, 90, 0)))
    assert points[0] == pytest.approx([10, 20, 1])
    assert np.abs(points[1:] - [10, 20, 1]) == pytest.approx(0.9 * np.ones((8, 3)))


def test_weather_follows_the_mix() -> None:
    rng = np.random.default_rng(0)
    counts = Counter(draw_weather(WeatherRules(), rng)[0] for _ in range(4000))
    for name, share in WEATHER_MIX.items():
        assert counts[name] / 4000 == pytest.approx(share, abs=0.03)
    name, weather = draw_weather(WeatherRules({"low-sun": 1.0}), rng)
    assert name == "low-sun"
    assert 4.9 < weather.sun_altitude_angle < 13
    assert sum(WEATHER_MIX.values()) == pytest.approx(1)


def test_mixes_are_parsed() -> None:
    assert parse_mix("clear=3, fog=1") == {"clear": 3.0, "fog": 1.0}
    assert parse_mix("wet") == {"wet": 1.0}
    for text, words in (
        ("clera", "did you mean 'clear'"),
        ("clear=x", "is not a number"),
        ("clear=-1", "must be positive"),
    ):
        with pytest.raises(CaosError, match=words):
            parse_mix(text)


def scene() -> Scene:
    hazard = Hazard("sofa_01", Transform(10, 0, 0), "road", "fallen")
    return Scene(
        "Town05", CAMERA, "wet", preset("wet"), (SceneVehicle("vehicle.audi.tt", Transform(20)),), (), (hazard,), 3
    )


def test_a_scene_survives_json(tmp_path: Path) -> None:
    text = json.dumps(scene().to_json())
    assert scene_from_json(json.loads(text)) == scene()
    (tmp_path / "row.json").write_text(json.dumps({"key": "test/t5/1", "scene": json.loads(text)}))
    assert read_scene(tmp_path / "row.json") == scene()
    assert scene().without_hazards().hazards == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.update(twon="Town01"), "unknown key 'twon'; did you mean 'town'?"),
        (lambda s: s.pop("camera"), "key 'camera' is missing"),
        (lambda s: s["camera"].update(width="wide"), "s: key 'camera': key 'width': 'wide' is not of type int"),
        (
            lambda s: s["hazards"][0].update(stance="flying"),
            "s: key 'hazards'[0]: key 'stance': 'flying' is not one of upright, fallen",
        ),
        (lambda s: s.update(hazards=3), "s: key 'hazards': 3 is not a list"),
        (lambda s: s.update(schema=9), "scene schema 9 is not 1"),
        (lambda s: s.update(weather=1), "1 is not a table with the fields of Weather"),
    ],
)
def test_a_wrong_scene_is_one_clear_line(change, words: str) -> None:
    value = json.loads(json.dumps(scene().to_json()))
    change(value)
    with pytest.raises(CaosError) as caught:
        scene_from_json(value, "s")
    assert words in str(caught.value)


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_loads_and_numbers_its_slots(name: str) -> None:
    recipe = load_recipe(name)
    has = {part.split for part in recipe.parts}
    counts = {split: count for split, count in (("train", 6), ("val", 2), ("test", 5)) if split in has}
    assert "test" in counts
    slots = list(recipe.resized(counts).slots())
    assert Counter(split for split, _ in {(s.split, s.number) for s in slots}) == counts
    assert len({s.key for s in slots}) == len(slots)
    assert all(s.part.hazards is not None for s in slots if s.split == "test")
    # Elsewhere hazards are negatives, and of the kinds that the test does not show.
    assert {s.part.hazards.side for s in slots if s.split != "test" and s.part.hazards is not None} <= {"exposure"}


def test_streethazards_is_the_papers() -> None:
    slots = list(load_recipe("streethazards").slots())
    assert len(slots) == 5125 + 1031 + 1500
    assert slots[-1].path("annotations") == "test/annotations/test/t6/1500.png"
    assert slots[5125 + 1031 + 1023].key == "test/t5/1024"
    with pytest.raises(CaosError, match="did you mean 'streethazards'"):
        load_recipe("streethazard")


class _Strips:
    """Ground of a session that is road where x is above 0, sidewalk above -2, and grass beyond."""

    server_version = "0.9.16"

    def project_to_ground(self, x: float, _y: float, _z: float, _reach: float) -> tuple[float, int]:
        name = "Road" if x > 0 else "SideWalk" if x > -2 else "Terrain"
        return 0.1, table_for(self.server_version).number(name)


def test_a_thing_stands_wholly_on_the_surface_of_its_place() -> None:
    probe = GroundProbe(_Strips())  # type: ignore[arg-type]
    road, walk, grass = 1.0, -1.0, -3.0
    assert probe.one_surface("road")(road, 0, 0) == 0.1
    assert probe.one_surface("sidewalk")(walk, 0, 0) == 0.1
    assert probe.one_surface()(grass, 0, 0) == 0.1
    for place, x in (("road", grass), ("sidewalk", grass), ("sidewalk", road)):
        with pytest.raises(NoFreeSpaceError, match="kerb"):
            probe.one_surface(place)(x, 0, 0)  # type: ignore[arg-type]
    anywhere = probe.one_surface("anywhere")
    anywhere(grass, 0, 0)
    with pytest.raises(NoFreeSpaceError, match="kerb"):
        anywhere(walk, 0, 0)
