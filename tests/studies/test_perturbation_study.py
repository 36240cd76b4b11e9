"""The perturbation study on a little set and two little runs."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.ood_scores.sources.source import read_picture
from caos.scenes.dataset.layout import open_dataset
from caos.segmentation.prediction.predict import Predictor
from caos.studies.framework.measuring import PictureNumbers
from caos.studies.framework.seeding import generator_for
from caos.studies.framework.study import Study
from caos.studies.perturbations.measuring import SequenceNumbers
from caos.studies.perturbations.perturbation import make_perturbation
from caos.studies.perturbations.presentation import present
from caos.studies.perturbations.study import PerturbationSettings, study_perturbations
from tests.ood_scores import little
from tests.studies.test_corruption_study import Counting

SETTINGS = PerturbationSettings("brightness,rotate", frames=3, images=2, scorers="msp,max_logit", device="cpu")


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("perturbations")
    little.write_set(root / "set", test=3, val=1)
    for name, seed in (("first", 0), ("second", 1)):
        little.write_run(root / name, seed=seed)
    return root


def make(places: Path, out: Path, progress: Any = None, **more: Any) -> Study:
    runs = [places / "first", places / "second"]
    return study_perturbations(places / "set", runs, out, settings=SETTINGS, progress=progress or Counting(), **more)


@pytest.fixture(scope="module")
def study(places: Path) -> Study:
    return make(places, places / "study")


def test_flips_of_classes_are_those_of_the_predicted_frames(study: Study, places: Path) -> None:
    predictor = Predictor.load(places / "second", device="cpu")
    samples = open_dataset(places / "set").samples("test")
    shares = []
    for sample in (samples[0], samples[2]):
        rng = generator_for(0, sample.key, "brightness")
        frames = make_perturbation("brightness").sequence(read_picture(sample.image), rng, 3)
        maps = [predictor.predict(frame.picture[None]).logits[0].argmax(0).numpy() for frame in frames]
        shares.append(np.mean([np.mean(one != other) for one, other in itertools.pairwise(maps)]))
    assert study.content.details["means"]["second"]["classes"]["brightness"] == pytest.approx(np.mean(shares), abs=1e-6)


def test_rates_are_ratios_to_the_baseline(study: Study) -> None:
    means, rates = study.content.details["means"], study.content.details["rates"]
    for measure, by_name in means["second"].items():
        for name, value in by_name.items():
            theirs = means["first"][measure][name]
            assert rates["second"][measure][name] == (pytest.approx(value / theirs) if theirs else None)
    mean = study.content.details["mean rates"]["first"]["classes"]
    assert mean is None or mean == pytest.approx(1)


def test_hand_worked_means_and_rates() -> None:
    def sequence(classes: float, flag: float) -> SequenceNumbers:
        return SequenceNumbers(classes, {"msp": flag}, {"msp": 0.5}, calibration_rms=classes, aurra=0.7)

    numbers = {
        "a": {"snow": [sequence(0.1, 0.0), sequence(0.3, 0.0)], "tilt": [sequence(0.4, 0.1), sequence(0.4, 0.1)]},
        "b": {"snow": [sequence(0.1, 0.1), sequence(0.1, 0.1)], "tilt": [sequence(0.2, 0.2), sequence(0.2, 0.2)]},
    }
    clean = {run: PictureNumbers(0.5, 0.1, 0.8, (), {}, {}) for run in numbers}
    found = present(numbers, clean, "a", 31)
    assert found.details["means"]["a"]["classes"] == {"snow": pytest.approx(0.2), "tilt": pytest.approx(0.4)}
    assert found.details["rates"]["b"]["classes"] == {"snow": pytest.approx(0.5), "tilt": pytest.approx(0.5)}
    assert found.details["mean rates"]["b"]["classes"] == pytest.approx(0.5)
    # The baseline's alarm never flips under snow: no rate, and no mean of rates.
    assert found.details["rates"]["b"]["flag msp"] == {"snow": None, "tilt": pytest.approx(2)}
    assert found.details["mean rates"]["b"]["flag msp"] is None
    assert "(50 % of a's: mFR)" in found.lead
    assert found.details["calibration"]["a"]["snow"] == (pytest.approx(0.2), pytest.approx(0.7))
    assert found.details["calibration"]["a"]["as they are"] == (0.1, 0.8)


def test_the_files_of_the_study(study: Study) -> None:
    rows = list(csv.DictReader((study.folder / "table.csv").open()))
    assert len(rows) == 2 * 2 * (1 + 2 + 2)
    assert {row["what"] for row in rows} == {"class", "alarm", "top list"}
    assert all(0 <= float(row["value"]) <= 1.5 for row in rows)
    assert study.page.is_file()


def test_a_stopped_study_goes_on_with_the_next_sequence(study: Study, places: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        make(places, tmp_path / "s", Counting(stop_at=3))
    parts = tmp_path / "s/parts/first"
    times = {path.name: path.stat().st_mtime_ns for path in parts.iterdir()}
    assert set(times) == {"clean.json", "brightness-0.json", "brightness-1.json", "rotate-0.json"}
    done = make(places, tmp_path / "s")
    assert done.content.details == study.content.details
    assert {name: (parts / name).stat().st_mtime_ns for name in times} == times
    said = Counting()
    make(places, tmp_path / "s", said)
    assert said.said == [f"{tmp_path / 's'} is up to date"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"perturbations": "rotat"}, "unknown perturbation 'rotat'; did you mean 'rotate'"),
        ({"frames": 1}, "frames is 1; it must be at least 2"),
        ({"images": 0}, "images is 0; it must be at least 1"),
    ],
)
def test_bad_settings_are_refused(places: Path, tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(CaosError, match=words):
        study_perturbations(
            places / "set", [places / "first"], tmp_path / "s", settings=PerturbationSettings(**settings)
        )
    assert list(tmp_path.iterdir()) == []
