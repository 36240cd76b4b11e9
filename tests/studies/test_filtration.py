"""Adversarial filtration and the study of hard sets, on a little set and two little runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT
from caos.ood_scores.command import Request, run_request
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import open_dataset
from caos.studies.filtration import FilterSettings, choose, filter_scenes
from caos.studies.framework.frames import JudgedFrame, SeenHazard, judge
from caos.studies.framework.named_folders import named
from caos.studies.framework.runs import load_run
from caos.studies.transfer_hard.study import HardSettings, study_transfer_hard
from tests.ood_scores import little

BAD = "test/t5/2"
"""A frame whose labels are wrong."""


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("filtration")
    little.write_set(root / "set", test=6, val=4)
    _number_hazards_from_one(root / "set", but=BAD)
    for name, seed in (("first", 0), ("second", 1)):
        little.write_run(root / name, seed=seed)
    return root


def _number_hazards_from_one(root: Path, but: str) -> None:
    """Number the hazards 1 and 7 in place of 300 and 7; the manifest of one frame counts pixels that are not there."""
    rows = [json.loads(line) for line in (root / "manifest.jsonl").read_text().splitlines()]
    for row in rows:
        path = root / "test/instances" / f"{row['key']}.png"
        if row["key"] == but:
            row["hazards"][0]["pixels"] += 50
        else:
            instances = np.asarray(Image.open(path))
            Image.fromarray(np.where(instances == 300, 1, instances).astype(np.uint16)).save(path)
            for hazard in row["hazards"]:
                hazard["instance_id"] = 1 if hazard["instance_id"] == 300 else 7
    (root / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def hard(places: Path):
    settings = FilterSettings("O", most_found=1.0, per_kind=9, device="cpu")
    return filter_scenes(places / "set", places / "first", places / "hard", settings=settings)


def _frame(key: str, found: float, kind: str = "sofa", taken_for: str = "road", iou: float = 0.5) -> JudgedFrame:
    hazards = (SeenHazard(kind, 90, taken_for, {"msp": found}), SeenHazard("cow", 10, "sky", {"msp": 1.0}))
    return JudgedFrame(key, iou, iou, "car", "wall", hazards if found >= 0 else (), None)


def test_frames_are_chosen_worst_first_within_the_caps() -> None:
    frames = [_frame("a", 0.04), _frame("b", 0.0), _frame("c", 0.02), _frame("d", 0.9), _frame("e", 0.03, "cow")]
    frames += [_frame("f", -1), _frame("g", 0.05, taken_for="sky")]
    rule = FilterSettings("O", most_found=0.15, per_kind=3, per_confusion=2)
    kept, steps = choose(frames, "msp", rule)
    assert [(one.key, one.kind, one.taken_for) for one in kept] == [
        ("b", "sofa", "road"), ("c", "sofa", "road"), ("e", "cow", "road"), ("g", "sofa", "sky"),
    ]  # fmt: skip
    assert kept[0].value == pytest.approx(0.1)
    assert steps == {"candidates": 6, "failing": 5, "within the caps": 4}


def test_ordinary_frames_are_chosen_by_their_iou() -> None:
    frames = [_frame(key, -1, iou=iou) for key, iou in (("a", 0.9), ("b", 0.1), ("c", 0.5), ("d", 0.3))]
    kept, _ = choose([*frames, _frame("hazard", 0.5, iou=0.0)], "msp", FilterSettings("A", worst_share=0.5))
    assert [(one.key, one.value, one.kind, one.taken_for) for one in kept] == [
        ("b", 0.1, "car", "wall"), ("d", 0.3, "car", "wall"),
    ]  # fmt: skip


def test_a_frame_is_judged_as_it_is_scored(places: Path, tmp_path: Path) -> None:
    dataset = open_dataset(places / "set")
    run = load_run(named(str(places / "first")), dataset, "msp", None, "cpu", 0)
    run.source.prepare(run.dataset, 0, SILENT)
    results = run_request(Request(places / "set", places / "first", tmp_path / "r", scorers="msp", device="cpu"))
    rows = dataset.manifest()
    frames = [judge(run, sample, rows[sample.key]) for sample in dataset.samples("test")]
    told = [frame.scores["msp"].auroc for frame in frames if frame.scores]
    assert np.mean(told) == pytest.approx(results.value("msp", "auroc"), abs=1e-6)
    assert [len(frame.hazards) for frame in frames] == [2, 2, 2, 2, 2, 0]
    assert frames[0].hazards[0].pixels == 180
    assert frames[-1].found("msp") is None
    assert all(0 <= frame.iou <= frame.accuracy + 0.5 for frame in frames)
    for frame in frames:
        pixels, right, _ = np.sum(frame.confidence, axis=0)
        assert right / pixels == pytest.approx(frame.accuracy)


def test_the_filtered_set_is_a_set_of_its_own(hard, places: Path) -> None:
    made = open_dataset(places / "hard")
    assert [sample.key for sample in made.samples("test")] == sorted(one.key for one in hard.failures)
    assert BAD not in {one.key for one in hard.failures}
    assert hard.steps["with sound labels"] == hard.steps["within the caps"] - 1 == len(hard.failures)
    assert audit(made, workers=1).errors == 0
    row = made.manifest()[hard.failures[0].key]
    assert row["filtered"]["kind"] == "thing"
    assert row["weather"]["name"] in {"rain", "clear"}
    source = open_dataset(places / "set")
    for sample in made.samples("test"):
        same = next(one for one in source.samples("test") if one.key == sample.key)
        assert sample.image.read_bytes() == same.image.read_bytes()
        assert not sample.image.samefile(same.image)


def test_it_goes_on_and_refuses_other_settings(hard, places: Path) -> None:
    settings = FilterSettings("O", most_found=1.0, per_kind=9, device="cpu")
    again = filter_scenes(places / "set", places / "first", places / "hard", settings=settings)
    assert again.failures == hard.failures
    with pytest.raises(CaosError, match="holds a filtered set made with other settings"):
        filter_scenes(places / "set", places / "first", places / "hard", settings=replace(settings, per_kind=2))


def test_an_empty_result_says_what_was_left(places: Path, tmp_path: Path) -> None:
    settings = FilterSettings("O", most_found=1e-9, device="cpu")
    with pytest.raises(CaosError, match=r"no frame is left of 6 in .*candidates 5, failing 0.*looser --most-found"):
        filter_scenes(places / "set", places / "first", tmp_path / "none", settings=settings)
    with pytest.raises(CaosError, match="kind is 'B'; it must be O"):
        FilterSettings("B")


def test_other_runs_on_the_full_and_the_filtered_set(hard, places: Path, tmp_path: Path) -> None:
    runs = [places / "first", places / "second"]
    settings = HardSettings("msp", "cpu", draws=50)
    study = study_transfer_hard(places / "set", places / "hard", runs, tmp_path / "study", settings=settings)
    shared = {(row["run"], row["other"]): row for row in study.content.details["shared"]}
    assert shared["first", "first"]["share"] == 1.0
    failing = study.content.details["failing"]
    both = set(failing["first"]) & set(failing["second"])
    assert shared["first", "second"]["shared"] == len(both)
    assert set(study.content.details["hard"]) <= set(failing["first"])
    assert BAD in failing["first"]
    assert (tmp_path / "study" / "frames.csv").is_file()
    again = study_transfer_hard(places / "set", places / "hard", runs, tmp_path / "study", settings=settings)
    assert again.content.identity == study.content.identity


def test_sets_that_do_not_belong_together_are_refused(hard, places: Path, tmp_path: Path) -> None:
    with pytest.raises(CaosError, match=r"was not made by caos scenes filter"):
        study_transfer_hard(places / "set", places / "set", [places / "first"], tmp_path / "a")
    little.write_set(tmp_path / "other", test=2, val=1)
    with pytest.raises(CaosError, match=r"was not filtered from"):
        study_transfer_hard(tmp_path / "other", places / "hard", [places / "first"], tmp_path / "b")
