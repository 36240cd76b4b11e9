"""Rigs as data: recipes that carry one, poses on the car, boxes in pictures, scans in SemanticKITTI's layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.breakdowns import HAZARD_GROUPS
from caos.ood_scores.measuring.records import HazardFacts, HazardRow
from caos.scenes.dataset.boxes import ActorBox, box_rows, projected
from caos.scenes.dataset.levels import level_of
from caos.scenes.generation.cast import Cast
from caos.scenes.generation.poses import bearing_in_view
from caos.scenes.recipes.recipe import Slot, load_recipe, read_recipe
from caos.scenes.recipes.rig_rules import CarCamera, CarLidar, RigRules
from caos.scenes.recipes.text import recipe_text
from caos.scenes.scene import CameraSpec, LidarSpec, Scene, SceneVehicle
from caos.scenes.sensors.lidar_files import CAMERA_AXES, mounted, read_scan, write_indices, write_scans
from caos.scenes.sensors.lidar_labels import CLASS_NAMES, LabelledScan, class_of_tag, label_scan
from caos.scenes.sensors.rig_poses import carried, main_camera, outlook
from caos.scenes.sequences.flow import flow_before, flow_png
from caos.simulator.lens import Lens
from caos.simulator.lidar import LidarBeams, LidarScan
from caos.simulator.semantic_tags import CURRENT
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

RECIPE = """
extends = "streethazards"
[[rig.cameras]]
name = "left"
y_m = -0.3
size = [640, 360]
fov_deg = 70
[[rig.cameras]]
name = "wide"
size = [320, 240]
fov_deg = 180
lens = {{ model = "fisheye", coefficients = [0.01] }}
[[rig.lidars]]
name = "top"
channels = 32
{more}
"""
EGO = Transform(10, 20, 0.5, 0, 90, 0)


def _recipe(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text)
    return file


def test_a_recipe_has_a_rig_and_shows_it_in_full(tmp_path: Path) -> None:
    recipe = read_recipe(_recipe(tmp_path, RECIPE.format(more="")))
    rig = recipe.parts[0].rig
    assert [camera.name for camera in rig.cameras] == ["left", "wide"]
    assert rig.cameras[1].lens == Lens("fisheye", (0.01,))
    assert rig.lidars[0].beams == LidarBeams(channels=32)
    again = tmp_path / "again.toml"
    again.write_text(recipe_text(recipe))
    assert read_recipe(again).parts == recipe.parts
    assert load_recipe("streethazards").parts[0].rig == RigRules()


def test_another_size_changes_all_cameras_alike(tmp_path: Path) -> None:
    recipe = read_recipe(_recipe(tmp_path, RECIPE.format(more=""))).changed(size=(320, 180))
    assert [camera.size for camera in recipe.parts[0].rig.cameras] == [(320, 180), (160, 120)]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("[[rig.cameras]]\nname = 'left'", "two sensors are called 'left'; give each a name of its own"),
        ("[[rig.lidars]]\nname = 'Top Lidar'", "a sensor is called 'Top Lidar'; a name is at most 32 small letters"),
        ("[[rig.cameras]]\nname = 'b'\nfov = 90", "unknown key 'fov'; did you mean 'fov_deg'"),
        (
            "[[rig.cameras]]\nname = 'b'\nfov_deg = 175",
            "rig camera 'b': a field of view of 175 degrees is outside 1..170",
        ),
        ("[[rig.cameras]]\nname = 'b'\nlens = { model = 'fish' }", "'fish'"),
        ("[[rig.cameras]]\nname = 'b'\nlens = { model = 'brown' }", "a brown lens has 4 or 5 coefficients, not 0"),
        ("[[rig.lidars]]\nname = 'b'\nlower_deg = 9", "rig lidar 'b': lower_deg 9 lies above upper_deg 3"),
    ],
)
def test_a_wrong_rig_is_refused_in_a_line(tmp_path: Path, more: str, why: str) -> None:
    with pytest.raises(CaosError) as error:
        read_recipe(_recipe(tmp_path, RECIPE.format(more=more)))
    assert why in str(error.value)
    assert "\n" not in str(error.value)


def test_what_the_car_carries_turns_with_it() -> None:
    rig = RigRules((CarCamera("a", x_m=1.5, z_m=1.2), CarCamera("b", y_m=0.5, yaw_deg=90)), (CarLidar("c"),))
    drawn = CameraSpec(Transform(10, 20, 2), 64, 36)
    camera = main_camera(rig, drawn, EGO)
    assert (camera.name, camera.pose) == ("a", Transform(10.0, 21.5, 1.7, 0, 90, 0))
    assert main_camera(RigRules(), drawn, EGO) is drawn
    scene = carried(Scene("Town01", camera, "clear", Weather(), ego=EGO), rig)
    # The car looks along y, so its right is towards -x.
    assert scene.cameras[0].pose.location == (9.5, 20, 2.1)
    assert abs(scene.cameras[0].pose.yaw_deg) == 180
    assert scene.lidars == (LidarSpec("c", Transform(10, 20, 2.4, 0, 90, 0), LidarBeams()),)


def test_traffic_is_planned_for_all_that_is_seen() -> None:
    camera = CameraSpec(Transform(0, 0, 1.6), 64, 36)
    offsets = np.array([[10.0, 0], [0, 10], [-10, 0], [10, 8]])
    assert bearing_in_view(offsets, outlook(RigRules(), camera, EGO)).tolist() == [True, False, False, True]
    around = outlook(RigRules(lidars=(CarLidar("c"),)), camera, Transform())
    assert bearing_in_view(offsets, around).all()
    pair = RigRules((CarCamera("a"), CarCamera("b", yaw_deg=-70)))
    assert pair.span_deg == 230
    assert bearing_in_view(offsets, outlook(pair, camera, Transform())).tolist() == [True, True, False, True]


def test_every_tag_has_a_class_of_semantickitti() -> None:
    classes = class_of_tag(CURRENT)
    assert {int(classes[tag.number]) for tag in CURRENT.tags} | {2} == set(CLASS_NAMES)


def test_a_point_on_a_hazard_is_one_whatever_its_tag() -> None:
    actor, tag = np.array([0, 70000 & 0xFFFF, 41, 42], np.uint32), np.array([1, 20, 14, 12], np.uint32)
    scan = LidarScan(1, Transform(), np.zeros((4, 3), np.float32), np.ones(4, np.float32), actor, tag)
    labelled = label_scan(scan, Cast(vehicles=(41,), walkers=(42,), hazards=(70000,)), "0.9.16")
    assert labelled.classes.tolist() == [40, 2, 10, 30]
    assert labelled.instances.tolist() == [0, 1, 101, 102]


def _frames(root: Path) -> list[dict[str, object]]:
    part = load_recipe("lidar").parts[0]
    lidar_on_car, camera_on_car = Transform(0, 0, 1.9), Transform(1.4, 0, 1.6)
    rows = []
    for frame in range(2):
        ego = Transform(10, 20 + 5 * frame, 0.5, 0, 90, 0)
        camera = CameraSpec(ego @ camera_on_car, 640, 360)
        scene = Scene("Town01", camera, "clear", Weather(), ego=ego)
        scene = carried(scene, RigRules(lidars=(CarLidar("top"),)))
        assert scene.lidars[0].pose == ego @ lidar_on_car
        # One point of the world, a hazard's, from both places.
        world = np.linalg.inv(scene.lidars[0].pose.matrix) @ [8.0, 40.0, 1.0, 1.0]
        scan = LabelledScan(
            world[None, :3].astype(np.float32),
            np.ones(1, np.float32),
            np.array([2], np.uint16),
            np.array([7], np.uint16),
        )
        lidar = write_scans(root, Slot(part, 3, frame), scene, {"top": scan})
        about = {"intrinsics": camera.optics.intrinsics.tolist(), "extrinsics": mounted(ego, camera.pose).tolist()}
        rows.append({"ego_pose": vars(ego), "cameras": [about], "lidar": lidar, "sequence": {"time_s": 0.1 * frame}})
    write_indices(root, rows)
    return rows


def test_scans_lie_in_the_layout_of_semantickitti(tmp_path: Path) -> None:
    rows = _frames(tmp_path)
    folder = tmp_path / "lidar/top/test/103"
    assert sorted(p.name for p in folder.iterdir()) == ["calib.txt", "labels", "poses.txt", "times.txt", "velodyne"]
    # As SemanticKITTI's own tools read it.
    points = np.fromfile(folder / "velodyne/000000.bin", np.float32).reshape(-1, 4)
    label = np.fromfile(folder / "labels/000000.label", np.uint32)
    assert points[0].tolist() == pytest.approx([20, -2, -1.4, 1], abs=1e-5)
    assert (int(label[0]) & 0xFFFF, int(label[0]) >> 16) == (2, 7)
    lines = dict(line.split(": ") for line in (folder / "calib.txt").read_text().splitlines())
    calibration = {name: np.array(text.split(), float).reshape(3, 4) for name, text in lines.items()}
    poses = np.loadtxt(folder / "poses.txt").reshape(-1, 3, 4)
    tr = np.vstack([calibration["Tr"], [0, 0, 0, 1]])
    # The point in KITTI's first camera, from both frames: the second pose brings it to where the first saw it.
    second = np.fromfile(folder / "velodyne/000001.bin", np.float32).reshape(-1, 4)
    seen = [np.append(tr @ np.append(p[0, :3], 1), []) for p in (points, second)]
    assert np.vstack([poses[1], [0, 0, 0, 1]]) @ seen[1] == pytest.approx(seen[0], abs=1e-5)
    pixel = calibration["P0"] @ seen[0]
    # 18.6 m ahead and 2 m to the right (x is 8, the car at 10 looks along y), 0.6 m below.
    assert (pixel[:2] / pixel[2]).tolist() == pytest.approx(
        [319.5 + 320 * 2 / 18.6, 179.5 + 320 * 1.1 / 18.6], abs=1e-3
    )
    assert (folder / "times.txt").read_text().split() == ["0.000000e+00", "1.000000e-01"]
    back = read_scan(tmp_path, rows[0]["lidar"][0])  # type: ignore[index]
    assert back.xyz[0].tolist() == pytest.approx([20, 2, -1.4], abs=1e-5)
    assert np.linalg.det(CAMERA_AXES) == -1


def test_a_scan_that_is_cut_off_is_named(tmp_path: Path) -> None:
    (row, _) = _frames(tmp_path)
    lidar = row["lidar"][0]  # type: ignore[index]
    points = tmp_path / lidar["files"]["points"]["path"]
    points.write_bytes(points.read_bytes() * 2)
    with pytest.raises(CaosError, match=r"000000\.label: 1 labels for 2 points"):
        read_scan(tmp_path, lidar)
    points.write_bytes(b"12345")
    with pytest.raises(CaosError, match=r"000000\.bin: 5 bytes are not a whole number of points of 16 bytes"):
        read_scan(tmp_path, lidar)


def test_stills_of_a_part_lie_in_one_sequence() -> None:
    slots = list(load_recipe("streethazards").resized({"train": 0, "val": 0, "test": 6}).slots())
    paths = [slot.scan_path("top", "velodyne") for slot in slots]
    assert paths[0] == "lidar/top/test/101/velodyne/000000.bin"
    assert paths[3:5] == ["lidar/top/test/101/velodyne/000003.bin", "lidar/top/test/105/velodyne/000000.bin"]


def test_a_box_falls_where_its_corners_do() -> None:
    box = ActorBox(3, "vehicle", "vehicle.a", "car", Transform(11, 0, 1.5), (2, 4, 1))
    camera = CameraSpec(Transform(0, 0, 1.5), 200, 100)
    # Its near face is 10 m away: 4 m are 40 pixels across, 1 m is 10.
    assert projected(box, camera) == [80.0, 45.0, 120.0, 55.0]
    instances = np.zeros((100, 200), np.uint16)
    instances[46:50, 90:95] = 3
    scan = LabelledScan(np.zeros((2, 3), np.float32), np.ones(2, np.float32), *np.array([[10, 0], [3, 0]], np.uint16))
    behind = ActorBox(102, "person", "walker.a", "person", Transform(-9, 0, 1), (0.5, 0.5, 1.8))
    first, second = box_rows([box, behind], [(camera, instances)], {"top": scan})
    assert first["seen"] == {"front": {"box": [90, 46, 95, 50], "pixels": 20, "outline": [80.0, 45.0, 120.0, 55.0]}}
    assert (first["lidar_points"], first["class"]) == ({"top": 1}, "car")
    assert (second["seen"], second["lidar_points"]) == ({}, {"top": 0})


def test_levels_of_corner_cases() -> None:
    assert [level_of("sofa", "still"), level_of("log", "still"), level_of("log", "rolling")] == [
        "object",
        "scene",
        "scenario",
    ]
    group = HAZARD_GROUPS["level"]
    assert group(HazardRow(1, 5, HazardFacts(level="scene"))) == "scene"
    assert group(HazardRow(1, 5)) == "unknown"


def test_flow_points_to_where_things_were() -> None:
    then, now = CameraSpec(Transform(0, 0, 1), 100, 50), CameraSpec(Transform(1, 0, 1), 100, 50)
    car = SceneVehicle("vehicle.a", Transform(12, 0, 0))
    before = Scene("Town01", then, "clear", Weather(), vehicles=(car,))
    scene = Scene("Town01", now, "clear", Weather(), vehicles=(replace(car, pose=Transform(11, 0.5, 0)),))
    # A wall 9 m ahead, 10 m before; a car of which a point is seen; sky.
    depth = np.full((50, 100), 9.0, np.float32)
    instances = np.zeros((50, 100), np.uint16)
    depth[:10] = np.inf
    depth[30, 70], instances[30, 70] = 10.0, 101
    way, known = flow_before(before, scene, (then, now), depth, instances)
    assert known.all()
    # Ten metres away a point is nine tenths as far from the middle as it is at nine.
    assert way[40, 90] == pytest.approx([-0.1 * (90.5 - 50), -0.1 * (40.5 - 25)], abs=1e-4)
    assert np.abs(way[:10]).max() < 1e-5
    # The car's point was one metre farther and half a metre to the left.
    assert way[30, 70] == pytest.approx([50 + 50 * (4.1 - 0.5) / 12 - 70.5, 25 + 5.5 * 10 / 12 - 30.5], abs=1e-4)
    png = flow_png(way, known)
    assert png[40, 90].tolist() == [32768 - round(4.05 * 64), 32768 - round(1.55 * 64), 1]
    behind = CameraSpec(Transform(100, 0, 1), 100, 50)
    assert not flow_before(before, scene, (behind, now), depth, instances)[1][20:].any()
