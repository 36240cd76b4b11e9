"""The corruption study on a little set and two little runs."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_json, read_record
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.measuring.metrics import measure as measure_map
from caos.ood_scores.sources.source import read_picture
from caos.scenes.dataset.layout import open_dataset, read_class_ids
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.config import AUGMENTATIONS
from caos.segmentation.training.evaluate import evaluate
from caos.studies.corruptions.corruption import common_corruptions, make_corruption
from caos.studies.corruptions.measuring import Condition, spoil
from caos.studies.corruptions.presentation import TRAINED_WITH, present
from caos.studies.corruptions.study import CorruptionSettings, study_corruptions
from caos.studies.framework.measuring import PictureNumbers
from caos.studies.framework.seeding import generator_for
from caos.studies.framework.study import Study
from tests.ood_scores import little
from tests.studies.test_transfer import Listening

SETTINGS = CorruptionSettings("fog,jpeg", "1,3", scorers="msp,max_logit", device="cpu")
NAMES = ["clean", "fog-1", "fog-3", "jpeg_compression-1", "jpeg_compression-3"]


class Counting(Listening):
    """Counts the pictures of every condition."""

    def task(self, description: str, total: int | None, done: int = 0) -> Any:
        return super().task("score" if description.startswith("[") else description, total, done)


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("corruptions")
    little.write_set(root / "set", test=3, val=1)
    for name, seed in (("first", 0), ("second", 1)):
        little.write_run(root / name, seed=seed)
    return root


def make(places: Path, out: Path, progress: Any = None, settings: CorruptionSettings = SETTINGS, **more: Any) -> Study:
    runs = [places / "first", places / "second"]
    return study_corruptions(places / "set", runs, out, settings=settings, progress=progress or Counting(), **more)


@pytest.fixture(scope="module")
def study(places: Path) -> Study:
    return make(places, places / "study")


def test_clean_pictures_measure_like_any_scoring_and_any_evaluation(study: Study, places: Path, tmp_path: Path) -> None:
    clean = study.content.details["numbers"]["second"]["clean"]
    request = Request(places / "set", places / "second", tmp_path / "r", scorers="msp,max_logit", device="cpu")
    results = run_request(request)
    for scorer in ("msp", "max_logit"):
        for metric in ("auroc", "aupr", "fpr95"):
            assert clean["scorers"][scorer][metric] == pytest.approx(results.value(scorer, metric), abs=1e-6)
        assert clean["scorers"][scorer]["false_alarms"] == pytest.approx(0.05, abs=0.002)
    predictor = Predictor.load(places / "second", device="cpu")
    quality = evaluate(predictor, open_dataset(places / "set").samples("test")).quality(predictor.labels)
    assert clean["miou"] == pytest.approx(quality.miou_present, abs=1e-6)
    assert clean["calibration_rms"] == pytest.approx(quality.calibration_rms, abs=1e-5)
    assert clean["aurra"] == pytest.approx(quality.aurra, abs=1e-5)
    assert clean["response"][-1] == pytest.approx(quality.pixel_accuracy, abs=1e-6)


def test_a_corrupted_picture_is_scored_as_if_it_were_in_the_set(study: Study, places: Path) -> None:
    dataset = open_dataset(places / "set")
    predictor = Predictor.load(places / "first", device="cpu")
    found = []
    for sample in dataset.samples("test"):
        picture, ids = read_picture(sample.image), read_class_ids(sample, dataset.labels)
        foggy = make_corruption("fog").corrupt(picture, 3, generator_for(0, sample.key, "fog", 3))
        scores = -predictor.predict(foggy[None]).logits[0].max(0).values.numpy()
        if (ids == 13).any():
            found.append(measure_map(scores, ids == 13).auroc)
    told = study.content.details["numbers"]["first"]["fog-3"]["scorers"]["max_logit"]["auroc"]
    assert told == pytest.approx(np.mean(found), abs=1e-6)


def test_labels_move_with_the_picture(places: Path) -> None:
    dataset = open_dataset(places / "set")
    sample = dataset.samples("test")[0]
    still = spoil(sample, dataset.labels, Condition(), 0)[1]
    moved = spoil(sample, dataset.labels, Condition("elastic_transform", 5), 0)[1]
    assert (moved != still).any()
    assert np.array_equal(spoil(sample, dataset.labels, Condition("fog", 5), 0)[1], still)


def test_errors_are_ratios_to_the_baseline(study: Study) -> None:
    numbers, errors = study.content.details["numbers"], study.content.details["errors"]
    for name in ("fog", "jpeg_compression"):
        own, theirs = ([1 - numbers[run][f"{name}-{s}"]["miou"] for s in (1, 3)] for run in ("second", "first"))
        assert errors["second"]["ce"][name] == pytest.approx(sum(own) / sum(theirs))
        clean, theirs_clean = (1 - numbers[run]["clean"]["miou"] for run in ("second", "first"))
        lost = sum(theirs) - 2 * theirs_clean
        expected = None if lost <= 0 else pytest.approx((sum(own) - 2 * clean) / lost)
        assert errors["second"]["relative_ce"][name] == expected
    assert errors["first"]["ce"] == {"fog": pytest.approx(1), "jpeg_compression": pytest.approx(1)}
    assert errors["second"]["mce"] == pytest.approx(np.mean(list(errors["second"]["ce"].values())))


def test_the_files_of_the_study(study: Study) -> None:
    rows = list(csv.DictReader((study.folder / "table.csv").open()))
    assert len(rows) == 2 * 5 * 2
    assert {row["corruption"] for row in rows} == {"clean", "fog", "jpeg_compression"}
    for name in ("summary", "errors", "detectors"):
        assert (study.folder / f"{name}.csv").is_file()
    assert "| JPEG compression |" in study.markdown()
    assert list(study.content.details["numbers"]["first"]) == NAMES
    assert (study.content.settings["baseline"], study.content.details["baseline"]) == ("first", "first")
    assert study.page.is_file()
    shown = study.content.details["examples"]
    assert [one["name"] for one in shown] == ["clean", "Fog, severity 3", "JPEG compression, severity 3"]
    assert all((study.folder / one["file"]).is_file() for one in shown)


def test_a_stopped_study_goes_on_and_more_conditions_can_join(study: Study, places: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        make(places, tmp_path / "s", Counting(stop_at=8))  # in the third of five conditions of three pictures
    going_on = Counting()
    done = make(places, tmp_path / "s", going_on)
    assert going_on.scored == 9
    assert done.content.details == study.content.details
    again = Counting()
    make(places, tmp_path / "s", again)
    assert (again.scored, again.said) == (0, [f"{tmp_path / 's'} is up to date"])
    more = CorruptionSettings("fog,jpeg", "1,3,5", scorers="msp,max_logit", device="cpu")
    joined = make(places, tmp_path / "s", again, more, baseline=places / "second")
    assert again.scored == 2 * 3
    assert joined.content.details["baseline"] == "second"
    assert joined.content.details["numbers"]["first"]["fog-3"] == study.content.details["numbers"]["first"]["fog-3"]


def test_runs_that_have_seen_a_corruption_are_marked(study: Study, places: Path) -> None:
    assert set(TRAINED_WITH) <= set(AUGMENTATIONS)
    assert study.content.details["trained with"] == {"first": [], "second": []}
    found = {}
    for condition in (Condition(), Condition("fog", 1), Condition("jpeg_compression", 1)):
        part = study.folder / f"parts/first/{condition.name}.json"
        found[condition] = read_record(PictureNumbers, read_json(part)["value"], part)
    marked = present({"first": found}, "first", {"first": ("flip", "camera")})
    titles = [row[1] for row in marked.tables[2].rows]
    assert titles == ["Fog", "JPEG compression *"]
    assert marked.tables[1].rows[0][0] == "first *"


@pytest.mark.parametrize(
    ("corruptions", "severities", "words"),
    [
        ("fgo", "1", "unknown corruption 'fgo'; did you mean 'fog'"),
        ("gaussian", "1", "could be gaussian_blur or gaussian_noise"),
        ("fog", "0,1", "severities are some of 1,2,3,4,5 separated by commas, not '0,1'"),
        ("", "1", "no corruption in ''"),
    ],
)
def test_bad_conditions_are_refused(
    places: Path, tmp_path: Path, corruptions: str, severities: str, words: str
) -> None:
    with pytest.raises(CaosError, match=words):
        make(places, tmp_path / "s", settings=CorruptionSettings(corruptions, severities))
    assert list(tmp_path.iterdir()) == []


def test_bad_places_are_refused(places: Path, tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="the baseline 'third' is not one of the runs: first, second"):
        make(places, tmp_path / "s", baseline="third")
    with pytest.raises(CaosError, match="no run given"):
        study_corruptions(places / "set", [], tmp_path / "s")
    with pytest.raises(CaosError, match="run.json"):
        study_corruptions(places / "set", [places / "nothing"], tmp_path / "s", settings=SETTINGS)
    with pytest.raises(CaosError, match="unknown split 'tset'"):
        make(places, tmp_path / "s", settings=CorruptionSettings(split="tset"))
    assert list(tmp_path.iterdir()) == []


def test_the_whole_of_it_is_fifteen_corruptions_in_five_severities() -> None:
    conditions = CorruptionSettings().conditions()
    assert len(conditions) == 1 + 15 * 5
    assert {c.corruption for c in conditions[1:]} == set(common_corruptions())
