"""Exports with cameras, boxes and lidar, read by their own worlds' loaders: torchvision's Kitti, pykitti, nuScenes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import write_jsonl
from caos.scenes.dataset.layout import open_dataset, read_image
from caos.scenes.exporting.formats import export_set
from caos.scenes.exporting.nuscenes import TABLES
from caos.scenes.viewing.sensor_sheet import write_sensor_picture
from caos.simulator.transform import Transform
from tests.scenes.conftest import SIZE

WIDTH, HEIGHT = SIZE
FOCAL = WIDTH / 2  # 90 degrees
INTRINSICS = [[FOCAL, 0.0, (WIDTH - 1) / 2], [0.0, FOCAL, (HEIGHT - 1) / 2], [0.0, 0.0, 1.0]]
POINTS = np.array([[10.0, -2.0, -1.0, 0.5], [10.5, -2.5, -1.0, 0.25]], np.float32)
LABELS = np.array([2 | (1 << 16), 40], np.uint32)


def pose(transform: Transform) -> dict[str, float]:
    return {name: getattr(transform, name) for name in ("x", "y", "z", "pitch_deg", "yaw_deg", "roll_deg")}


def sofa(ego: Transform) -> dict[str, Any]:
    """A sofa of 2 m by 1 m by 0.8 m on the ground, 10 m ahead and 2 m to the right, turned by 30 degrees."""
    center = ego @ Transform(x=10, y=2, z=0.4, yaw_deg=30)
    seen = {"box": [24, 20, 30, 26], "pixels": 36, "outline": [24.0, 20.0, 30.0, 26.0]}
    about = {"instance_id": 1, "what": "hazard", "object": "sofa_01", "class": "anomaly", "type": "hazard"}
    where = {"center": pose(center), "size_m": [2.0, 1.0, 0.8], "seen": {"front": seen}}
    return about | where | {"lidar_points": {"top": 1}}


def truck(ego: Transform) -> dict[str, Any]:
    """A lorry behind the car, which only the lidar could see."""
    center = ego @ Transform(x=-8, z=1.5)
    about = {"instance_id": 101, "what": "vehicle", "object": "vehicle.carlamotors.firetruck", "class": "car"}
    where = {"type": "truck", "center": pose(center), "size_m": [8.0, 2.5, 3.0], "seen": {}}
    return about | where | {"lidar_points": {"top": 0}}


@pytest.fixture
def rigged(tiny_set: Path) -> Path:
    """The tiny set with two cameras side by side and a lidar; its three test frames are a drive of 1 m a frame."""
    folder = tiny_set / "lidar/top/test/101"
    rows = []
    for line in (tiny_set / "manifest.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["split"] != "test":
            continue
        k = int(row["key"][-1]) - 1
        ego = Transform(x=100, y=50, yaw_deg=90) @ Transform(x=float(k))
        files = {"velodyne": f"{k:06d}.bin", "labels": f"{k:06d}.label"}
        for kind, data in (("velodyne", POINTS), ("labels", LABELS)):
            (folder / kind).mkdir(parents=True, exist_ok=True)
            (folder / kind / files[kind]).write_bytes(data.tobytes())
        cameras = []
        for name, side in (("front", 0.0), ("right", 0.5)):
            mounted = Transform(x=0.5, y=side, z=1.5)
            image = {"path": f"test/images/test/t5/{k + 1}.png"}
            about = {"name": name, "width": WIDTH, "height": HEIGHT, "lens": {"model": "pinhole"}}
            place = {"extrinsics": mounted.matrix.tolist(), "pose": pose(ego @ mounted), "files": {"image": image}}
            cameras.append(about | {"intrinsics": INTRINSICS} | place)
        lidar = {"name": "top", "extrinsics": Transform(z=1.8).matrix.tolist()}
        lidar["files"] = {
            kind: {"path": f"lidar/top/test/101/{folder_}/{files[folder_]}"}
            for kind, folder_ in (("points", "velodyne"), ("labels", "labels"))
        }
        row |= {"camera": {"width": WIDTH, "height": HEIGHT, "fov_deg": 90.0, "pose": cameras[0]["pose"]}}
        row |= {"ego_pose": pose(ego), "cameras": cameras, "boxes": [sofa(ego), truck(ego)], "lidar": [lidar]}
        row["hazards"][0] |= {"occluded_share": 0.2}
        row["sequence"] = {"key": "test/t5/001", "frame": k, "frames": 3, "time_s": k / 10, "rate_hz": 10.0}
        rows.append(row | {"town": "Town05"})
    write_jsonl(tiny_set / "manifest.jsonl", rows)
    return tiny_set


def test_torchvision_reads_the_objects_as_kitti(rigged: Path, tmp_path: Path) -> None:
    from torchvision.datasets import Kitti

    assert export_set(open_dataset(rigged), "kitti-object", tmp_path / "Kitti/raw").images == 3
    loaded = Kitti(str(tmp_path), train=True)
    assert len(loaded) == 3
    # It lists the folder in no order.
    image, (label,) = loaded[next(i for i, path in enumerate(loaded.images) if path.endswith("000001.png"))]
    samples = open_dataset(rigged).samples("test")
    assert np.array_equal(np.array(image), read_image(samples[1].image))
    assert (label["type"], label["truncated"], label["occluded"]) == ("Hazard", 0.0, 1)
    assert label["bbox"] == [24.0, 20.0, 29.0, 25.0]
    assert label["dimensions"] == [0.8, 1.0, 2.0]
    # The camera is 0.5 m ahead of the car's place and 1.5 m above the ground; the middle of the bottom is meant.
    assert label["location"] == pytest.approx([2.0, 1.5, 9.5])
    assert label["rotation_y"] == pytest.approx(math.radians(-60), abs=0.005)
    assert label["alpha"] == pytest.approx(math.radians(-60) - math.atan2(2, 9.5), abs=0.005)
    assert (tmp_path / "Kitti/raw/ImageSets/test.txt").read_text() == "000000\n000001\n000002\n"


def test_kitti_calibration_takes_points_and_the_second_camera_to_the_pixels(rigged: Path, tmp_path: Path) -> None:
    export_set(open_dataset(rigged), "kitti-object", tmp_path / "kitti")
    lines = (tmp_path / "kitti/training/calib/000000.txt").read_text().splitlines()
    calib = {name: np.array(values.split(), float) for name, _, values in (line.partition(": ") for line in lines)}
    points = np.fromfile(tmp_path / "kitti/training/velodyne/000000.bin", np.float32).reshape(-1, 4)
    assert np.array_equal(points, POINTS)
    in_camera = calib["Tr_velo_to_cam"].reshape(3, 4) @ np.append(points[0, :3], 1)
    # A lidar 0.3 m above and 0.5 m behind the camera; its y is to the left.
    assert in_camera == pytest.approx([2.0, 0.7, 9.5])
    left, right = (calib[name].reshape(3, 4) @ np.append(in_camera, 1) for name in ("P2", "P3"))
    assert left[:2] / left[2] == pytest.approx([23.5 + FOCAL * 2 / 9.5, 15.5 + FOCAL * 0.7 / 9.5])
    assert (left[:2] / left[2] - right[:2] / right[2]) == pytest.approx([FOCAL * 0.5 / 9.5, 0])
    assert len(list((tmp_path / "kitti/training/image_3").iterdir())) == 3


def test_pykitti_reads_the_sequences(rigged: Path, tmp_path: Path) -> None:
    import pykitti

    export_set(open_dataset(rigged), "kitti-odometry", tmp_path / "drives")
    drive = pykitti.odometry(str(tmp_path / "drives"), "00")
    assert len(drive.timestamps) == 3
    assert drive.timestamps[2].total_seconds() == pytest.approx(0.2)
    assert drive.poses[0] == pytest.approx(np.eye(4))
    assert drive.poses[2][:3, 3] == pytest.approx([0, 0, 2])
    assert np.array_equal(drive.get_velo(1), POINTS)
    assert drive.calib.b_rgb == pytest.approx(0.5)
    assert drive.get_cam2(0).size == SIZE
    labels = np.fromfile(tmp_path / "drives/sequences/00/labels/000002.label", np.uint32)
    assert np.array_equal(labels, LABELS)
    assert (tmp_path / "drives/sequences/keys.txt").read_text() == "00 test/t5/001\n"


def turned(quaternion: list[float], vector: list[float]) -> np.ndarray:
    w, x, y, z = quaternion
    axis = np.array([x, y, z])
    crossed = 2 * np.cross(axis, vector)
    return np.array(vector) + w * crossed + np.cross(axis, crossed)


def test_the_tables_of_nuscenes_hold_together(rigged: Path, tmp_path: Path) -> None:
    export_set(open_dataset(rigged), "nuscenes", tmp_path / "nu")
    names = [path.stem for path in (tmp_path / "nu/v1.0-caos").iterdir()]
    tables = {name: json.loads((tmp_path / f"nu/v1.0-caos/{name}.json").read_text()) for name in names}
    rows = {name: {row["token"]: row for row in table} for name, table in tables.items()}
    for table in tables.values():
        for row in table:
            for key, value in row.items():
                # Every token leads to a row of the table that its name says.
                if key.endswith("_token") and key not in {"first_sample_token", "last_sample_token"}:
                    home = key.removesuffix("_token").removeprefix("first_").removeprefix("last_")
                    assert value in rows["sample_annotation" if home == "annotation" else home]
    assert [len(tables[name]) for name in ("scene", "sample", "sample_data", "sample_annotation")] == [1, 3, 9, 6]
    assert {row["channel"] for row in tables["sensor"]} == {"CAM_FRONT", "CAM_RIGHT", "LIDAR_TOP"}
    assert {row["name"] for row in tables["category"]} == {"hazard.furniture", "vehicle.truck"}
    annotation = next(row for row in tables["sample_annotation"] if row["num_lidar_pts"] == 1)
    assert annotation["size"] == [1.0, 2.0, 0.8]
    assert annotation["visibility_token"] == "4"
    # CARLA's y is to the right: the car at (100, 50), looking along +y, is at (100, -50) here and looks along -y.
    assert annotation["translation"] == pytest.approx([98.0, -60.0, 0.4])
    heading = math.radians(-120)
    assert turned(annotation["rotation"], [1, 0, 0]) == pytest.approx([math.cos(heading), math.sin(heading), 0])
    camera = next(r for r in tables["calibrated_sensor"] if r["camera_intrinsic"] and r["translation"][1] == 0)
    assert camera["translation"] == pytest.approx([0.5, 0, 1.5])
    # The camera's z looks along the car's x, its x along the car's right.
    assert turned(camera["rotation"], [0, 0, 1]) == pytest.approx([1, 0, 0], abs=1e-9)
    assert turned(camera["rotation"], [1, 0, 0]) == pytest.approx([0, -1, 0], abs=1e-9)
    for row in tables["sample_data"]:
        assert (tmp_path / "nu" / row["filename"]).is_file()


def test_nuscenes_says_that_a_two_wheeler_has_a_rider(rigged: Path, tmp_path: Path) -> None:
    manifest = rigged / "manifest.jsonl"
    text = manifest.read_text().replace('"type": "truck"', '"type": "motorcycle"')
    manifest.write_text(text.replace("vehicle.carlamotors.firetruck", "vehicle.vespa.zx125"))
    export_set(open_dataset(rigged), "nuscenes", tmp_path / "nu")
    tables = {name: json.loads((tmp_path / f"nu/v1.0-caos/{name}.json").read_text()) for name in TABLES}
    assert {row["name"] for row in tables["category"]} == {"hazard.furniture", "vehicle.motorcycle"}
    (attribute,) = tables["attribute"]
    assert attribute["name"] == "cycle.with_rider"
    ridden = [row["attribute_tokens"] for row in tables["sample_annotation"] if row["attribute_tokens"]]
    assert ridden == [[attribute["token"]]] * 3


def test_the_devkit_of_nuscenes_reads_the_tables(rigged: Path, tmp_path: Path) -> None:
    """Where it is installed: it asks for an older numpy than ours."""
    kit = pytest.importorskip("nuscenes.nuscenes")
    export_set(open_dataset(rigged), "nuscenes", tmp_path / "nu")
    loaded = kit.NuScenes("v1.0-caos", str(tmp_path / "nu"), verbose=False)
    sample = loaded.get("sample", loaded.scene[0]["first_sample_token"])
    _, boxes, _ = loaded.get_sample_data(sample["data"]["CAM_FRONT"])
    assert [box.name for box in boxes] == ["hazard.furniture"]
    assert boxes[0].center == pytest.approx([2.0, 1.1, 9.5])


def test_a_set_with_one_camera_and_no_boxes_gives_what_it_has(rigged: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (rigged / "manifest.jsonl").read_text().splitlines()]
    for row in rows:
        ego = Transform(**row.pop("ego_pose"))
        for key in ("cameras", "boxes", "lidar", "sequence"):
            row.pop(key)
        row["hazards"][0] |= {"pose": pose(ego @ Transform(x=10, y=2, yaw_deg=30)), "size_m": [2.0, 1.0, 0.8]}
        row["hazards"][0] |= {"box": [24, 20, 30, 26]}
    write_jsonl(rigged / "manifest.jsonl", rows)
    dataset = open_dataset(rigged)
    export_set(dataset, "kitti-object", tmp_path / "kitti")
    (line,) = (tmp_path / "kitti/training/label_2/000000.txt").read_text().splitlines()
    assert line == "Hazard 0.00 1 -1.25 24.00 20.00 29.00 25.00 0.80 1.00 2.00 2.00 1.50 9.50 -1.05"
    export_set(dataset, "nuscenes", tmp_path / "nu")
    assert len(json.loads((tmp_path / "nu/v1.0-caos/scene.json").read_text())) == 3
    with pytest.raises(CaosError, match="has no sequences; make some with: caos scenes generate approach"):
        export_set(dataset, "kitti-odometry", tmp_path / "drives")


@pytest.mark.parametrize("form", ["kitti-object", "kitti-odometry", "nuscenes"])
def test_a_set_that_names_places_outside_itself_is_refused(rigged: Path, tmp_path: Path, form: str) -> None:
    first, *rest = [json.loads(line) for line in (rigged / "manifest.jsonl").read_text().splitlines()]
    for change, words in (
        ({"cameras": [first["cameras"][0] | {"name": "../../../x"}]}, "leads outside the dataset"),
        ({"lidar": [{"name": "top", "files": {"points": {"path": "/etc/passwd"}}}]}, "leads outside the dataset"),
        ({"boxes": [{"what": "x"}]}, "'x' is not one of hazard, vehicle, person"),
    ):
        write_jsonl(rigged / "manifest.jsonl", [first | change, *rest])
        with pytest.raises(CaosError, match=words):
            export_set(open_dataset(rigged), form, tmp_path / "out")


def test_a_camera_without_a_place_is_not_drawn(rigged: Path, tmp_path: Path) -> None:
    first, *rest = [json.loads(line) for line in (rigged / "manifest.jsonl").read_text().splitlines()]
    nowhere = [{key: value for key, value in camera.items() if key != "extrinsics"} for camera in first["cameras"]]
    write_jsonl(rigged / "manifest.jsonl", [first | {"cameras": nowhere}, *rest])
    with pytest.raises(CaosError, match="'test/t5/1': not a valid manifest row: 'extrinsics' is missing"):
        write_sensor_picture(open_dataset(rigged), None, tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize("form", ["kitti-object", "nuscenes", "hugging-face", "webdataset"])
def test_a_damaged_picture_is_not_handed_on(rigged: Path, tmp_path: Path, form: str) -> None:
    picture = next((rigged / "test/images").rglob("*.png"))
    picture.write_bytes(picture.read_bytes()[:60])
    with pytest.raises(CaosError, match="cannot be read as a picture"):
        export_set(open_dataset(rigged), form, tmp_path / "out")


def test_what_cannot_be_exported_is_one_clear_line(rigged: Path, tmp_path: Path) -> None:
    first, *rest = [json.loads(line) for line in (rigged / "manifest.jsonl").read_text().splitlines()]
    wide = first | {"cameras": [first["cameras"][0] | {"lens": {"model": "fisheye"}}]}
    write_jsonl(rigged / "manifest.jsonl", [wide, *rest])
    with pytest.raises(CaosError, match="test/t5/1: camera 'front' has a lens of model 'fisheye'; KITTI needs a"):
        export_set(open_dataset(rigged), "kitti-object", tmp_path / "a")
    assert not (tmp_path / "a").exists()
    bad = first | {"cameras": [{key: value for key, value in first["cameras"][0].items() if key != "extrinsics"}]}
    write_jsonl(rigged / "manifest.jsonl", [bad, *rest])
    with pytest.raises(CaosError, match="manifest.jsonl, 'test/t5/1': not a valid manifest row: 'extrinsics' is"):
        export_set(open_dataset(rigged), "nuscenes", tmp_path / "b")
    (rigged / "manifest.jsonl").unlink()
    with pytest.raises(CaosError, match="does not say where its cameras are"):
        export_set(open_dataset(rigged), "kitti-object", tmp_path / "c")
