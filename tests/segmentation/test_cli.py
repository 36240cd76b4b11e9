from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from caos.foundation.errors import CaosError
from caos.segmentation.cli import app
from caos.segmentation.prediction.checkpoint import load_last
from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.negatives import loss_names

TINY = ["--encoder", "resnet18", "--encoder-weights", "none", "--head-channels", "16", "--output-stride", "16",
        "--epochs", "1", "--batch-size", "4", "--crop", "64x64", "--device", "cpu"]  # fmt: skip


def _run(*arguments: object):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def _measured(done) -> list[str]:
    """The lines that say how good a run is: two splits, and their classes."""
    return [line for line in done.output.splitlines() if line.startswith(("val: ", "test: ", "  "))]


def test_training_from_the_command_line(little_set, tmp_path) -> None:
    pytest.importorskip("onnx")
    done = _run(little_set.root, "--out", tmp_path / "run", *TINY, "--export", "onnx", "--evaluate", "val,test")
    assert done.exit_code == 0, done.output
    assert "mIoU" in done.output
    assert "pedestrian     absent" in done.output
    assert (tmp_path / "run" / "model.onnx").stat().st_size > 10_000
    assert set(json.loads((tmp_path / "run" / "metrics.json").read_text())) == {"val", "test"}
    before = (tmp_path / "run" / "model.safetensors").stat().st_mtime_ns
    again = _run(little_set.root, "--out", tmp_path / "run", *TINY, "--evaluate", "val,test")
    assert again.exit_code == 0
    assert "is already finished" in again.output
    assert _measured(again) == _measured(done)
    assert len(_measured(done)) == 2 * (1 + 13)
    assert (tmp_path / "run" / "model.safetensors").stat().st_mtime_ns == before
    other = _run(little_set.root, "--out", tmp_path / "run", *TINY, "--evaluate", "val")
    assert isinstance(other.exception, CaosError)
    assert "config.evaluate was" in str(other.exception)
    replaced = _run(little_set.root, "--out", tmp_path / "run", *TINY, "--overwrite")
    assert replaced.exit_code == 0
    assert not (tmp_path / "run" / "model.onnx").exists()


def test_an_export_without_the_package_onnx_is_refused_before_training(little_set, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    done = _run(little_set.root, "--out", tmp_path / "run", *TINY, "--export", "onnx")
    assert str(done.exception).startswith("ONNX export needs the package onnx, which is not installed: pip install ")
    assert not (tmp_path / "run").exists()


def test_the_losses_with_negatives_are_listed() -> None:
    done = _run("--list-negatives")
    assert done.exit_code == 0
    names = [line.split()[0] for line in done.output.splitlines() if not line.startswith("   ")]
    assert names == list(loss_names())
    assert "max_entropy     Uniform probabilities on negatives" in done.output


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
        (["--crop", "64"], "crop '64' is not WIDTHxHEIGHT"),
        (["--scale", "a,b"], "scale is 'a,b'"),
        (["--export", "onx"], "did you mean 'onnx'"),
        (["--seed", "3", "--seeds", "0,1"], "exclude each other"),
        (["--seeds", "0,00"], "seeds is '0,00'"),
        (["--seeds", "0,1180591620717411303424"], "seed: 1180591620717411303424 is not a number from 0"),
        (["--weight-decay", "nan"], "weight_decay: nan is not a finite number"),
        (["--crop", "154768x64"], "is not WIDTHxHEIGHT with both from 16 to 8192"),
        (["--crop", "6²x64"], "crop '6²x64' is not WIDTHxHEIGHT"),
        (["--device", "xpu"], "device 'xpu' is not one of"),
        (["--device", "cuda:99"], "device 'cuda:99' is not available"),
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


def test_help_is_light_and_names_every_setting_once() -> None:
    heavy = ("torch", "cv2", "numpy", "lightning", "timm")
    code = f"""
import sys
from caos.cli import main
try:
    main(["train", "--help"])
finally:
    print([m for m in {heavy} if m in sys.modules])
"""
    environment = {**os.environ, "COLUMNS": "200", "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment, encoding="utf-8"
    )
    assert done.stdout.strip().endswith("[]")
    for field in dataclasses.fields(TrainConfig):
        assert len(re.findall(rf"--{field.name.replace('_', '-')}[ /]", done.stdout)) >= 1, field.name
    assert "sgd|adamw" in done.stdout
    assert re.search(r"--batch-size +(<int>|INTEGER) +Pictures per device and step\.", done.stdout)


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is started with it ignored
import torch
torch.set_num_threads(1)
import caos.segmentation.training.train as room
save = room.save_last
def stop_after(out, state):
    save(out, state)
    if state["standing"]["step"] == 2:
        os.kill(os.getpid(), signal.SIGINT)
room.save_last = stop_after
from caos.cli import main
main(sys.argv[1:])
"""


def test_the_same_command_goes_on_after_an_interrupt(little_set, tmp_path) -> None:
    def command(out: str) -> list[str]:
        return ["train", str(little_set.root), "--out", str(tmp_path / out), *TINY, "--checkpoint-steps", "1"]

    stopped = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *command("run")], check=False, capture_output=True, text=True, timeout=280
    )
    assert stopped.returncode == 130
    assert "run the same command again to continue" in stopped.stderr
    assert load_last(tmp_path / "run")["standing"]["step"] == 2
    for name in ("run", "whole"):
        assert _run(*command(name)[1:]).exit_code == 0
    one, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("run", "whole"))
    assert one == other
    assert [row["step"] for row in load_last(tmp_path / "run")["standing"]["history"]] == [3]


def test_threads_wait_passively_before_torch_is_loaded(tmp_path) -> None:
    """OpenMP prints its settings when it is loaded, and never looks at them again."""
    environment = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"} | {"OMP_DISPLAY_ENV": "true"}
    (tmp_path / "set" / "test" / "images" / "test" / "t5").mkdir(parents=True)
    (tmp_path / "set" / "test" / "images" / "test" / "t5" / "1.png").write_bytes(b"no picture")
    for command in (["train", "set", "--out", "run"], ["score", "set", "--run", "run", "--out", "results"]):
        done = subprocess.run(
            [sys.executable, "-c", "import sys; from caos.cli import main; main(sys.argv[1:])", *command],
            check=False, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120,
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        if "OPENMP DISPLAY ENVIRONMENT BEGIN" in done.stderr:  # torch was loaded before the set was refused
            assert "OMP_WAIT_POLICY = 'PASSIVE'" in done.stderr
        else:
            pytest.fail(f"{command[0]} did not load torch: {done.stderr}")
