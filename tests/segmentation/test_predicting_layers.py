"""Convolutions with a kernel of one pixel give the same numbers in one thread, by the quicker way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from caos.segmentation.predict import Autoencoder, Predictor
from caos.segmentation.predicting_layers import PixelConvolution, ready_to_predict

ONEDNN = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this torch has no oneDNN")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _ready(layer: nn.Conv2d) -> nn.Conv2d:
    network = nn.Sequential(layer)
    ready_to_predict(network, torch.device("cpu"))
    return network[0]


def _pixels_the_slow_way(call) -> tuple[int, int]:
    """How many convolutions there were, and how many with a kernel of one pixel took torch's own way."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profile:
        call()
    every = [event for event in profile.events() if event.name == "aten::mkldnn_convolution"]
    slow = [event for event in profile.events() if event.name == "aten::_slow_conv2d_forward"]
    return len(every), sum(event.input_shapes[1][2:] == [1, 1] for event in slow)


@pytest.mark.parametrize(
    "settings", [{}, {"bias": False}, {"stride": 2}, {"groups": 4}, {"padding": 1}, {"padding": "same"}]
)
@pytest.mark.parametrize("shape", [(1, 8, 9, 7), (3, 8, 1, 1)])
def test_they_give_the_numbers_of_torch(settings, shape) -> None:
    torch.manual_seed(0)
    layer, values = nn.Conv2d(8, 12, 1, **settings), torch.randn(shape)
    wanted = layer(values).detach()
    with torch.inference_mode():
        found = _ready(layer)(values)
    assert type(layer) is PixelConvolution
    assert torch.allclose(found, wanted, atol=1e-5)


@ONEDNN
def test_nothing_of_a_trained_network_takes_the_slow_way(tiny_run) -> None:
    predictor, pictures = Predictor.load(tiny_run, "cpu"), torch.zeros((1, 256, 256, 3), dtype=torch.uint8)
    quick, slow = _pixels_the_slow_way(lambda: predictor.predict(pictures))
    assert quick > 10
    assert slow == 0


@ONEDNN
def test_nothing_of_an_autoencoder_takes_the_slow_way(tiny_autoencoder) -> None:
    autoencoder = Autoencoder.load(tiny_autoencoder, "cpu")
    pictures = torch.zeros((1, 256, 256, 3), dtype=torch.uint8)
    quick, slow = _pixels_the_slow_way(lambda: autoencoder.reconstruct(pictures))
    assert quick > 10
    assert slow == 0


def test_larger_kernels_and_other_borders_stay_as_they_are() -> None:
    for layer in (nn.Conv2d(2, 2, 3), nn.Conv2d(2, 2, 1, padding=1, padding_mode="reflect")):
        assert type(_ready(layer)) is nn.Conv2d


def test_gradients_and_short_numbers_go_on_as_before() -> None:
    layer, values = _ready(nn.Conv2d(4, 2, 1)), torch.randn(1, 4, 3, 3, requires_grad=True)
    layer(values).sum().backward()
    assert torch.allclose(values.grad, layer.weight.sum(dim=0).expand_as(values), atol=1e-6)
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert layer(torch.randn(1, 4, 3, 3)).dtype == torch.bfloat16
