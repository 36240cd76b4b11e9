from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from foundation.errors import CaosError
from foundation.progress import SILENT
from segmentation.checkpoint import load_last, read_run
from segmentation.deep_augment import DeepAugment
from segmentation.optimization import rate_factor
from segmentation.places import resumed_config
from segmentation.predict import Autoencoder
from segmentation.train import train
from tests.segmentation.little import draw_scene, tiny, write_set


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
from scenes.layout import open_dataset
from segmentation.train import train
from tests.segmentation.little import tiny
train(open_dataset(Path(sys.argv[1])), Path(sys.argv[2]), tiny(epochs=40, checkpoint_steps=1, val_every=5))
"""


SLOWLY = """
import time
import segmentation.train as room
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
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and _step(tmp_path / "killed") < 4:
        time.sleep(0.05)
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    stopped_at = _step(tmp_path / "killed")
    assert 4 <= stopped_at < 12
    train(little_set, tmp_path / "killed", resumed_config(tmp_path / "killed", {"workers": 0}), resume=True)
    assert _same(tmp_path / "whole", tmp_path / "killed")
    whole, killed = _weights(tmp_path / "whole"), _weights(tmp_path / "killed")
    assert all(torch.equal(whole[key], killed[key]) for key in whole)
    curves = [load_last(tmp_path / name)["history"] for name in ("whole", "killed")]
    for one, other in zip(*curves, strict=True):
        assert {k: v for k, v in one.items() if k != "seconds"} == {k: v for k, v in other.items() if k != "seconds"}


def _step(run) -> int:
    try:
        return int(load_last(run)["step"])
    except CaosError:
        return 0


def test_resuming_checks_what_it_resumes(little_set, tiny_run, tmp_path) -> None:
    said = []

    class Listener:
        def say(self, text: str) -> None:
            said.append(text)

    again = train(little_set, tiny_run, resumed_config(tiny_run, {}), resume=True, progress=Listener())
    assert again["best_epoch"] >= 1
    assert "finished already" in said[0]
    with pytest.raises(CaosError, match="was started with epochs = 2; it cannot be resumed with 9"):
        resumed_config(tiny_run, {"epochs": 9})
    with pytest.raises(CaosError, match="cannot be resumed: it has no run.json"):
        train(little_set, tmp_path / "none", tiny(), resume=True)


def test_another_training_set_cannot_continue_a_run(little_set, tmp_path) -> None:
    class Stop(Exception):
        pass

    class Stopper:
        def say(self, text: str) -> None: ...

        def task(self, title: str, *sizes: int):
            if title.startswith("training"):
                raise Stop
            return SILENT.task(title, *sizes)

    with pytest.raises(Stop):
        train(little_set, tmp_path / "run", tiny(), progress=Stopper())
    other = write_set(tmp_path / "other", {"train": 5, "val": 1})
    run = tmp_path / "run"
    train(little_set, run, resumed_config(run, {}), resume=True)
    (run / "run.json").write_text((run / "run.json").read_text().replace('"finished"', '"training"'))
    with pytest.raises(CaosError, match="was started on another training set"):
        train(other, run, resumed_config(run, {}), resume=True)


def test_nothing_is_overwritten(little_set, tiny_run, tmp_path) -> None:
    before = (tiny_run / "run.json").read_bytes()
    with pytest.raises(CaosError, match="holds a run already; continue it with --resume"):
        train(little_set, tiny_run, tiny())
    assert (tiny_run / "run.json").read_bytes() == before
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("keep me")
    with pytest.raises(CaosError, match="is not empty and not a training run"):
        train(little_set, tmp_path / "notes", tiny(), overwrite=True)
    assert (tmp_path / "notes" / "mine.txt").read_text() == "keep me"


def test_bad_sets_leave_nothing_behind(tmp_path) -> None:
    dataset = write_set(tmp_path / "set", {"train": 2, "val": 1})
    dataset.samples("val")[0].annotation.unlink()
    with pytest.raises(CaosError, match="does not exist"):
        train(dataset, tmp_path / "run", tiny())
    assert not (tmp_path / "run").exists()
    with pytest.raises(CaosError, match="has no 'train' images"):
        train(replace(dataset, splits={}), tmp_path / "run", tiny())


def test_a_diverging_loss_is_one_line(little_set, tmp_path) -> None:
    with pytest.raises(CaosError, match=r"the loss became .*lower --lr"):
        train(little_set, tmp_path / "run", tiny(lr=1e30, epochs=4))


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
        check=True, timeout=120, env={**os.environ, "PYTHONPATH": str(Path.cwd())}, capture_output=True,
    )  # fmt: skip
    run = read_run(tmp_path / "run")
    assert run.record["status"] == "finished"
    assert load_last(tmp_path / "run")["step"] == 3  # 12 pictures, 2 a process, 2 processes


def test_augmix_with_consistency_bf16_and_accumulation(little_set, tmp_path) -> None:
    config = tiny(augment=("flip", "scale", "crop", "color", "augmix"), consistency=12.0, precision="bf16",
                  accumulate=2, epochs=1, batch_size=3)  # fmt: skip
    results = train(little_set, tmp_path / "run", config)
    assert np.isfinite(results["miou_present"])


def test_the_autoencoder_reconstructs(little_set, tiny_autoencoder) -> None:
    results = read_run(tiny_autoencoder).record["results"]
    assert results["watched"] == "difference"
    history = load_last(tiny_autoencoder)["history"]
    assert history[-1]["difference"] < history[0]["difference"]


def test_deep_augment_changes_the_look_and_not_the_place(tiny_autoencoder) -> None:
    network = Autoencoder.load(tiny_autoencoder, "cpu").model
    pictures = torch.from_numpy(np.stack([draw_scene(np.random.default_rng(s), 64, 48)[0] for s in range(8)]))
    one, same = (DeepAugment(network, seed=3)(pictures, step=41) for _ in range(2))
    assert torch.equal(one, same)
    assert one.shape == pictures.shape
    assert one.dtype == torch.uint8
    changed = [not torch.equal(a, b) for a, b in zip(one, pictures, strict=True)]
    assert 1 <= sum(changed) <= 7
    for before, after in zip(pictures, one, strict=True):
        correlation = np.corrcoef(before.numpy().ravel(), after.numpy().ravel())[0, 1]
        assert correlation > 0.3


def test_deep_augment_trains(little_set, tiny_autoencoder, tmp_path) -> None:
    config = tiny(augment=("flip", "crop", "deepaugment"), autoencoder=tiny_autoencoder, epochs=1)
    assert train(little_set, tmp_path / "run", config)["best_epoch"] == 1


def test_schedules() -> None:
    poly, cycle = tiny(), tiny(schedule="one-cycle")
    assert rate_factor(poly, 0) == 1
    assert rate_factor(poly, 0.5) == pytest.approx(0.5**0.9)
    assert rate_factor(poly, 1) == 0
    assert rate_factor(cycle, 0.15) == pytest.approx(1)
    assert rate_factor(cycle, 1) == pytest.approx(0)
    assert rate_factor(tiny(schedule="constant"), 0.7) == 1
