from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict

import pytest
import torch
from safetensors.torch import save_file

from caos.foundation.errors import CaosError
from caos.scenes.labels import STREETHAZARDS_12
from caos.segmentation.checkpoint import LAST_FILE, check_labels, load_last, load_weights, read_run
from caos.segmentation.models import build_model
from caos.segmentation.predict import Predictor
from caos.segmentation.train import train
from tests.segmentation.little import tiny


@pytest.fixture
def copied_run(tiny_run, tmp_path):
    return shutil.copytree(tiny_run, tmp_path / "copy")


def _edit(run, **changes) -> None:
    record = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**record, **changes}))


def test_a_run_says_what_it_is(tiny_run) -> None:
    run = read_run(tiny_run)
    assert run.labels.name == "streethazards"
    assert run.architecture.confidence_branch
    assert run.record.status == "finished"
    assert run.record.config["epochs"] == 2
    assert run.record.provenance["versions"]["torch"]
    measures = run.record.results.splits["val"]
    assert 0 <= measures.miou_all <= measures.miou_present <= 1
    assert run.record.results.miou_present == pytest.approx(measures.miou_present)
    assert measures.pixels == sum(map(sum, measures.confusion)) == 4 * 64 * 64
    for name in ("metrics.json", "curves.csv", "curves.png", "confusion-val.png", "predictions-val.png"):
        assert (tiny_run / name).stat().st_size > 50, name
    assert list((tiny_run / "tensorboard").iterdir())


def test_another_label_table_is_one_line(tiny_run, copied_run) -> None:
    with pytest.raises(CaosError, match=r"trained with label table 'streethazards' \(13 classes\), the dataset uses"):
        check_labels(read_run(tiny_run), STREETHAZARDS_12)
    _edit(copied_run, labels={"name": "streethazards", "version": 0, "digest": "0" * 16})
    with pytest.raises(CaosError, match="another version of label table 'streethazards'"):
        Predictor.load(copied_run)


def test_another_architecture_is_one_line(copied_run) -> None:
    run = read_run(copied_run)
    _edit(copied_run, architecture={**asdict(run.architecture), "head_channels": 16})
    with pytest.raises(CaosError, match=r"does not fit the architecture in run.json \(pspnet, resnet18\)"):
        Predictor.load(copied_run)
    _edit(copied_run, architecture={"model": "pspnet", "heads": 3})
    with pytest.raises(CaosError, match=r"run.json: key 'architecture': unknown key 'heads'"):
        read_run(copied_run)


def test_damaged_files_are_one_line(copied_run) -> None:
    (copied_run / "model.safetensors").write_bytes(b"garbage")
    with pytest.raises(CaosError, match="is not a file of plain weights"):
        Predictor.load(copied_run)
    (copied_run / "model.safetensors").unlink()
    with pytest.raises(CaosError, match="has no model.safetensors"):
        load_weights(build_model(read_run(copied_run).architecture), read_run(copied_run))
    (copied_run / "run.json").write_text("{")
    with pytest.raises(CaosError, match="is not valid JSON"):
        read_run(copied_run)


class _Evil:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_a_training_state_never_runs_code(copied_run, tmp_path) -> None:
    assert load_last(copied_run)["standing"]["step"] == 6
    torch.save({"step": _Evil(str(tmp_path / "ran"))}, copied_run / LAST_FILE)
    with pytest.raises(CaosError, match="cannot be read"):
        load_last(copied_run)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": 9}, "is not a run description of schema 1"),
        ({"labels": None}, "key 'labels': None is not a table"),
        ({"labels": {"name": 3, "version": 1, "digest": "x"}}, "key 'name': 3 is not of type str"),
        ({"size": [640]}, "key 'size': [640] has 1 members, not 2"),
        ({"normalisation": {"mean": [0, 0, "a"], "std": [1, 1, 1]}}, "'a' is not of type float"),
        ({"normalisation": {"mean": [0, 0, 0], "std": [1, 0, 1]}}, "0.0 is not a number from 1e-06"),
        ({"status": "done"}, "'done' is not one of training, finished"),
        ({"results": {"splits": {"val": {"miou_present": "high"}}}}, "key 'splits'"),
    ],
)
def test_a_damaged_description_names_the_field(copied_run, change, words) -> None:
    _edit(copied_run, **change)
    with pytest.raises(CaosError) as caught:
        read_run(copied_run)
    assert words in str(caught.value)
    assert "run.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "state",
    [
        {"pairs": [["standing", {"pairs": [["step", "six"]]}]]},
        {"pairs": [["standing", 3], ["task", {"pairs": []}], ["optimizer", {"pairs": []}]]},
        {"pairs": 3},
        {"tensor": ["a"], "channels_last": False},
        [],
    ],
)
def test_a_damaged_training_state_is_one_line(little_set, copied_run, state) -> None:
    save_file({}, copied_run / LAST_FILE, metadata={"state": json.dumps(state)})
    _edit(copied_run, status="training")
    with pytest.raises(CaosError, match="last.ckpt") as caught:
        train(little_set, copied_run, tiny(confidence_branch=True))
    assert "\n" not in str(caught.value)
