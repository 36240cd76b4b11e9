from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict

import pytest
import torch
from safetensors.torch import load_file, save_file

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import sha256
from caos.scenes.labels import STREETHAZARDS_12
from caos.segmentation.models.networks import build_model
from caos.segmentation.prediction.checkpoint import (
    LAST_FILE,
    WEIGHTS_FILE,
    check_labels,
    copy_weights,
    load_last,
    load_weights,
    read_run,
)
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.train import train
from tests.segmentation.little import seal, tiny


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
    seal(copied_run, architecture={**asdict(run.architecture), "head_channels": 16})
    with pytest.raises(CaosError, match=r"does not fit the architecture in run.json \(pspnet, resnet18\)"):
        Predictor.load(copied_run)
    _edit(copied_run, architecture={"model": "pspnet", "heads": 3})
    with pytest.raises(CaosError, match=r"run.json: key 'architecture': unknown key 'heads'"):
        read_run(copied_run)


def test_damaged_files_are_one_line(copied_run) -> None:
    (copied_run / "model.safetensors").write_bytes(b"garbage")
    seal(copied_run)
    with pytest.raises(CaosError, match="is not a file of plain weights"):
        Predictor.load(copied_run)
    (copied_run / "model.safetensors").unlink()
    with pytest.raises(CaosError, match="has no model.safetensors"):
        load_weights(build_model(read_run(copied_run).architecture), read_run(copied_run))
    (copied_run / "run.json").write_text("{")
    with pytest.raises(CaosError, match="is not valid JSON"):
        read_run(copied_run)


def _with_first_tensor(run, change) -> None:
    state = load_file(run / WEIGHTS_FILE)
    first = next(name for name, tensor in state.items() if tensor.ndim == 4)
    save_file(state | {first: change(state[first])}, run / WEIGHTS_FILE)


@pytest.mark.parametrize(
    "change",
    [
        lambda run: _with_first_tensor(run, lambda tensor: tensor * 1.001),
        lambda run: _with_first_tensor(run, torch.zeros_like),
        lambda run: (run / WEIGHTS_FILE).write_bytes((run / WEIGHTS_FILE).read_bytes()[:-1]),
        lambda run: _edit(run, results={}),
    ],
    ids=["a changed tensor", "zeros", "a byte less", "no digest recorded"],
)
def test_changed_weights_are_refused(copied_run, change) -> None:
    change(copied_run)
    words = r"weights do not match run.json: their SHA-256 is \w{16}, recorded is (\w{16}|none); restore"
    with pytest.raises(CaosError, match=words) as caught:
        Predictor.load(copied_run)
    assert "\n" not in str(caught.value)
    with pytest.raises(CaosError, match="weights do not match run.json"):
        copy_weights(build_model(read_run(copied_run).architecture), copied_run)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("architecture", {"output_stride": 8}),
        ("normalisation", {"mean": [0.5, 0.5, 0.5]}),
        ("size", [96, 64]),
        ("sides", [64, 32]),
        ("longest_side", 80),
        ("scales", [0.5, 1.0]),
    ],
)
def test_changed_settings_are_refused(copied_run, key, value) -> None:
    record = json.loads((copied_run / "run.json").read_text())
    _edit(copied_run, **{key: record[key] | value if isinstance(value, dict) else value})
    with pytest.raises(CaosError, match=f"run.json: '{key}' was changed after the run was written"):
        Predictor.load(copied_run)
    seal(copied_run)
    assert Predictor.load(copied_run).run is not None


def test_a_run_that_is_not_finished_is_refused(copied_run) -> None:
    _edit(copied_run, status="training", results={})
    with pytest.raises(CaosError, match=r"copy is not finished \(status 'training' in run.json\)"):
        Predictor.load(copied_run)
    with pytest.raises(CaosError, match="is not finished"):
        copy_weights(build_model(read_run(copied_run).architecture), copied_run)


def test_a_finished_run_with_changed_weights_is_not_taken_for_finished(little_set, copied_run) -> None:
    config = tiny(confidence_branch=True)
    assert train(little_set, copied_run, config)["epochs"] == 2
    _with_first_tensor(copied_run, torch.zeros_like)
    with pytest.raises(CaosError, match="weights do not match run.json"):
        train(little_set, copied_run, config)


def test_a_kill_between_weights_and_record_costs_nothing(little_set, copied_run) -> None:
    """The last weights are written, ``run.json`` still says ``training``."""
    before = sha256(copied_run / WEIGHTS_FILE)
    _edit(copied_run, status="training", results={})
    results = train(little_set, copied_run, tiny(confidence_branch=True))
    assert results["weights_sha256"] == sha256(copied_run / WEIGHTS_FILE) == before
    assert Predictor.load(copied_run).run is not None


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
