"""``caos study exposure``: arms from TOML, trained and scored for real on little scenes, resumed, compared."""

from __future__ import annotations

import csv
import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caos.cli import app
from caos.foundation.errors import CaosError
from caos.ood_scores import results as scored
from caos.scenes.recipes.recipe import read_recipe
from caos.segmentation.prediction.checkpoint import read_run
from caos.segmentation.training.config import AUGMENTATIONS
from caos.studies.exposure.arms import USUAL_ARMS, Arm, Arms, read_arms
from caos.studies.exposure.study import ExposureSettings, study_exposure
from tests.segmentation.little import write_set

GRID = """
preset = "quick"
scorers = "entropy,max_logit"
[train]
encoder_weights = "none"
epochs = 1
crop = [64, 64]
freeze = "none"
evaluate = []
negatives = "max_entropy"
[[arm]]
name = "with negatives"
step = "the reference"
[[arm]]
name = "no negatives"
drop = ["negatives"]
[[arm]]
name = "void class"
train = { negatives = "void_class" }
scorer = "void_class"
[[arm]]
name = "again"
train = { init = "@no negatives" }
[[arm]]
name = "elsewhere"
set = "@plain"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A set with negatives, another to score on, and the arms."""
    root = tmp_path_factory.mktemp("exposure")
    write_set(root / "exposed", {"train": 4, "val": 1, "test": 3}, exposed=2)
    write_set(root / "other", {"test": 2}, seed=7)
    (root / "arms.toml").write_text(GRID)
    return root


@pytest.fixture(scope="module")
def study(place: Path):
    return study_exposure(
        place / "exposed",
        place / "study",
        on=[f"other={place / 'other'}"],
        settings=ExposureSettings(arms=place / "arms.toml", device="cpu", draws=50),
    )


def rows_of(study) -> list[dict[str, str]]:
    with (study.folder / "table.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_arm_is_trained_as_it_says(place, study) -> None:
    said = {folder.name: read_run(folder).record for folder in (place / "study/runs").iterdir()}
    assert set(said) == {"with-negatives", "no-negatives", "void-class", "again"}
    used = {name: None if record.negatives is None else record.negatives.loss for name, record in said.items()}
    assert used == {
        "with-negatives": "max_entropy", "no-negatives": None, "void-class": "void_class", "again": "max_entropy",
    }  # fmt: skip
    assert said["again"].config["init"] == str(place / "study/runs/no-negatives")
    assert said["again"].config["freeze"] == "none"


def test_the_table_has_every_arm_on_every_set_with_the_numbers_of_the_results(place, study) -> None:
    rows = rows_of(study)
    arms = {"with negatives": 2, "no negatives": 2, "void class": 3, "again": 2}
    assert len(rows) == sum(arms.values()) * 2 * 2
    for row in rows:
        number = {"its own test part": "0-exposed", "other": "1-other"}[row["set"]]
        folder = place / "study/results" / row["arm"].replace(" ", "-") / number
        value = scored.read(folder).value(row["scorer"], "aupr", row["protocol"])
        assert float(row["aupr"]) == pytest.approx(value)


def test_differences_are_against_the_first_arm(study) -> None:
    shown = {(r["arm"], r["set"], r["protocol"]): r for r in rows_of(study) if r["in_tables"] == "yes"}
    assert shown["void class", "other", "smiyc"]["scorer"] == "void_class"
    for (arm, name, protocol), row in shown.items():
        if arm == "with negatives":
            assert row["aupr_gain"] == ""
            continue
        reference = shown["with negatives", name, protocol]
        gain = float(row["aupr"]) - float(reference["aupr"])
        assert float(row["aupr_gain"]) == pytest.approx(gain, abs=1e-7)
        assert float(row["aupr_gain_low"]) <= gain + 1e-7
        assert float(row["aupr_gain_high"]) >= gain - 1e-7


def test_ordinary_classes_are_measured_on_the_own_test_part(place, study) -> None:
    from caos.scenes.dataset.layout import open_dataset
    from caos.segmentation.prediction.predict import Predictor
    from caos.segmentation.training.evaluate import evaluate

    predictor = Predictor.load(place / "study/runs/no-negatives", "cpu")
    found = evaluate(predictor, open_dataset(place / "exposed").samples("test")).quality(predictor.labels)
    row = next(r for r in rows_of(study) if r["arm"] == "no negatives")
    assert float(row["miou"]) == pytest.approx(found.miou_present)


def test_people_and_programs_get_the_same_study(study) -> None:
    text = study.markdown()
    assert "## its own test part, caos" in text
    assert "| with negatives | the reference | max_entropy, labelled, 2 images | Entropy |" in text
    assert "Left out: elsewhere (@plain was not given (--with plain=FOLDER))." in text
    content = json.loads((study.folder / "study.json").read_text())
    assert len(content["details"]["arms"]) == 8
    assert content["details"]["left out"] == {"elsewhere": "@plain was not given (--with plain=FOLDER)"}
    assert "AP on other" in (study.folder / "data.js").read_text()


def test_the_same_command_makes_nothing_again_and_a_new_set_joins(place, study) -> None:
    weights = {path: path.stat().st_mtime_ns for path in (place / "study").rglob("model.safetensors")}
    old = {path: path.stat().st_mtime_ns for path in (place / "study/results").rglob("results.json")}
    assert len(weights) == 4
    write_set(place / "third", {"test": 1}, seed=9)
    settings = ExposureSettings(arms=place / "arms.toml", device="cpu", draws=50, only=("with negatives",))
    again = study_exposure(
        place / "exposed", place / "study", on=[f"other={place / 'other'}", str(place / "third")], settings=settings
    )
    assert {row["set"] for row in rows_of(again)} == {"its own test part", "other", "third"}
    assert {path: path.stat().st_mtime_ns for path in weights} == weights
    assert {path: path.stat().st_mtime_ns for path in old} == old


def test_what_no_longer_fits_is_made_again_only_when_asked(place, study, tmp_path) -> None:
    changed = tmp_path / "arms.toml"
    changed.write_text(GRID.replace("epochs = 1", "epochs = 1\nlr = 1e-4"))

    def run(**more):
        settings = ExposureSettings(arms=changed, device="cpu", draws=50, only=("no negatives",), **more)
        return study_exposure(place / "exposed", place / "study", settings=settings)

    with pytest.raises(CaosError, match=r"runs/no-negatives holds a run made from other inputs \(config.lr"):
        run()
    before = (place / "study/runs/with-negatives/model.safetensors").stat().st_mtime_ns
    time.sleep(0.01)
    run(overwrite=True)
    assert read_run(place / "study/runs/no-negatives").record.config["lr"] == 1e-4
    assert (place / "study/runs/with-negatives/model.safetensors").stat().st_mtime_ns == before


def test_the_command_lists_its_arms() -> None:
    done = CliRunner().invoke(app, ["study", "exposure", "--list"])
    assert done.exit_code == 0
    names = [re.split(r"\s{2,}", line)[0] for line in done.output.splitlines()]
    assert names == [arm.name for arm in read_arms(USUAL_ARMS).arm]


def test_the_arms_of_the_package_are_settings_of_a_training() -> None:
    arms = read_arms(USUAL_ARMS)
    elsewhere = {"pasted negatives", "outlier_head, pasted", "outlier_head, on the road"}
    assert {arm.name for arm in arms.arm if arm.missing({})} == elsewhere
    places = {"plain": Path("plain"), "road": Path("road"), "cutouts": Path("cuts")}
    assert [arm.missing(places) for arm in arms.arm] == [None] * len(arms.arm)
    configs = {arm.name: arms.config(arm, places, {"seed": 3}) for arm in arms.arm}
    assert configs["pasted negatives"].paste == Path("cuts")
    assert {config.seed for config in configs.values()} == {3}
    assert configs["no negatives"].negatives is None
    assert configs["rendered negatives"].negatives == "max_entropy"
    assert set(configs["no camera faults"].augment) < set(AUGMENTATIONS)
    assert configs["tuned encoder"].freeze != configs["rendered negatives"].freeze == "encoder"
    told = {(arm.set, json.dumps(configs[arm.name].as_dict(), sort_keys=True)) for arm in arms.arm}
    assert len(told) == len(configs)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("preset = 'quick'", "key 'arm' is missing"),
        ("arm = []", "has no [[arm]]"),
        ("[[arm]]\nname = 'a'\n[[arm]]\nname = 'A'", "arm 'a' cannot be told from another"),
        ("[[arm]]\nname = 'a'\ncolour = 1", "unknown key 'colour'"),
        ("scorers = ' '\n[[arm]]\nname = 'a'", "names no scorer"),
        ("[[arm]]\nname = 'a'\ntrain = {epoch = 1}", "arm 'a': unknown setting 'epoch'; did you mean 'epochs'?"),
        ("[[arm]]\nname = 'a'\ndrop = ['negative']", "arm 'a': unknown setting 'negative'"),
        ("[[arm]]\nname = 'a'\ntrain = {epochs = 0}", "arm 'a': epochs: 0 is not a number from 1"),
        ("preset = 'slow'\n[[arm]]\nname = 'a'", "arm 'a': unknown preset 'slow'"),
        ("[[arm]]\nname = 'a'\nset = '@plain'", "no arm can be run: 'a': @plain was not given"),
    ],
)
def test_wrong_arms_are_one_line_before_anything_is_trained(place, tmp_path, text, words) -> None:
    file = tmp_path / "arms.toml"
    file.write_text(text)
    with pytest.raises(CaosError, match=re.escape(words)):
        study_exposure(place / "exposed", tmp_path / "out", settings=ExposureSettings(arms=file))
    assert not (tmp_path / "out").exists()


def test_wrong_folders_and_names_are_one_line(place, tmp_path) -> None:
    settings = ExposureSettings(arms=place / "arms.toml")
    with pytest.raises(CaosError, match="nowhere is not a folder"):
        study_exposure(place / "exposed", tmp_path / "out", on=["nowhere"], settings=settings)
    with pytest.raises(CaosError, match="--with plain=gone: gone is not a folder"):
        study_exposure(place / "exposed", tmp_path / "out", places=["plain=gone"], settings=settings)
    with pytest.raises(CaosError, match="unknown arm 'non negatives'; did you mean 'no negatives'?"):
        only = ExposureSettings(arms=place / "arms.toml", only=("non negatives",))
        study_exposure(place / "exposed", tmp_path / "out", settings=only)
    with pytest.raises(CaosError, match=r"arm 'with negatives': epochs: 0 is not a number from 1"):
        study_exposure(place / "exposed", tmp_path / "out", settings=replace(settings, epochs=0))
    assert not (tmp_path / "out").exists()


def test_a_scorer_of_an_arm_comes_before_those_of_all() -> None:
    arms = Arms(
        (Arm("a"), Arm("b", scorer="void_class"), Arm("c", scorer="rba, entropy")), scorers="entropy, max_logit"
    )
    assert [arms.scorers_of(arm) for arm in arms.arm] == [
        "entropy,max_logit",
        "void_class,entropy,max_logit",
        "rba,entropy,max_logit",
    ]


def test_the_arms_of_masks_differ_in_their_negatives_alone() -> None:
    arms = read_arms(USUAL_ARMS.with_name("masks.toml"))
    none, rba, uno, *classifiers = (arms.config(arm, {}, {}) for arm in arms.arm)
    assert (none.negatives, rba.negatives, uno.negatives) == (None, "rba", "uno")
    assert replace(rba, negatives=None) == replace(uno, negatives=None) == none
    assert [each.model for each in classifiers] == ["hypercolumn"] * 2
    assert {(each.size, each.crop) for each in (none, *classifiers)} == {((320, 180), (256, 144))}


def test_the_test_of_the_bundled_run_shows_none_of_its_kinds() -> None:
    recipe = read_recipe(USUAL_ARMS.with_name("unseen.toml"))
    learnt = read_run(Path("bundled")).record.negatives
    assert learnt is not None
    for part in recipe.parts:
        assert part.hazards is not None
        assert set(part.hazards.without) == set(learnt.kinds)
