"""A set made with a rig on the embedded server: cameras, boxes and points agree; what a server lacks is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from caos.cli import app
from caos.foundation.errors import CaosError
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import open_dataset, read_instances, read_png_values
from caos.scenes.dataset.subset import subset_folder
from caos.scenes.generation.generate import Place, generate
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.recipes.recipe import Recipe, RecipePart
from caos.scenes.recipes.rig_rules import CarCamera, CarLidar, RigRules
from caos.scenes.recipes.rules import CameraRules, HazardRules, OutputRules, TrafficRules, WeatherRules
from caos.scenes.sensors.lidar_files import read_scan
from caos.scenes.viewing.sensor_sheet import points_in_picture
from caos.simulator.lens import Lens
from caos.simulator.transform import Transform
from tests.simulator.server.street import STREET

pytestmark = pytest.mark.timeout(600)
FISHEYE = CarCamera("wide", z_m=1.5, size=(160, 120), fov_deg=190, lens=Lens("fisheye", (0.02, -0.004)))
FRONT = CarCamera("front", x_m=1.0, z_m=1.7, size=(160, 90), fov_deg=90)
TOP = CarLidar("top", x_m=1.0, z_m=1.7, channels=64, columns=720, upper_deg=10, lower_deg=-30, range_m=60)
HAZARDS = HazardRules(objects="crate_02,sofa_01", range_m=(5, 10), placements={"road": 1.0}, number_shares=(0.0, 1.0))


def _recipe(street: Path, rig: RigRules) -> Recipe:
    part = RecipePart(
        "test",
        "rig",
        (str(street),),
        1,
        HAZARDS,
        CameraRules(size=(160, 90)),
        WeatherRules({"clear": 1.0}),
        TrafficRules(vehicles=(2, 2), parked=(0, 0), walkers=(2, 2)),
        rig=rig,
    )
    return Recipe("rig", "One street.", "StreetHazards", (part,), OutputRules(normals=True))


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("street") / "street.xodr"
    file.write_text(STREET)
    return file


@pytest.fixture(scope="module")
def made(street: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("rig") / "set"
    recipe = _recipe(street, RigRules((FISHEYE, FRONT), (TOP,)))
    assert generate(recipe, root, place=Place(quality="draft"), seed=2).made == 1
    before = {p: p.read_bytes() for p in root.rglob("*") if p.is_file()}
    # What is lost of one camera or scan is made again, to the same bytes.
    (root / "test/cameras/front/images/test/rig/1.png").unlink()
    (root / "lidar/top/test/101/labels/000000.label").write_bytes(b"")
    assert generate(recipe, root, place=Place(quality="draft"), seed=2).made == 1
    assert {p: p.read_bytes() for p in root.rglob("*") if p.is_file()} == before
    return root


@pytest.fixture(scope="module")
def row(made: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((made / "manifest.jsonl").read_text())
    return read


def test_each_camera_has_its_files_and_its_place(made: Path, row: dict[str, Any]) -> None:
    wide, front = row["cameras"]
    assert (wide["name"], wide["files"], wide["depth"]) == ("wide", row["files"], "ray")
    assert (front["depth"], front["lens"]) == ("axis", {"model": "pinhole", "coefficients": []})
    assert np.array(front["intrinsics"]) == pytest.approx(np.array([[80, 0, 79.5], [0, 80, 44.5], [0, 0, 1]]))
    assert np.array(front["extrinsics"]) == pytest.approx(FRONT.mount.matrix, abs=1e-3)
    ego = Transform(**row["ego_pose"])
    assert (ego @ FRONT.mount).location == pytest.approx(Transform(**front["pose"]).location, abs=1e-3)
    with Image.open(made / front["files"]["image"]["path"]) as picture:
        assert picture.size == (160, 90)
    assert [sample.key for sample in open_dataset(made).splits["test"]] == ["test/rig/1"]


def test_the_road_looks_up(made: Path, row: dict[str, Any]) -> None:
    for camera in row["cameras"]:
        with Image.open(made / camera["files"]["normals"]["path"]) as picture:
            normals = np.asarray(picture).astype(int)
        classes = read_png_values(made / camera["files"]["annotation"]["path"])
        road = np.isin(classes, [STREETHAZARDS.png_value("road"), STREETHAZARDS.png_value("road line")])
        assert road.sum() > 500
        assert np.median(normals[road], axis=0).tolist() == pytest.approx([128, 128, 255], abs=1)


def test_boxes_hold_their_points(made: Path, row: dict[str, Any]) -> None:
    (lidar,) = row["lidar"]
    scan = read_scan(made, lidar)
    world = Transform(**row["ego_pose"]).matrix @ np.array(lidar["extrinsics"])
    points = scan.xyz.astype(float) @ world[:3, :3].T + world[:3, 3]
    assert {box["what"] for box in row["boxes"]} == {"hazard", "vehicle", "person"}
    assert lidar["hazard_points"] == sum(b["lidar_points"]["top"] for b in row["boxes"] if b["what"] == "hazard") > 50
    for box in row["boxes"]:
        mine = points[scan.instances == box["instance_id"]]
        assert len(mine) == box["lidar_points"]["top"]
        center = Transform(**box["center"]).matrix
        local = (mine - center[:3, 3]) @ center[:3, :3]
        # A walker's arms swing out of the box that CARLA gives it.
        slack = 0.5 if box["what"] == "person" else 2e-3
        assert (np.abs(local) <= np.array(box["size_m"]) / 2 + slack).all()
    hazard = next(box for box in row["boxes"] if box["what"] == "hazard")
    told = row["hazards"][hazard["instance_id"] - 1]
    assert told["box"] == hazard["seen"]["wide"]["box"]
    assert told["level"] == "object"


def test_points_fall_on_what_the_camera_beside_the_lidar_shows(made: Path, row: dict[str, Any]) -> None:
    front, (lidar,) = row["cameras"][1], row["lidar"]
    scan = read_scan(made, lidar)
    x, y, which = points_in_picture(front, lidar, scan)
    shown = read_instances(made / front["files"]["instances"]["path"])[y.astype(int), x.astype(int)]
    same = shown == scan.instances[which]
    assert len(which) > 5000
    # Only where a pixel's centre and a point in it lie on two sides of an outline.
    assert same.mean() > 0.97
    assert (shown > 0)[scan.instances[which] > 0].mean() > 0.8


def test_audit_and_subset_keep_all_sensors(made: Path, tmp_path: Path) -> None:
    dataset = open_dataset(made)
    with subset_folder(tmp_path / "part", {}) as writer:
        part = writer.write(dataset, {"test/rig/1": {}}, "Part", {})
    scans = "lidar/top/test/101"
    for name in ("labels/000000.label", "velodyne/000000.bin", "poses.txt"):
        assert (part.root / scans / name).read_bytes() == (made / scans / name).read_bytes()
    assert [p for p in audit(part, workers=1).problems if p.level == "error"] == []
    (part.root / scans / "velodyne/000000.bin").write_bytes(b"")
    (part.root / "test/cameras/front/images/test/rig/1.png").unlink()
    found = {(p.rule, p.detail) for p in audit(part, workers=1).problems if p.level == "error"}
    assert found == {
        ("not on disk", "the manifest names this front image"),
        ("changed since made", "the hash of this top points is not the manifest's"),
    }


def test_the_sheet_shows_points_over_the_pictures(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "sheet.png"
    done = CliRunner().invoke(app, ["scenes", "sensors", str(made), "--boxes", "--out", str(out), "--columns", "1"])
    assert (done.exit_code, done.output.strip()) == (0, f"{out}: test/rig/1")
    with Image.open(out) as sheet:
        assert sheet.size == (160, 120 + 18 + 90 + 18)
        pixels = np.asarray(sheet).reshape(-1, 3)
    assert (pixels == (255, 0, 220)).all(1).sum() > 5
    assert (pixels == (255, 40, 40)).all(1).sum() > 20
    with pytest.raises(CaosError, match="unknown frame 'test/rig/2'; did you mean 'test/rig/1'"):
        from caos.scenes.viewing.sensor_sheet import write_sensor_picture

        write_sensor_picture(open_dataset(made), "test/rig/2", out)


LESSER = """
import sys
from caos.assets.street.blueprints import Blueprint
from caos.simulator.embedded.blueprints import catalogue

def lesser(blueprint):
    return Blueprint(blueprint.id, tuple(a for a in blueprint.attributes if a.id != "lens_model"))

kept = [b for b in catalogue.SENSOR_BLUEPRINTS if b.id != "sensor.lidar.ray_cast_semantic"]
catalogue.SENSOR_BLUEPRINTS = tuple(map(lesser, kept))
from caos.simulator.embedded.__main__ import main
sys.exit(main())
"""


@pytest.fixture(scope="module")
def lesser_server(street: Path) -> Iterator[str]:
    """A server without lens models, as a real one is, and without a semantic lidar."""
    command = [sys.executable, "-c", LESSER, "--quality", "draft", "--opendrive", str(street)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        word, port = process.stdout.readline().split()
        assert word == b"ready"
        yield f"127.0.0.1:{int(port)}"
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


@pytest.mark.parametrize(
    ("rig", "why"),
    [
        (
            RigRules((FISHEYE,)),
            "test/rig: camera 'wide' of the rig has a fisheye lens, but the server's cameras",
        ),
        (RigRules((FRONT,), (TOP,)), "test/rig: the server has no sensor.lidar.ray_cast_semantic for lidar 'top'"),
    ],
)
def test_what_a_server_lacks_is_refused_before_the_first_frame(
    street: Path, lesser_server: str, tmp_path: Path, rig: RigRules, why: str
) -> None:
    with pytest.raises(CaosError, match=why):
        generate(_recipe(street, rig), tmp_path / "set", place=Place(simulators=(lesser_server,)))
    assert not list((tmp_path / "set").rglob("*.png"))
