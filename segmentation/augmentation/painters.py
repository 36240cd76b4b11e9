"""Painter networks that DeepAugment distorts: an encoder-decoder and a super-resolution network, picture to picture.

``compression`` is after the compressive autoencoder of Theis et al. 2017 (Lossy Image Compression with Compressive
Autoencoders): strided convolutions, residual blocks, sub-pixel convolutions; it keeps enough that street scenes stay
street scenes. ``super-resolution`` is after EDSR (Lim et al. 2017, Enhanced Deep Residual Networks for Single Image
Super-Resolution): residual blocks without batch norm on a picture of half the size, then a sub-pixel convolution. Both
are small: they are distorted, not admired.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from caos.foundation.errors import CaosError
from caos.segmentation.models.networks import AutoencoderNetwork
from caos.segmentation.prediction.checkpoint import load_weights, read_run
from caos.segmentation.training.config import AUTOENCODER, COMPRESSION, SUPER_RESOLUTION

RESIDUAL_BLOCKS: Final = 4
ENCODER_DECODERS: Final = (COMPRESSION, AUTOENCODER)


class Painter(Protocol):
    """A network from pictures 0..1 to pictures 0..1, ``(n, 3, h, w)``, as a chain of blocks."""

    multiple: int
    paint: nn.Conv2d

    @property
    def blocks(self) -> list[nn.Module]:
        """The parts in the order in which a picture passes them, ``paint`` last."""

    def entered(self, pictures: Tensor) -> Tensor:
        """What enters the first block."""


class _Residual(nn.Module):
    """Two convolutions around which the signal also passes unchanged."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, signal: Tensor) -> Tensor:
        change: Tensor = self.second(functional.relu(self.first(signal)))
        return signal + change


def _enlarged(channels: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(channels, 4 * channels, 3, padding=1), nn.PixelShuffle(2), nn.LeakyReLU(0.2))


class PainterNetwork(nn.Module):
    """A chain of blocks that ends in ``paint``."""

    multiple = 4

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.ModuleList(self._inner(width))
        self.paint = nn.Conv2d(width, 3, 3, padding=1)

    def _inner(self, width: int) -> list[nn.Module]:
        raise NotImplementedError

    @property
    def blocks(self) -> list[nn.Module]:
        """The parts in the order in which a picture passes them, ``paint`` last."""
        return [*self.inner, self.paint]

    def entered(self, pictures: Tensor) -> Tensor:
        """Pictures from -1 to 1."""
        return pictures * 2 - 1

    def forward(self, pictures: Tensor) -> Tensor:
        """Pictures 0..1 of pictures 0..1, ``(n, 3, h, w)``, both sides multiples of 4."""
        signal = self.entered(pictures)
        for block in self.blocks:
            signal = block(signal)
        return torch.sigmoid(signal)


class CompressionNetwork(PainterNetwork):
    """A quarter of the size and back."""

    def _inner(self, width: int) -> list[nn.Module]:
        down = [
            nn.Sequential(nn.Conv2d(inputs, width, 5, stride=2, padding=2), nn.LeakyReLU(0.2)) for inputs in (3, width)
        ]
        return [*down, *(_Residual(width) for _ in range(RESIDUAL_BLOCKS)), _enlarged(width), _enlarged(width)]


class SuperResolutionNetwork(PainterNetwork):
    """From a picture of half the size to one of the whole size."""

    def _inner(self, width: int) -> list[nn.Module]:
        return [
            nn.Conv2d(3, width, 3, padding=1),
            *(_Residual(width) for _ in range(RESIDUAL_BLOCKS)),
            _enlarged(width),
        ]

    def entered(self, pictures: Tensor) -> Tensor:
        """Pictures from -1 to 1 at half their size."""
        return functional.avg_pool2d(pictures, 2) * 2 - 1


def make_painter(model: str, channels: int) -> AutoencoderNetwork | PainterNetwork:
    """The network of a model from picture to picture, with random weights."""
    if model == AUTOENCODER:
        return AutoencoderNetwork(channels)
    return (CompressionNetwork if model == COMPRESSION else SuperResolutionNetwork)(channels)


def load_painter(run: Path, wanted: tuple[str, ...], device: torch.device) -> AutoencoderNetwork | PainterNetwork:
    """The trained painter of a run.

    Raises:
        CaosError: If the run cannot be used or is of another model.
    """
    record = read_run(run)
    model = record.architecture.model
    if model not in wanted:
        raise CaosError(f"{run} is a run of model {model!r}; deepaugment needs a run of --model {wanted[0]} here")
    painter = make_painter(model, record.architecture.head_channels)
    load_weights(painter, record)
    return painter.eval().to(device).to(memory_format=torch.channels_last)


def load_painters(
    autoencoder: Path | None, super_resolution: Path | None, device: torch.device
) -> tuple[AutoencoderNetwork | PainterNetwork, ...]:
    """The trained painters that DeepAugment distorts, those that are named.

    Raises:
        CaosError: If a run is of another model or not finished.
    """
    runs = ((autoencoder, ENCODER_DECODERS), (super_resolution, (SUPER_RESOLUTION,)))
    return tuple(load_painter(run, wanted, device) for run, wanted in runs if run is not None)
