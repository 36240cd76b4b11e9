"""Changes of scenes that need no simulator: their grammar, their limits, what they keep; exposures and renditions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caos.assets.catalogue.library import Library
from caos.assets.mesh import Material, Mesh, Part
from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import Dataset, open_dataset
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.scene import CameraSpec, Scene
from caos.scenes.shifting.attribute import attribute_of, attributes
from caos.scenes.shifting.camera_changes import moved
from caos.scenes.shifting.change import Change, ImpossibleError, parse_change
from caos.scenes.shifting.exposure import FOCUS_M, Exposure, sub_frames
from caos.scenes.shifting.objects import shifted_library
from caos.scenes.shifting.renditions import RENDITIONS, clay, line_drawing, resized, single_colour, toy
from caos.scenes.shifting.shift import drawn_unlike, shift_set
from caos.simulator.lens import PINHOLE, Lens
from caos.simulator.transform import Transform
from caos.simulator.weather import preset

CAMERA = CameraSpec(Transform(10, 20, 1.5, -2.0, 90.0, 0.0), 320, 180)
SCENE = Scene("Town02", CAMERA, "clear", replace(preset("clear"), sun_azimuth_angle=77, sun_altitude_angle=33))


def changed(text: str, scene: Scene = SCENE) -> Scene:
    change = parse_change(text)
    return attribute_of(change).apply(scene, change, None)  # type: ignore[arg-type]


def test_the_grammar_of_changes() -> None:
    assert parse_change("camera.height_m=0.8") == Change("camera.height_m", "=", "0.8")
    assert parse_change(" hazard.distance_m *= 2 ") == Change("hazard.distance_m", "*=", "2")
    assert [parse_change(f"a{sign}2").applied_to(3.0) for sign in ("=", "+=", "*=")] == [2.0, 5.0, 6.0]
    assert parse_change("town=./my plan.toml").slug == "town-.-my-plan.toml"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fog", "'fog' is not ATTRIBUTE=VALUE"),
        ("camera.hight_m=1", "unknown attribute of a scene 'camera.hight_m'; did you mean 'camera.height_m'"),
        ("camera.height_m=high", "--change camera.height_m=high: 'high' is not a number"),
        ("camera.height_m=-1", "-1 is not from 0.1 to 30"),
        ("camera.fov_deg=180", "180 is not from 5 to 170"),
        ("camera.lens=fisheye:a,b", "'a,b' are no coefficients; write brown:-0.3,0.1,0,0"),
        ("camera.lens=brown:-0.3", "a brown lens has 4 or 5 coefficients, not 1"),
        ("camera.lens=browne", "unknown lens 'browne'; did you mean 'brown'"),
        ("camera.lens+=brown", "camera.lens takes a lens, with '='"),
        ("country=frnace", "unknown country 'frnace'"),
        ("country+=usa", "country takes a name, with '='"),
        ("camera.size=wide", "--change camera.size=wide: 'wide' is not WIDTHxHEIGHT"),
        ("hazard.distance_m*=0", "a factor must be above 0"),
        ("weather=snow", "unknown weather 'snow'"),
        ("weather+=fog", "weather takes a name, with '='"),
        ("hour=25", "25 is not from 0 to 24"),
        ("hazard.rendition=origami", "unknown rendition 'origami'"),
        ("hazard.size=20", "20 is not from 0.1 to 10"),
        ("hazard.size+=1", "hazard.size is a factor"),
        ("hazard.number=1.5", "the number of hazards must be whole"),
        ("hazard.occlusion=1", "1 is not from 0.1 to 0.9"),
        ("camera.height_m=nan", "'nan' is not a number"),
    ],
)
def test_wrong_changes_are_refused(text: str, words: str) -> None:
    with pytest.raises(CaosError) as caught:
        attribute_of(parse_change(text))
    assert words in str(caught.value)


def test_another_weather_keeps_the_sun_unless_the_hour_is_what_changes() -> None:
    foggy = changed("weather=fog")
    assert (foggy.weather.sun_azimuth_angle, foggy.weather.sun_altitude_angle) == (77, 33)
    assert foggy.weather.fog_density == preset("fog").fog_density
    assert (foggy.weather_name, foggy.camera, foggy.seed) == ("fog", SCENE.camera, SCENE.seed)
    assert changed("weather=night").weather.sun_altitude_angle == preset("night").sun_altitude_angle
    noon, night = changed("hour=12"), changed("hour=0")
    assert noon.weather.sun_altitude_angle == pytest.approx(45)
    assert night.weather.sun_altitude_angle == pytest.approx(-45)
    assert changed("weather.fog_density=40").weather == replace(SCENE.weather, fog_density=40)
    assert changed("weather.cloudiness+=200").weather.cloudiness == 100


def test_the_camera_turns_zooms_and_moves() -> None:
    assert changed("camera.pitch_deg+=-8").camera.pose.pitch_deg == -10
    small = changed("camera.size=160x90").camera
    assert (small.width, small.height, small.pose) == (160, 90, CAMERA.pose)
    assert changed("camera.fov_deg*=0.5").camera.fov_deg == 45
    with pytest.raises(ImpossibleError, match="field of view"):
        changed("camera.fov_deg*=3")
    ahead = moved(CAMERA, 3.0, 1.0).pose
    assert (ahead.x, ahead.y, ahead.z) == (pytest.approx(9), pytest.approx(23), 1.5)


def test_frames_of_an_exposure_lie_along_the_way_and_over_the_opening() -> None:
    way = list(sub_frames(CAMERA, Exposure(ahead_m=1.6, turn_deg=4)))
    ys, yaws = np.array([[f.camera.pose.y, f.camera.pose.yaw_deg] for f in way]).T
    assert ys.mean() == pytest.approx(20)
    assert np.ptp(ys) == pytest.approx(1.5, abs=1e-3)
    assert yaws.mean() == pytest.approx(90)
    assert np.ptp(yaws) == pytest.approx(3.75)
    assert all(f.right_px == f.down_px == 0 for f in way)
    focal, far, focused = 160.0, 1e6, FOCUS_M
    for frame in sub_frames(CAMERA, Exposure(defocus=0.05)):
        lens = np.linalg.inv(CAMERA.pose.matrix) @ frame.camera.pose.matrix
        right_m, up_m = lens[1, 3], lens[2, 3]
        for distance, radius in ((far, 9.0), (focused, 0.0)):
            # A point ahead of the lens' middle, as this frame sees it, moved as the frame is.
            x = -focal * right_m / distance + frame.right_px
            y = focal * up_m / distance + frame.down_px
            assert np.hypot(x, y) <= radius + 1e-3
            if radius:
                assert np.hypot(x, y) == pytest.approx(np.hypot(frame.right_px, frame.down_px), rel=1e-3)


def box(*colors: tuple[float, float, float]) -> Mesh:
    """Cubes of one metre side by side, each of one colour."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]]
    faces += [[0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    parts = [
        Part(corners + np.float32([2 * i, 0, 0]), np.array(faces, np.int32), Material(str(i), color))
        for i, color in enumerate(colors)
    ]
    return Mesh(tuple(parts))


def test_renditions_keep_the_shape_and_change_what_it_is_made_of() -> None:
    mesh = box((0.4, 0.1, 0.1), (0.0, 0.1, 0.3))
    for name, make in RENDITIONS.items():
        made = make(mesh)
        assert np.allclose(made.size_m, mesh.size_m, atol=0.03), name
        assert made.bounds[0][2] == 0, name
    assert all(part.material.color == pytest.approx((0.2, 0.1, 0.2)) for part in single_colour(mesh).parts)
    assert len({id(part.material) for part in clay(mesh).parts}) == 1
    red, blue = (part.material for part in toy(mesh).parts)
    assert red.surface == "plastic"
    assert red.color[0] > 0.5 > red.color[2]
    assert blue.color[2] > 0.5 > blue.color[0]
    assert resized(mesh, 2).size_m == pytest.approx([2 * v for v in mesh.size_m])


def test_a_line_drawing_has_a_line_along_every_edge_of_a_box_and_none_across_its_faces() -> None:
    paper, ink = line_drawing(box((0.4, 0.1, 0.1))).parts
    assert paper.material.color[0] > 0.8 > 0.1 > ink.material.color[0]
    bars = ink.vertices.reshape(-1, 6, 3)
    assert len(bars) == 12
    lengths = np.linalg.norm(bars[:, :3].mean(1) - bars[:, 3:].mean(1), axis=1)
    # The diagonals of its faces, where two triangles lie in one plane, are no edges.
    assert lengths == pytest.approx(np.ones(12), abs=0.02)


def test_slivers_of_a_mesh_give_no_lines() -> None:
    cube = box((0.4, 0.1, 0.1)).parts[0]
    sliver = np.float32([[0, 0, 0.5], [1e-6, 0, 0.5], [0, 0, 0.9]])
    vertices = np.concatenate([cube.vertices, sliver])
    faces = np.concatenate([cube.faces, np.int32([[8, 9, 10]])])
    ink = line_drawing(Mesh((replace(cube, vertices=vertices, faces=faces),))).parts[1]
    assert np.isfinite(ink.vertices).all()
    assert len(ink.vertices) == 12 * 6


def test_the_library_of_a_shift_holds_each_form_of_each_object(tmp_path: Path) -> None:
    changes = [parse_change("hazard.size=2"), parse_change("hazard.rendition=clay")]
    folder = shifted_library(tmp_path, ["crate_01"], changes, None)
    library = Library.open(folder)
    assert library.names("imported") == ["crate_01_x2000", "crate_01_x2000_clay"]
    whole, changed_one = library.info("crate_01"), library.info("crate_01_x2000_clay")
    assert changed_one.size_m == pytest.approx([2 * v for v in whole.size_m], abs=1e-3)
    assert (changed_one.kind, changed_one.licence) == (whole.kind, whole.licence)
    assert "hazard.rendition=clay" in changed_one.source


def test_a_set_that_does_not_say_its_scenes_cannot_be_shifted(tiny_set: Path, tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="has no scene for test/t5/1: only a set made by caos scenes generate"):
        shift_set(tiny_set, ["weather=fog"], tmp_path / "out")
    with pytest.raises(CaosError, match="no change given"):
        shift_set(open_dataset(tiny_set), [], tmp_path / "out")
    with pytest.raises(CaosError, match="unknown split 'tset'"):
        shift_set(tiny_set, ["weather=fog"], tmp_path / "out", split="tset")
    assert not (tmp_path / "out").exists()


def test_every_attribute_says_what_it_takes() -> None:
    assert len(attributes()) >= 30
    assert all(attribute.takes for attribute in attributes().values())


def test_a_lens_and_a_country_change_nothing_else() -> None:
    barrel = changed("camera.lens=brown:-0.25,0.05,0,0")
    assert barrel.camera.lens == Lens("brown", (-0.25, 0.05, 0.0, 0.0))
    assert replace(barrel, camera=replace(barrel.camera, lens=PINHOLE)) == SCENE
    with pytest.raises(ImpossibleError, match="does not reach the corners"):
        changed("camera.lens=brown:-3,0,0,0")
    abroad = changed("country=usa")
    assert abroad.town == "Town02@usa"
    assert replace(abroad, town="Town02") == SCENE
    assert changed("country=japan", abroad).town == "Town02@japan"
    assert attribute_of(parse_change("country=usa")).keeps_ground


def test_images_of_another_version_or_quality_are_named() -> None:
    def drawn(**configuration: object) -> Dataset:
        return Dataset(Path("set"), "set", STREETHAZARDS, {}, {"provenance": {"configuration": configuration}})

    old, new = drawn(numerics={"scenes": 1}, quality="standard"), drawn(numerics={"scenes": 2}, quality="draft")
    assert drawn_unlike(old, new) == (
        "another version of the simulator drew them",
        "their quality is draft, not standard",
    )
    assert drawn_unlike(old, drawn(numerics={"scenes": 1}, quality="standard")) == ()
    one, other = drawn(packages={"mitsuba": "3.8"}), drawn(packages={"mitsuba": "3.9"})
    assert drawn_unlike(one, other) == ("another version of the simulator drew them",)
    assert drawn_unlike(old, drawn()) == ()  # a set that does not say is not accused
