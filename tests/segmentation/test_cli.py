from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from foundation.errors import CaosError
from segmentation.cli import app

TINY = ["--encoder", "resnet18", "--encoder-weights", "none", "--head-channels", "16", "--output-stride", "16",
        "--epochs", "1", "--batch-size", "4", "--crop", "64x64", "--device", "cpu"]  # fmt: skip


def _run(*arguments: object):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_training_from_the_command_line(little_set, tmp_path) -> None:
    done = _run(little_set.root, "--out", tmp_path / "run", *TINY, "--export", "onnx", "--evaluate", "val,test")
    assert done.exit_code == 0, done.output
    assert "mIoU" in done.output
    assert "pedestrian     absent" in done.output
    assert (tmp_path / "run" / "model.onnx").stat().st_size > 10_000
    assert set(json.loads((tmp_path / "run" / "metrics.json").read_text())) == {"val", "test"}
    again = _run(little_set.root, "--out", tmp_path / "run", *TINY)
    assert isinstance(again.exception, CaosError)
    assert "holds a run already" in str(again.exception)
    replaced = _run(little_set.root, "--out", tmp_path / "run", *TINY, "--overwrite")
    assert replaced.exit_code == 0
    assert not (tmp_path / "run" / "model.onnx").exists()


def test_an_ensemble(little_set, tmp_path) -> None:
    done = _run(little_set.root, "--out", tmp_path / "run", *TINY, "--seeds", "0,4")
    assert done.exit_code == 0, done.output
    seeds = [json.loads((tmp_path / p / "run.json").read_text())["config"]["seed"] for p in ("run", "run/seed1")]
    assert seeds == [0, 4]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "pspent"], "unknown model 'pspent'"),
        (["--encoder", "resnet19"], "unknown encoder 'resnet19'"),
        (["--seeds", "0,0"], "seeds is '0,0'"),
        (["--crop", "64"], "crop is '64'"),
        (["--scale", "a,b"], "scale is 'a,b'"),
        (["--export", "onx"], "did you mean 'onnx'"),
        (["--resume", "--overwrite"], "exclude each other"),
        (["--resume"], "cannot be resumed"),
        (["--labels", "streethazard"], "unknown label table"),
        (["--precision", "16"], "precision 16 needs a GPU"),
        (["--device", "tpu"], "device 'tpu'"),
        (["--config", "/nowhere.toml"], "cannot read /nowhere.toml"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(little_set, tmp_path, arguments, words) -> None:
    done = _run(little_set.root, "--out", tmp_path / "run", *TINY, *arguments)
    assert isinstance(done.exception, CaosError)
    assert words in str(done.exception)
    assert "\n" not in str(done.exception)
    assert not (tmp_path / "run").exists()


def test_the_command_line_is_light() -> None:
    code = "import sys, segmentation.cli; print([m for m in ('torch', 'cv2', 'lightning', 'timm') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
