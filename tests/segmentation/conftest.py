"""Little runs that several tests look at."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from caos.scenes.dataset.layout import Dataset
from caos.segmentation.training.config import make_config
from caos.segmentation.training.train import train
from tests.segmentation.little import tiny, write_set


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """Little networks gain nothing from a second thread, and lose much when the machine is busy."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def little_set(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Twelve training, four validation and four test scenes of 64x64 pixels."""
    return write_set(tmp_path_factory.mktemp("little"), {"train": 12, "val": 4, "test": 4})


@pytest.fixture(scope="session")
def tiny_run(little_set: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished little run with a confidence branch."""
    out = tmp_path_factory.mktemp("runs") / "tiny"
    train(little_set, out, tiny(confidence_branch=True))
    return out


@pytest.fixture(scope="session")
def tiny_autoencoder(little_set: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished little autoencoder."""
    out = tmp_path_factory.mktemp("runs") / "autoencoder"
    config = make_config({"model": "autoencoder", "epochs": 4, "batch_size": 4, "crop": (64, 64), "device": "cpu"})
    train(little_set, out, config)
    return out
