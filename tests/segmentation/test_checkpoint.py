from __future__ import annotations

import json
import os
import shutil

import pytest
import torch

from foundation.errors import CaosError
from scenes.labels import STREETHAZARDS_12
from segmentation.checkpoint import LAST_FILE, check_labels, load_last, load_weights, read_run
from segmentation.models import build_model
from segmentation.predict import Predictor


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
    assert run.record["status"] == "finished"
    assert run.record["config"]["epochs"] == 2
    assert run.record["provenance"]["versions"]["torch"]
    assert set(run.record["results"]["splits"]["val"]) >= {"miou_present", "miou_all", "aurra", "calibration_rms"}
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
    _edit(copied_run, architecture={**run.architecture.as_dict(), "head_channels": 16})
    with pytest.raises(CaosError, match=r"does not fit the architecture in run.json \(pspnet, resnet18\)"):
        Predictor.load(copied_run)
    _edit(copied_run, architecture={"model": "pspnet", "heads": 3})
    with pytest.raises(CaosError, match="not an architecture this version knows"):
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
    assert load_last(copied_run)["step"] == 6
    torch.save({"step": _Evil(str(tmp_path / "ran"))}, copied_run / LAST_FILE)
    with pytest.raises(CaosError, match="cannot be read"):
        load_last(copied_run)
    assert not (tmp_path / "ran").exists()
