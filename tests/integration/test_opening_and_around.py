"""Hazards that open, and hazards behind the car: sets made on the embedded server, audited and resumed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import open_dataset
from caos.scenes.generation.generate import Place, generate
from caos.scenes.recipes.recipe import Recipe, RecipePart
from caos.scenes.recipes.rig_rules import CarCamera, RigRules
from caos.scenes.recipes.rules import CameraRules, HazardRules, SequenceRules, TrafficRules, WeatherRules
from caos.scenes.sequences.sequence import read_sequence, sequence_file
from tests.simulator.server.street import STREET

pytestmark = pytest.mark.timeout(600)
PLACE = Place(quality="draft")
ROAD = {"road": 1.0}
NOBODY = TrafficRules(vehicles=(0, 0), parked=(0, 0), walkers=(0, 0))
OPENING = HazardRules(
    objects="fridge_02", range_m=(6, 8), placements=ROAD, number_shares=(1.0,), motions={"opening": 1.0}, fallen_share=0
)
AROUND = HazardRules(
    objects="crate_02,sofa_01,cow_01", range_m=(5, 9), placements=ROAD, number_shares=(0, 0, 1.0), views="any"
)
RIG = RigRules(
    tuple(CarCamera(name, yaw_deg=yaw, size=(96, 64), fov_deg=80) for name, yaw in (("front", 0), ("back", 180)))
)


def _recipe(street: Path, **more: Any) -> Recipe:
    shared = {"camera": CameraRules(size=(96, 64)), "weather": WeatherRules({"clear": 1.0}), "traffic": NOBODY}
    part = RecipePart("test", "a", (str(street),), 1, **(shared | more))
    return Recipe("little", "One street.", "StreetHazards", (part,))


def _tree(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("street") / "street.xodr"
    file.write_text(STREET)
    return file


def test_a_fridge_opens_frame_by_frame(street: Path, tmp_path: Path) -> None:
    rules = SequenceRules(speed_kmh=(2.0,), rate_hz=1.0, frames=5)
    recipe, root = _recipe(street, hazards=OPENING, sequence=rules), tmp_path / "set"
    generate(recipe, root, place=PLACE, seed=1)
    plan = read_sequence(sequence_file(root, "test/a/001"))
    # Four seconds: closed for 0.8, then open after another 2.4.
    assert [frame.hazards[0].open_share for frame in plan.frames] == [0, 0.083, 0.5, 0.917, 1]
    assert len({frame.hazards[0].pose for frame in plan.frames}) == 1
    rows = [json.loads(line) for line in (root / "manifest.jsonl").read_text().splitlines()]
    assert {row["hazards"][0]["motion"] for row in rows} == {"opening"}
    library = Library.open(None)
    for row in rows:
        told, (box,) = row["hazards"][0], row["boxes"]
        # The box holds the doors as they are in this frame.
        assert box["size_m"] == pytest.approx(library.mesh("fridge_02", 1.0, told["open_share"]).size_m, abs=1e-3)
        assert told["level"] == "scenario"
        assert 0 <= told["occluded_share"] < 0.1
    assert not [problem for problem in audit(open_dataset(root), workers=1).problems if problem.level == "error"]
    before = _tree(root)
    (root / "test/images/test/a/001-0002.png").unlink()
    (root / "scenes/test/a/001-0004.json").unlink()
    assert generate(recipe, root, place=PLACE, seed=1).made == 2
    assert _tree(root) == before


def test_hazards_stand_in_any_cameras_view_and_every_camera_has_its_twin(street: Path, tmp_path: Path) -> None:
    root = tmp_path / "set"
    generate(_recipe(street, hazards=AROUND, rig=RIG), root, place=PLACE, seed=5, twins=True)
    row = json.loads((root / "manifest.jsonl").read_text())
    assert {hazard["view"] for hazard in row["hazards"]} == {"front", "back"}
    for hazard, box in zip(row["hazards"], row["boxes"], strict=False):
        # Seen where it was placed, and by nobody else, for the two look away from each other.
        assert [name for name, seen in box["seen"].items() if seen["pixels"]] == [hazard["view"]]
        assert (hazard["pixels"] > 0) == (hazard["view"] == "front") == (hazard["occluded_share"] is not None)
    for camera in row["cameras"]:
        files = {kind: root / file["path"] for kind, file in camera["files"].items()}
        picture, twin, instances = (np.asarray(Image.open(files[kind])) for kind in ("image", "twin", "instances"))
        assert (np.abs(picture.astype(int) - twin)[instances > 0].max(1) > 8).mean() > 0.6
    assert not [problem for problem in audit(open_dataset(root), workers=1).problems if problem.level == "error"]
    # A map of a further camera that disagrees with the manifest is found.
    labels = root / row["cameras"][1]["files"]["annotation"]["path"]
    Image.fromarray(np.ones_like(np.asarray(Image.open(labels)))).save(labels)
    found = {problem.rule for problem in audit(open_dataset(root), workers=1).problems}
    assert {"changed since made", "mask differs from instances"} <= found


def test_what_cannot_open_is_not_chosen_for_it(street: Path, tmp_path: Path) -> None:
    rules = replace(OPENING, objects="sofa_01")
    with pytest.raises(CaosError, match="hazards of test/a: none of its 1 objects has a motion of opening; add still"):
        generate(_recipe(street, hazards=rules, sequence=SequenceRules()), tmp_path / "set", place=PLACE)
