"""The example files: a recipe, a town and a label table of one's own, used as the command line uses them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from caos.foundation.errors import CaosError
from caos.scenes.cli import app
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import open_dataset, read_class_ids, read_image
from caos.scenes.recipes.object_choice import objects_of_parts
from caos.scenes.recipes.recipe import load_recipe

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TINY = ("--size", "160x96", "--quality", "draft")


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("night") / "set"
    run(
        "generate",
        str(EXAMPLES / "night.toml"),
        "--out",
        str(out),
        "--seed",
        "6",
        "--train",
        "2",
        "--test",
        "1",
        "--twins",
        *TINY,
    )
    return out


def test_the_night_recipe_puts_negatives_into_training(night: Path) -> None:
    from caos.assets.catalogue.library import Library

    rows = open_dataset(night).manifest()
    shown = {key: [hazard["category"] for hazard in row["hazards"]] for key, row in rows.items()}
    train = [found for key, found in shown.items() if key.startswith("train/")]
    assert sorted(len(found) for found in train) == [0, 1]
    assert {category for found in train for category in found} <= {"furniture", "tools_machines"}
    assert set(shown["test/animals-and-boats/1"]) <= {"animals", "boats_aircraft"}
    assert shown["test/animals-and-boats/1"]
    parts = json.loads((night / "dataset.json").read_text())["parts"]
    objects = objects_of_parts(load_recipe(str(EXAMPLES / "night.toml")), Library.open())
    assert [part["objects"] for part in parts] == [list(names) for names in objects.values()]
    assert audit(open_dataset(night)).problems == ()


def test_the_sun_is_down_and_negatives_have_twins(night: Path) -> None:
    dataset = open_dataset(night)
    rows = dataset.manifest()
    samples = [*dataset.samples("train"), *dataset.samples("test")]
    assert {rows[s.key]["weather"]["name"] for s in samples} == {"night"}
    for sample in samples:
        assert (sample.twin is not None) == bool(rows[sample.key]["hazards"])
        # A recipe says what the sun does; how bright a picture is then, the camera's exposure decides.
        assert rows[sample.key]["weather"]["sun_altitude_angle"] == -30
        for hazard in rows[sample.key]["hazards"]:
            assert hazard["distance_m"] < 25 + 5


def test_a_label_table_of_ones_own_reads_a_generated_set(night: Path) -> None:
    table = str(EXAMPLES / "road_and_rest.toml")
    ids = np.unique(read_class_ids(open_dataset(night).samples("test")[0], open_dataset(night, table).labels))
    assert set(ids.tolist()) <= {*range(11), 255}
    assert 10 in ids
    outcome = json.loads(run("audit", str(night), "--labels", table, "--json"))
    assert outcome["errors"] == 0
    assert {row["class"] for row in outcome["class_shares"]} >= {"road", "road line", "anomaly"}


def test_a_town_of_ones_own_stands_in_a_recipe(tmp_path: Path) -> None:
    (tmp_path / "village.toml").write_bytes((EXAMPLES / "village.toml").read_bytes())
    (tmp_path / "mine.toml").write_text(
        'description = "d"\ndataset = "Mine"\n[[parts]]\nsplit = "train"\nfolder = "v"\ntowns = ["./village.toml"]\n'
        "count = 1\ntraffic = { walkers = [0, 0] }\n"
    )
    out = tmp_path / "out"
    run("generate", str(tmp_path / "mine.toml"), "--out", str(out), "--weather", "clear", *TINY)
    row = open_dataset(out).manifest()["train/v/1"]
    assert row["town"] == str(tmp_path / "village.toml")
    assert row["scene"]["walkers"] == []
    assert [p for p in audit(open_dataset(out)).problems if p.level == "error"] == []
    village = tmp_path / "village.toml"
    village.write_text(village.read_text().replace("seed = 5", "seed = 6"))
    with pytest.raises(CaosError, match=r'village.toml was "[0-9a-f]{16}", is "'):
        run("generate", str(tmp_path / "mine.toml"), "--out", str(out), "--weather", "clear", *TINY)


def test_a_town_of_ones_own_can_be_looked_at(tmp_path: Path) -> None:
    run("view", "--town", str(EXAMPLES / "village.toml"), "--out", str(tmp_path), "--n", "1", *TINY)
    picture = read_image(tmp_path / "village_clear_00.png")
    assert picture.shape == (96, 160, 3)
    assert picture.std() > 10
