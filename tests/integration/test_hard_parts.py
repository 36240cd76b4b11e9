"""The hard recipe on the embedded server: every part shows what it is named after, and says what it refused."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from caos.assets.catalogue.library import Library
from caos.scenes.dataset.layout import Dataset, open_dataset, read_image, read_instances, read_png_values
from caos.scenes.generation.contrast import ground_contrast
from caos.scenes.generation.filming import stage
from caos.scenes.generation.generate import Place, generate
from caos.scenes.generation.silhouette import silhouette_pixels
from caos.scenes.recipes.recipe import load_recipe
from caos.scenes.scene import scene_from_json
from caos.scenes.viewing import terminal_tables
from caos.scenes.viewing.overview import describe
from caos.scenes.viewing.terminal_tables import print_description
from caos.simulator.session import Session
from caos.simulator.transform import Transform

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SIZE = (256, 144)
OBJECTS = "elephant_01,sofa_01,rubble_02,throne_02,throne_03,cow_01"
FOLDERS = ("default", "occluded", "far", "tiny", "camouflage", "shade", "night")
SUNBEAM_M = 250.0


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    recipe = load_recipe("hard").changed(size=SIZE, objects=OBJECTS)
    parts = (replace(part, towns=("Town02",), count=1) for part in recipe.parts)
    root = tmp_path_factory.mktemp("hard") / "set"
    generate(replace(recipe, parts=tuple(parts)), root, seed=3, depth=True, place=Place(quality="draft"))
    return open_dataset(root)


def rows(hard: Dataset, folder: str) -> list[dict[str, Any]]:
    found = [dict(row) for key, row in hard.manifest().items() if key.startswith(f"test/{folder}/")]
    assert len(found) == 1
    assert all(len(row["hazards"]) == 1 for row in found)
    return found


def seen(hard: Dataset, row: dict[str, Any]) -> tuple[int, int]:
    """Pixels of the hazard in the label file, and of its whole silhouette."""
    scene = scene_from_json(row)
    shown = read_instances(hard.root / row["files"]["instances"]["path"]) == 1
    hazard = scene.hazards[0]
    whole = silhouette_pixels(Library.open(None).mesh(hazard.object), hazard.pose, scene.camera)
    return int(shown.sum()), whole


def test_the_default_filters_what_the_hard_parts_show(hard: Dataset) -> None:
    for row in rows(hard, "default"):
        pixels, whole = seen(hard, row)
        assert pixels >= 0.5 * whole
        assert pixels >= 3e-4 * SIZE[0] * SIZE[1]
        assert np.hypot(*_offset(row)) <= 46


def test_occluded_hazards_are_mostly_hidden(hard: Dataset) -> None:
    for row in rows(hard, "occluded"):
        pixels, whole = seen(hard, row)
        assert 0.05 <= pixels / whole <= 0.5
        assert row["hazards"][0]["occluded_share"] >= 0.5


def test_far_hazards_are_far(hard: Dataset) -> None:
    for row in rows(hard, "far"):
        assert 44 <= np.hypot(*_offset(row)) <= 121
        depth_m = np.asarray(Image.open(hard.root / row["files"]["depth"]["path"])) / 100
        shown = read_instances(hard.root / row["files"]["instances"]["path"]) == 1
        # Depth runs along the viewing axis, and the field of view is 90 degrees.
        assert depth_m[shown].min() > 44 * np.cos(np.pi / 4) - 4


def test_tiny_hazards_are_below_the_default(hard: Dataset) -> None:
    for row in rows(hard, "tiny"):
        pixels, _ = seen(hard, row)
        assert 0 < pixels <= 3e-4 * SIZE[0] * SIZE[1]


def test_camouflaged_hazards_have_the_colour_of_the_road(hard: Dataset) -> None:
    for row in rows(hard, "camouflage"):
        files = {kind: hard.root / row["files"][kind]["path"] for kind in ("image", "annotation", "instances")}
        rgb, values = read_image(files["image"]), read_png_values(files["annotation"])
        contrast = ground_contrast(rgb, values, read_instances(files["instances"]) == 1)
        assert contrast is not None
        assert contrast <= 16
        assert row["hazards"][0]["contrast"] == pytest.approx(contrast, abs=0.01)
        assert row["hazards"][0]["placement"] == "road"


def test_shaded_hazards_get_no_sun(hard: Dataset) -> None:
    library = Library.open(None)
    shaded = rows(hard, "shade")
    with Session.open(quality="draft", town="Town02") as session:
        for row in shaded:
            scene = scene_from_json(row)
            assert scene.weather.sun_altitude_angle > 0
            stage(session, replace(scene, hazards=()))
            hazard = scene.hazards[0]
            points = _surface(library, hazard.object, hazard.pose)
            sunwards = Transform(
                pitch_deg=scene.weather.sun_altitude_angle, yaw_deg=scene.weather.sun_azimuth_angle
            ).matrix[:3, 0]
            met = [bool(session.cast_ray(tuple(p), tuple(p + SUNBEAM_M * sunwards))) for p in points]
            assert np.mean(met) >= 0.6


def test_night_is_dark(hard: Dataset) -> None:
    day = np.mean([read_image(hard.root / row["files"]["image"]["path"]).mean() for row in rows(hard, "default")])
    for row in rows(hard, "night"):
        assert scene_from_json(row).weather.sun_altitude_angle < 0
        assert read_image(hard.root / row["files"]["image"]["path"]).mean() < 0.6 * day


def test_the_set_says_what_its_rules_let_through_and_refused(
    hard: Dataset, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = describe(hard)
    limits = {part["part"]: part for part in told.limits}
    assert list(limits) == [f"test/{folder}" for folder in FOLDERS]
    default = "50 % visible or more, 0.03 to 12 % of the image, 4 to 45 m away, fragments of 10 px or more"
    assert limits["test/default"]["limits"] == default
    assert limits["test/occluded"]["limits"].startswith("5 to 50 % visible, 0.01 to 12 % of the image")
    assert limits["test/shade"]["limits"].endswith("85 % in shade or more")
    counted = sum(
        count for key, row in hard.manifest().items() if "/occluded/" in key
        for reason, count in row["rejected"].items() if reason.endswith(": in full view")
    )  # fmt: skip
    assert limits["test/occluded"]["refused"]["in full view"] == counted > 0
    monkeypatch.setattr(terminal_tables, "Console", functools.partial(Console, width=200))
    print_description(told)
    printed = capsys.readouterr().out
    assert default in printed
    assert f"{counted} in full view (more than the largest visible share)" in printed


def _offset(row: dict[str, Any]) -> tuple[float, float]:
    pose, camera = row["hazards"][0]["pose"], row["camera"]["pose"]
    return pose["x"] - camera["x"], pose["y"] - camera["y"]


def _surface(library: Library, name: str, pose: Transform) -> np.ndarray:
    """Some vertices of the mesh in the world, a little above the ground."""
    vertices = np.concatenate([part.vertices for part in library.mesh(name).parts])
    world = vertices[:: max(1, len(vertices) // 40)] @ pose.matrix[:3, :3].T + pose.location
    return np.asarray(world[world[:, 2] > pose.z + 0.1], float)
