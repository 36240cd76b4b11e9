"""The whole-image study on a little set and two little classifiers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import open_dataset
from caos.segmentation.models.whole_images import WholeImageClassifier, answer_names, classes_shown
from caos.segmentation.training.calibration import calibration_of
from caos.segmentation.training.config import make_config
from caos.segmentation.training.train import train
from caos.studies.whole_images.answers import answer_cells
from caos.studies.whole_images.measuring import detection, scores_of
from caos.studies.whole_images.outliers import OUTLIERS, photographs
from caos.studies.whole_images.study import Pictures, WholeImageSettings, study_whole_images
from tests.ood_scores import little

SETTINGS = {
    "encoder": "resnet18", "encoder_weights": "none", "encoder_depth": 4, "epochs": 1, "batch_size": 4,
    "device": "cpu", "augment": ("flip",), "workers": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Path:
    """A set with twins, training pictures and weathers; a multi-label and a multi-class run."""
    root = tmp_path_factory.mktemp("whole")
    little.write_set(root / "set", test=4, val=3)
    data = root / "set"
    rows = [json.loads(line) for line in (data / "manifest.jsonl").read_text().splitlines()]
    for kind in ("images", "annotations"):
        for number in range(3):
            source = data / "train" / kind / "validation/t4" / f"{number}.png"
            target = data / "train" / kind / "training/t1" / f"{number}.png"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    for split, town in (("train", "t1"), ("val", "t4")):
        for number in range(3):
            weather = {"name": "rain" if number else "clear"}
            key = f"{split}/{town}/{number}"
            rows.append({"schema": 1, "key": key, "split": split, "town": town, "weather": weather})
    (data / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for sample in open_dataset(data).samples("test"):
        twin = data / "test/twins" / sample.image.relative_to(data / "test/images")
        twin.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full((little.HEIGHT, little.WIDTH, 3), 90, np.uint8)).save(twin)
    opened = open_dataset(data)
    train(opened, root / "classes", make_config({**SETTINGS, "model": "multi-label"}))
    train(opened, root / "weather", make_config({**SETTINGS, "model": "multi-class", "target": "weather"}))
    return root


def test_a_class_is_shown_by_one_pixel_in_a_thousand() -> None:
    labels = torch.zeros(2, 50, 40, dtype=torch.uint8)
    labels[0, 0, :2] = 2
    labels[1, 0, :1] = 2
    assert classes_shown(labels, 3).tolist() == [[1, 0, 1], [1, 0, 0]]


def test_runs_know_their_answers(places: Path) -> None:
    classes = WholeImageClassifier.load(places / "classes", "cpu")
    assert classes.names[:2] == ("background", "building")
    weather = WholeImageClassifier.load(places / "weather", "cpu")
    assert weather.names == ("clear", "rain")
    logits = weather.logits(np.zeros((2, 50, 70, 3), np.uint8))
    assert logits.shape == (2, 2)
    assert torch.allclose(logits[0], logits[1])


def test_a_target_that_does_not_vary_or_is_not_told_is_one_line(places: Path, tmp_path: Path) -> None:
    config = make_config({**SETTINGS, "model": "multi-class", "target": "town"})
    with pytest.raises(CaosError, match="all training pictures have the same town: t1"):
        answer_names(open_dataset(places / "set"), config)
    little.write_set(tmp_path / "bare", test=2, val=2)
    (tmp_path / "bare/train/images/training").mkdir()
    source = tmp_path / "bare/train"
    for kind in ("images", "annotations"):
        (source / kind / "training").mkdir(exist_ok=True)
        (source / kind / "training/0.png").write_bytes((source / kind / "validation/t4/0.png").read_bytes())
    with pytest.raises(CaosError, match="the manifest does not give the town of train/training/0"):
        answer_names(open_dataset(tmp_path / "bare"), config)
    with pytest.raises(CaosError, match="is a run of model 'pspnet-light'; a classifier of whole pictures is needed"):
        WholeImageClassifier.load(little.write_run(tmp_path / "run"))


def test_detection_by_hand_at_a_base_rate_of_one_in_six() -> None:
    perfect = detection(np.float32([0, 1, 2]), np.float32([3, 4]))
    assert (perfect.auroc, perfect.aupr, perfect.fpr95) == (1.0, 1.0, 0.0)
    blind = detection(np.zeros(7, np.float32), np.zeros(40, np.float32))
    assert blind.auroc == 0.5
    assert blind.aupr == pytest.approx(1 / 6)


def test_scores_are_those_of_the_papers_on_logit_vectors() -> None:
    logits = np.random.default_rng(0).normal(size=(40, 4)).astype(np.float32)
    found = scores_of(logits, {"some": logits[:5]}, multi_label=True, seed=0)
    assert np.allclose(found["max_logit"]["some"], -logits[:5].max(1))
    assert np.allclose(found["logit_average"]["some"], -logits[:5].mean(1), atol=1e-6)
    shares = np.exp(logits[:5]) / np.exp(logits[:5]).sum(1, keepdims=True)
    assert np.allclose(found["msp"]["some"] - found["msp"]["some"][0], shares[0].max() - shares.max(1), atol=1e-5)
    assert set(found) == {
        "isolation_forest", "logit_average", "local_outlier_factor", "max_logit", "typicality", "msp",
    }  # fmt: skip


def test_outliers_are_what_the_papers_draw(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    drawn = {name: make((64, 48), rng) for name, make in OUTLIERS.items()}
    assert all(picture.shape == (48, 64, 3) and picture.dtype == np.uint8 for picture in drawn.values())
    assert set(np.unique(drawn["rademacher"])) == {0, 255}
    assert 0.02 < np.mean((drawn["gaussian"] == 0) | (drawn["gaussian"] == 255)) < 0.08
    assert 0.3 < np.mean(drawn["blobs"] == 0) < 0.99
    with pytest.raises(CaosError, match="holds no picture"):
        photographs(tmp_path, (8, 8), 3)


def test_pictures_of_a_set_are_exact_pairs(places: Path) -> None:
    pictures = Pictures.of(open_dataset(places / "set"))
    assert pictures.paired
    assert len(pictures.ordinary) == len(pictures.hazard) == 3
    assert "twins" in str(pictures.ordinary[0])
    assert len(pictures.fit) == 6
    assert pictures.size == (little.WIDTH, little.HEIGHT)


def test_the_study_measures_every_detector_on_every_outlier(places: Path, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(2):
        Image.fromarray(np.full((30, 40, 3), 80 * number, np.uint8)).save(folder / f"{number}.jpg")
    settings = WholeImageSettings(outliers=3, photographs=folder, device="cpu", draws=20)
    runs = [places / "classes", places / "weather"]
    study = study_whole_images(places / "set", runs, tmp_path / "study", settings=settings)
    told = study.content.details["classes"]
    assert set(told["detectors"]["msp"]) == {
        "hazard", "gaussian", "rademacher", "blobs", "textures", "photographs",
    }  # fmt: skip
    assert told["pictures"] == {
        "ordinary": 3, "hazard": 3, "gaussian": 3, "rademacher": 3, "blobs": 3, "textures": 3, "photographs": 2,
    }  # fmt: skip
    assert 0 <= told["pairs"]["max_logit"] <= 1
    for run in ("classes", "weather"):
        sure = study.content.details[run]["calibration"]
        assert set(sure) == {"ordinary", "hazard"}
        assert all(0 <= value <= 1 for one in sure.values() for value in one.values())
    assert study.content.details["weather"]["answers"] == ["clear", "rain"]
    again = study_whole_images(places / "set", runs, tmp_path / "study", settings=settings)
    assert again.content.identity == study.content.identity


def test_answers_are_counted_by_how_sure_they_are() -> None:
    logits = np.log(np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]], np.float32))
    cells = answer_cells(logits, np.array([0, 0, -1]))  # the third picture's answer is none that the run can give
    assert cells == pytest.approx(np.array([[1, 0, 0.6], [1, 1, 0.9]]))
    found = calibration_of(cells)
    assert found.aurra == pytest.approx((1 + 0.5) / 2)
    assert found.rms == pytest.approx(np.sqrt((0.6**2 + 0.1**2) / 2))
    yes_no = np.log(np.array([[0.8 / 0.2, 0.3 / 0.7]], np.float32))
    assert answer_cells(yes_no, np.array([[1, 1]])) == pytest.approx(np.array([[1, 0, 0.7], [1, 1, 0.8]]))
    assert calibration_of(np.zeros((0, 3))).response == ()
