from __future__ import annotations

import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT
from caos.foundation.storage.claims import locked
from caos.foundation.storage.files import sha256
from caos.foundation.storage.identity import FileHashes, Numerics
from caos.scenes.dataset.layout import Dataset
from caos.scenes.labels import BDD_ANOMALY, STREETHAZARDS_12
from caos.segmentation.data.loading import check_table
from caos.segmentation.prediction.checkpoint import SegmenterMeasures, load_last, read_run
from caos.segmentation.training.config import make_config
from caos.segmentation.training.optimization import rate_factor
from caos.segmentation.training.run_folder import identity_of
from caos.segmentation.training.train import train
from tests.segmentation.little import tiny, write_set


def _weights(run):
    return load_file(run / "model.safetensors")


def _same(one, other) -> bool:
    first, second = load_last(one)["task"], load_last(other)["task"]
    return all(torch.equal(first[key], second[key]) for key in first)


def test_it_learns(little_set, tmp_path) -> None:
    results = train(little_set, tmp_path / "run", tiny(epochs=12, optimizer="adamw", lr=3e-3, schedule="one-cycle"))
    assert results["miou_present"] > 0.35
    assert results["splits"]["val"]["pixel_accuracy"] > 0.6
    with (tmp_path / "run" / "curves.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [int(row["epoch"]) for row in rows] == list(range(1, 13))
    assert float(rows[-1]["loss"]) < 0.5 * float(rows[0]["loss"])
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["val"]["class_iou"]["road"] > 0.4


SCRIPT = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from caos.scenes.dataset.layout import open_dataset
from caos.segmentation.training.train import train
from tests.segmentation.little import tiny
train(open_dataset(Path(sys.argv[1])), Path(sys.argv[2]), tiny(epochs=40, checkpoint_steps=1, val_every=5))
"""


SLOWLY = """
import time
import caos.segmentation.training.train as room
save = room.save_last
room.save_last = lambda *state: (save(*state), time.sleep(0.4))
"""


def test_a_killed_run_resumed_in_the_middle_of_an_epoch_ends_with_the_same_weights(little_set, tmp_path) -> None:
    config = tiny(epochs=4, checkpoint_steps=1, accumulate=1, val_every=2)
    train(little_set, tmp_path / "whole", config)
    script = SCRIPT.replace("epochs=40", "epochs=4").replace("val_every=5", "val_every=2")
    # Slow the victim down enough to be caught in the middle: it is killed after its fourth step of twelve.
    script = script.replace("train(open", SLOWLY + "train(open")
    victim = subprocess.Popen([sys.executable, "-c", script, str(little_set.root), str(tmp_path / "killed")])
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and _step(tmp_path / "killed") < 4:
        time.sleep(0.05)
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    stopped_at = _step(tmp_path / "killed")
    assert 4 <= stopped_at < 12
    train(little_set, tmp_path / "killed", replace(config, workers=0))
    assert _same(tmp_path / "whole", tmp_path / "killed")
    whole, killed = _weights(tmp_path / "whole"), _weights(tmp_path / "killed")
    assert all(torch.equal(whole[key], killed[key]) for key in whole)
    curves = [load_last(tmp_path / name)["standing"]["history"] for name in ("whole", "killed")]
    for one, other in zip(*curves, strict=True):
        assert {k: v for k, v in one.items() if k != "seconds"} == {k: v for k, v in other.items() if k != "seconds"}


def _step(run) -> int:
    try:
        return int(load_last(run)["standing"]["step"])
    except CaosError:
        return 0


class Listener:
    """Keeps what is said, and stops the run where training would begin, if it is to."""

    def __init__(self, *, stops: bool = False) -> None:
        self.said: list[str] = []
        self.stops = stops

    def say(self, text: str) -> None:
        self.said.append(text)

    def task(self, title: str, *sizes: int):
        if self.stops and title.startswith("training"):
            raise KeyboardInterrupt
        return SILENT.task(title, *sizes)


def test_a_finished_run_is_left_as_it_is(little_set, tiny_run) -> None:
    before = (tiny_run / "model.safetensors").stat().st_mtime_ns
    listener = Listener()
    again = train(little_set, tiny_run, tiny(confidence_branch=True, workers=1), progress=listener)
    assert again["best_epoch"] >= 1
    assert again["splits"]["val"]["pixels"] == 4 * 64 * 64
    assert "is already finished; --overwrite trains it again" in listener.said[0]
    assert (tiny_run / "model.safetensors").stat().st_mtime_ns == before


@pytest.fixture
def stopped(tmp_path) -> tuple[Dataset, Path]:
    """A set, and a run on it that was stopped after its first epoch of two."""
    dataset = write_set(tmp_path / "set", {"train": 4, "val": 2, "test": 1})
    train(dataset, tmp_path / "run", tiny(checkpoint_steps=1, epochs=2))
    (tmp_path / "run" / "run.json").write_text(
        (tmp_path / "run" / "run.json").read_text().replace('"finished"', '"training"')
    )
    return dataset, tmp_path / "run"


def _repaint(path: Path) -> None:
    """Change a file and leave its size and time as they are, as far as that can be."""
    values = np.asarray(Image.open(path)).copy()
    values[0, 0] = 3 if values.ndim == 2 else 255 - values[0, 0]
    Image.fromarray(values).save(path)


@pytest.mark.parametrize(("split", "kind"), [("train", "annotation"), ("train", "image"), ("val", "annotation")])
def test_a_run_does_not_go_on_with_other_pictures_or_labels(stopped, split, kind) -> None:
    dataset, run = stopped
    before = (run / "last.ckpt").read_bytes()
    middle = dataset.samples(split)[1]
    _repaint(getattr(middle, kind))
    with pytest.raises(CaosError, match=rf"holds a run made from other inputs \(splits.{split} was .*--overwrite"):
        train(dataset, run, tiny(checkpoint_steps=1, epochs=2))
    assert (run / "last.ckpt").read_bytes() == before


def test_a_run_does_not_go_on_with_another_order_table_setting_or_code(stopped, monkeypatch) -> None:
    dataset, run = stopped
    config = tiny(checkpoint_steps=1, epochs=2)
    swapped = replace(dataset, splits={**dataset.splits, "train": dataset.samples("train")[::-1]})
    with pytest.raises(CaosError, match=r"splits.train was"):
        train(swapped, run, config)
    with pytest.raises(CaosError, match=r"labels was"):
        train(replace(dataset, labels=STREETHAZARDS_12), run, config)
    with pytest.raises(CaosError, match=r"config.lr was 0.01, is 0.02"):
        train(dataset, run, replace(config, lr=0.02))
    monkeypatch.setattr("caos.segmentation.training.run_folder.NUMERICS", Numerics("segmentation", 999))
    with pytest.raises(CaosError, match=r"numerics.segmentation was \d+, is 999"):
        train(dataset, run, config)
    monkeypatch.undo()
    assert train(dataset, run, replace(config, workers=0, checkpoint_steps=3))["best_epoch"] >= 1


def test_a_run_does_not_go_on_from_other_weights(little_set, tiny_run, tmp_path) -> None:
    start = shutil.copytree(tiny_run, tmp_path / "start")
    config = tiny(confidence_branch=True, init=start, epochs=1, freeze="encoder")
    train(little_set, tmp_path / "run", config)
    moved = start.rename(tmp_path / "moved")
    assert train(little_set, tmp_path / "run", replace(config, init=moved))["best_epoch"] == 1
    weights = _weights(moved)
    save_file({key: value + 1 for key, value in weights.items()}, moved / "model.safetensors")
    with pytest.raises(CaosError, match=r"weights.init was"):
        train(little_set, tmp_path / "run", replace(config, init=moved))


def test_the_hashes_are_remembered(stopped, monkeypatch) -> None:
    dataset, run = stopped
    seen = json.loads((run / "inputs.json").read_text())
    for sample in dataset.samples("train"):
        assert seen[str(sample.image)]["sha256"] == sha256(sample.image)
    for row in seen.values():
        row["hashed_ns"] += 10**10  # as if the files had lain there for a while
    (run / "inputs.json").write_text(json.dumps(seen))
    monkeypatch.setattr("caos.foundation.storage.identity.sha256", lambda path: pytest.fail(f"{path} was read again"))
    hashes = FileHashes(run / "inputs.json")
    assert identity_of(dataset, tiny(), hashes, SILENT)["splits"]["train"]


def test_the_same_command_starts_again_what_never_learnt(little_set, tmp_path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(little_set, tmp_path / "run", tiny(), progress=Listener(stops=True))
    assert read_run(tmp_path / "run").record.status == "training"
    results = train(little_set, tmp_path / "run", tiny(epochs=1))  # nothing was learnt: other settings are welcome
    assert results["epochs"] == 1


def test_two_trainings_do_not_share_a_folder(little_set, tmp_path) -> None:
    with locked(tmp_path / "run"), pytest.raises(CaosError, match="another process is working on the training run in"):
        train(little_set, tmp_path / "run", tiny())


def test_nothing_is_overwritten(little_set, tiny_run, tmp_path) -> None:
    before = (tiny_run / "run.json").read_bytes()
    with pytest.raises(CaosError, match=r"config.confidence_branch was true, is false.*replace it with --overwrite"):
        train(little_set, tiny_run, tiny())
    assert (tiny_run / "run.json").read_bytes() == before
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("keep me")
    with pytest.raises(CaosError, match="is not empty and not a training run"):
        train(little_set, tmp_path / "notes", tiny(), overwrite=True)
    assert (tmp_path / "notes" / "mine.txt").read_text() == "keep me"
    with pytest.raises(CaosError, match="is a file; give a folder"):
        train(little_set, tmp_path / "notes" / "mine.txt", tiny())


def test_overwriting_takes_the_old_members_of_the_ensemble_away_and_nothing_else(little_set, tmp_path) -> None:
    run = tmp_path / "run"
    train(little_set, run, tiny(epochs=1))
    for name in ("seed1", "seed2", "autoencoder", "seeds"):
        shutil.copytree(run, tmp_path / name)
        (tmp_path / name).rename(run / name)
    (run / "seed2" / "mine.txt").write_text("keep me")
    train(little_set, run, tiny(epochs=1, seed=5), overwrite=True)
    assert not (run / "seed1").exists()
    assert [path.name for path in (run / "seed2").iterdir()] == ["mine.txt"]
    assert read_run(run / "autoencoder").record.config["seed"] == 0
    assert (run / "seeds" / "run.json").exists()
    assert read_run(run).record.config["seed"] == 5


def test_a_table_of_another_family_is_refused(little_set, tmp_path) -> None:
    marked = replace(little_set, info={"labels": {"name": "streethazards"}})
    with pytest.raises(CaosError, match="labelled with table 'streethazards'; its values mean other classes in 'bdd"):
        train(replace(marked, labels=BDD_ANOMALY), tmp_path / "run", tiny())
    assert not (tmp_path / "run").exists()
    check_table(replace(marked, labels=STREETHAZARDS_12))
    check_table(replace(little_set, labels=BDD_ANOMALY))  # a set that says nothing is taken at the user's word


def test_a_full_disk_is_one_line_and_leaves_no_rest(little_set, tmp_path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
        with pytest.raises(CaosError, match=r"cannot write .*(model.safetensors|last.ckpt): .*[Ff]ile too large"):
            train(little_set, tmp_path / "run", tiny(epochs=1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not [path for path in (tmp_path / "run").iterdir() if "part" in path.name]


def test_bad_sets_leave_nothing_behind(tmp_path) -> None:
    dataset = write_set(tmp_path / "set", {"train": 2, "val": 1})
    dataset.samples("val")[0].annotation.unlink()
    with pytest.raises(CaosError, match="does not exist"):
        train(dataset, tmp_path / "run", tiny())
    assert not (tmp_path / "run").exists()
    with pytest.raises(CaosError, match="has no 'train' images"):
        train(replace(dataset, splits={}), tmp_path / "run", tiny())


def test_the_last_weights_are_kept_when_asked_for(little_set, tmp_path) -> None:
    # A rate that destroys what was learnt: the first epoch's weights are the best.
    config = tiny(epochs=3, optimizer="adamw", lr=3e-3, schedule="constant")
    train(little_set, tmp_path / "last", replace(config, keep="last"))
    results = read_run(tmp_path / "last").record.results
    state, kept = load_last(tmp_path / "last"), _weights(tmp_path / "last")
    assert results.best_epoch == 3
    assert results.miou_present == state["standing"]["history"][-1]["miou_present"]
    assert all(torch.equal(kept[key], state["task"][f"model.{key}"]) for key in kept)


def test_the_original_preset_trains(tmp_path) -> None:
    dataset = write_set(tmp_path / "set", {"train": 3, "val": 1}, width=96, height=64)
    config = make_config(
        {"encoder": "resnet18", "encoder_weights": "none", "head_channels": 16, "epochs": 2, "epoch_steps": 2,
         "sides": (32, 48), "device": "cpu"}, preset="original",
    )  # fmt: skip
    assert train(dataset, tmp_path / "run", config)["best_epoch"] == 2
    assert load_last(tmp_path / "run")["standing"]["step"] == 4
    assert read_run(tmp_path / "run").sides == (32, 48)


@pytest.mark.parametrize(
    ("lr", "steps", "told"),
    [
        (1e6, 8, r"the loss became .*lower --lr"),
        (1e6, 3, r"weights became infinite or NaN by step 3; lower --lr"),
    ],
)
def test_a_training_that_diverges_is_one_line(little_set, tmp_path, lr: float, steps: int, told: str) -> None:
    with pytest.raises(CaosError, match=told):
        train(little_set, tmp_path / "run", tiny(lr=lr, epochs=1, epoch_steps=steps))
    assert not (tmp_path / "run/metrics.json").exists()


def test_a_network_whose_outputs_are_no_numbers_is_one_line(little_set, tmp_path, monkeypatch) -> None:
    measured = SegmenterMeasures(0.1, 0.1, 0.1, float("nan"), None, {}, 1, ((1,),))
    monkeypatch.setattr("caos.segmentation.training.report._segmentation_quality", lambda *_: measured)
    with pytest.raises(CaosError, match="outputs are no numbers; lower --lr"):
        train(little_set, tmp_path / "run", tiny())
    assert not (tmp_path / "run/metrics.json").exists()


def test_without_a_validation_split_the_last_weights_are_kept(tmp_path) -> None:
    dataset = write_set(tmp_path / "set", {"train": 3})
    results = train(dataset, tmp_path / "run", tiny(epochs=1))
    assert results["best_epoch"] == 1
    assert results["splits"] == {}
    assert (tmp_path / "run" / "model.safetensors").exists()


def test_a_run_starts_from_another_ones_weights_with_the_encoder_frozen(little_set, tiny_run, tmp_path) -> None:
    train(little_set, tmp_path / "run", tiny(confidence_branch=True, init=tiny_run, freeze="encoder", epochs=1))
    before, after = _weights(tiny_run), _weights(tmp_path / "run")
    assert torch.equal(before["body.encoder.layer1.0.conv1.weight"], after["body.encoder.layer1.0.conv1.weight"])
    assert torch.equal(before["body.encoder.bn1.running_mean"], after["body.encoder.bn1.running_mean"])
    assert not torch.equal(before["classifier.weight"], after["classifier.weight"])


def test_two_processes_learn_together(little_set, tmp_path) -> None:
    script = SCRIPT.replace(
        "tiny(epochs=40, checkpoint_steps=1, val_every=5)", "tiny(epochs=1, batch_size=2, devices=2)"
    )
    (tmp_path / "two.py").write_text(script)
    subprocess.run(
        [sys.executable, tmp_path / "two.py", little_set.root, tmp_path / "run"],
        check=True, timeout=280, env={**os.environ, "PYTHONPATH": str(Path.cwd())}, capture_output=True,
    )  # fmt: skip
    run = read_run(tmp_path / "run")
    assert run.record.status == "finished"
    assert load_last(tmp_path / "run")["standing"]["step"] == 3  # 12 pictures, 2 a process, 2 processes


def test_augmix_with_consistency_bf16_and_accumulation(little_set, tmp_path) -> None:
    config = tiny(augment=("flip", "scale", "crop", "color", "augmix"), consistency=12.0, precision="bf16",
                  accumulate=2, epochs=1, batch_size=3)  # fmt: skip
    results = train(little_set, tmp_path / "run", config)
    assert np.isfinite(results["miou_present"])


def test_the_autoencoder_reconstructs(little_set, tiny_autoencoder) -> None:
    results = read_run(tiny_autoencoder).record.results
    assert results.watched == "difference"
    history = load_last(tiny_autoencoder)["standing"]["history"]
    assert history[-1]["difference"] < history[0]["difference"]


def test_schedules() -> None:
    poly, cycle = tiny(), tiny(schedule="one-cycle")
    assert rate_factor(poly, 0) == 1
    assert rate_factor(poly, 0.5) == pytest.approx(0.5**0.9)
    assert rate_factor(poly, 1) == 0
    assert rate_factor(cycle, 0.15) == pytest.approx(1)
    assert rate_factor(cycle, 1) == pytest.approx(0)
    assert rate_factor(tiny(schedule="constant"), 0.7) == 1
