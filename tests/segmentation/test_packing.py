"""A run packed in 16 bits, and the one that comes with the package."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.segmentation.bundled import run_folder
from caos.segmentation.models.encoders import read_state
from caos.segmentation.models.networks import build_model
from caos.segmentation.prediction.checkpoint import (
    RUN_FILE,
    WEIGHTS_FILE,
    load_weights,
    read_run,
    save_weights,
    write_run,
)
from caos.segmentation.prediction.packing import pack_run
from caos.segmentation.prediction.predict import Predictor
from tests.segmentation.little import seal

BUNDLED = Path("bundled")


def test_a_packed_run_says_nearly_the_same(tiny_run, tmp_path) -> None:
    size = pack_run(tiny_run, tmp_path)
    whole, half = ((folder / WEIGHTS_FILE).stat().st_size for folder in (tiny_run, tmp_path))
    assert 0.5 < half / whole < 0.52
    assert size == pytest.approx(half, rel=0.01)
    pictures = np.random.default_rng(0).integers(0, 256, (2, 64, 64, 3)).astype(np.uint8)
    first, second = (Predictor.load(folder, "cpu").predict(pictures).logits for folder in (tiny_run, tmp_path))
    assert 0 < (first - second).abs().max() < 0.01 * (first.max() - first.min())


def test_only_convolutions_lose_bits(tiny_run, tmp_path) -> None:
    pack_run(tiny_run, tmp_path)
    whole = read_state(tiny_run / WEIGHTS_FILE)
    for name, tensor in read_state(tmp_path / WEIGHTS_FILE).items():
        if tensor.ndim < 2:
            assert torch.equal(tensor, whole[name])
        else:
            assert tensor.dtype == torch.float16


def test_a_loaded_packed_run_computes_in_32_bits(tiny_run, tmp_path) -> None:
    pack_run(tiny_run, tmp_path)
    run = read_run(tmp_path)
    model = build_model(run.architecture)
    load_weights(model, run)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def test_a_packed_run_names_no_place_on_this_machine(tiny_run, tmp_path) -> None:
    pack_run(tiny_run, tmp_path)
    told, packed = ((folder / RUN_FILE).read_text() for folder in (tiny_run, tmp_path))
    root = json.loads(told)["dataset"]["root"]
    assert root in told
    assert root not in packed
    assert json.loads(packed)["config"]["epochs"] == json.loads(told)["config"]["epochs"]


def test_an_unfinished_run_is_not_packed(tiny_run, tmp_path) -> None:
    run = read_run(tiny_run)
    write_run(tmp_path, replace(run, record=replace(run.record, status="training")))
    with pytest.raises(CaosError, match="is not finished"):
        pack_run(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_autoencoder_is_not_packed(tiny_autoencoder, tmp_path) -> None:
    with pytest.raises(CaosError, match="is a run of model 'autoencoder'"):
        pack_run(tiny_autoencoder, tmp_path)


def test_weights_beyond_16_bits_are_named(tiny_run, tmp_path) -> None:
    shutil.copy(tiny_run / RUN_FILE, tmp_path)
    state = read_state(tiny_run / WEIGHTS_FILE)
    name = next(name for name, tensor in state.items() if tensor.ndim == 4)
    state[name] = state[name] + 1e6
    save_weights(tmp_path / WEIGHTS_FILE, state)
    seal(tmp_path)
    with pytest.raises(CaosError, match=f"tensor '{name}' has values beyond 16 bits"):
        pack_run(tmp_path, tmp_path / "out")


def test_the_word_bundled_is_the_run_of_the_package() -> None:
    assert read_run(BUNDLED).path == run_folder(BUNDLED)
    assert run_folder(Path("elsewhere/bundled")) == Path("elsewhere/bundled")
    assert Predictor.load(BUNDLED, "cpu").num_classes == read_run(BUNDLED).labels.num_classes


def test_the_bundled_run_is_small_whole_and_from_nowhere_in_particular() -> None:
    folder = run_folder(BUNDLED)
    assert 500_000 < (folder / WEIGHTS_FILE).stat().st_size <= 20_000_000
    told = (folder / RUN_FILE).read_text()
    assert json.loads(told)["status"] == "finished"
    assert not {"root", "platform", "init"} & {key for part in ("dataset", "config", "provenance")
                                               for key in json.loads(told)[part]}  # fmt: skip
    card = (folder / "MODEL_CARD.md").read_text()
    for heading in ("What it learnt from", "What a score means", "What it reaches", "Where it fails", "Licence"):
        assert f"\n## {heading}\n\n" in card
    assert "Not measured yet" not in card
    assert "Not described yet" not in card


def test_training_can_start_from_the_bundled_run(little_set, tmp_path) -> None:
    from caos.segmentation.training.config import make_config
    from caos.segmentation.training.train import train

    config = make_config(
        {"init": BUNDLED, "epochs": 1, "crop": (64, 64), "lr": 1e-12, "device": "cpu", "augment": ("crop",),
         "encoder_weights": "none"},
        preset="quick",
    )  # fmt: skip
    train(little_set, tmp_path / "run", config)
    start, end = (read_state(run_folder(folder) / WEIGHTS_FILE) for folder in (BUNDLED, tmp_path / "run"))
    name = next(name for name, tensor in start.items() if tensor.ndim == 4)
    assert (end[name] - start[name].float()).abs().max() < 1e-6
    assert json.loads((tmp_path / "run" / RUN_FILE).read_text())["identity"]["weights"]["init"]
