"""Memory of a training step: counted before it is taken, and refused where there is too little."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from caos.foundation.errors import CaosError
from caos.segmentation.training import memory
from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.memory import check_memory, free_bytes, kept_bytes


def test_what_a_layer_keeps_is_its_input_and_what_follows_shares_it() -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.ReLU(), nn.Conv2d(8, 1, 1, bias=False))
    picture, hidden = 2 * 3 * 10 * 20 * 4, 2 * 8 * 10 * 20 * 4
    assert kept_bytes(model, (2, 3, 10, 20)) == picture + hidden
    assert all(parameter.device.type == "cpu" for parameter in model.parameters())


def test_a_network_that_asks_its_values_is_not_counted() -> None:
    class Asks(nn.Module):
        def forward(self, pictures: torch.Tensor) -> torch.Tensor:
            return pictures * 2 if float(pictures.sum()) > 0 else pictures

    assert kept_bytes(Asks(), (1, 3, 4, 4)) is None


def test_a_step_beyond_what_is_free_is_refused_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    model, cpu = nn.Sequential(nn.Conv2d(3, 64, 1), nn.Sigmoid()), torch.device("cpu")
    config = TrainConfig(crop=(2048, 1024), batch_size=64)
    free = free_bytes(cpu)
    assert free is not None
    assert free > 1e8
    check_memory(model, TrainConfig(crop=(64, 32)), 1, cpu)
    monkeypatch.setattr(memory, "free_bytes", lambda _: 20_000_000_000)
    with pytest.raises(CaosError, match=r"keeps 36\.0 GB .*64 windows of 2048x1024\) and 20\.0 GB are free; lower --b"):
        check_memory(model, config, 64, cpu)
