"""DeepAugment (Hendrycks et al. 2021, The Many Faces of Robustness; dissertation 5.4 and A.7) with our autoencoder.

A picture passes an image-to-image network whose weights and signals are distorted at random: a new look, the same
scene. Only distortions that leave every pixel in its place are used, so labels stay true. What the undistorted
autoencoder cannot reproduce (fine detail) is added back, wholly or in part.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from caos.segmentation.models import AutoencoderNetwork, padded

REFRESH_STEPS: Final = 20
"""Steps that share one set of distorted weights; the pseudocode redraws them with probability 0.05."""

Generator = torch.Generator


def _draw(generator: Generator) -> float:
    return float(torch.rand((), generator=generator))


def _some(count: int, share: float, generator: Generator) -> Tensor:
    return torch.rand(count, generator=generator) < share


def _negate_filters(weight: Tensor, generator: Generator) -> Tensor:
    signs = torch.where(_some(len(weight), 0.15, generator), -1.0, 1.0)
    return weight * signs.reshape(-1, 1, 1, 1).to(weight)


def _zero_filters(weight: Tensor, generator: Generator) -> Tensor:
    kept = ~_some(len(weight), 0.15, generator)
    return weight * kept.reshape(-1, 1, 1, 1).to(weight)


def _flip_kernels(weight: Tensor, generator: Generator) -> Tensor:
    return weight.flip(-1 if _draw(generator) < 0.5 else -2)


def _transpose_kernels(weight: Tensor, _: Generator) -> Tensor:
    return weight.transpose(-1, -2)


def _scale_filters(weight: Tensor, generator: Generator) -> Tensor:
    gains = 0.6 + 0.8 * torch.rand(len(weight), generator=generator)
    return weight * gains.reshape(-1, 1, 1, 1).to(weight)


def _blur_filters(weight: Tensor, generator: Generator) -> Tensor:
    near = functional.avg_pool2d(weight, 3, stride=1, padding=1)
    share = _draw(generator)
    return weight * (1 - share) + near * share


def _drop_channels(signal: Tensor, generator: Generator) -> Tensor:
    kept = ~_some(signal.shape[1], 0.1, generator)
    return signal * kept.reshape(1, -1, 1, 1).to(signal)


def _negate_channels(signal: Tensor, generator: Generator) -> Tensor:
    signs = torch.where(_some(signal.shape[1], 0.1, generator), -1.0, 1.0)
    return signal * signs.reshape(1, -1, 1, 1).to(signal)


def _gelu(signal: Tensor, _: Generator) -> Tensor:
    return functional.gelu(signal)


def _shuffle_some_channels(signal: Tensor, generator: Generator) -> Tensor:
    order = torch.arange(signal.shape[1])
    moved = _some(signal.shape[1], 0.15, generator).nonzero()[:, 0]
    order[moved] = moved[torch.randperm(len(moved), generator=generator)]
    return signal[:, order.to(signal.device)]


def _gain(signal: Tensor, generator: Generator) -> Tensor:
    return signal * (0.7 + 0.6 * _draw(generator))


Distortion = Callable[[Tensor, Generator], Tensor]
WEIGHT_DISTORTIONS: Final[tuple[Distortion, ...]] = (
    _negate_filters, _zero_filters, _flip_kernels, _transpose_kernels, _scale_filters, _blur_filters,
)  # fmt: skip
SIGNAL_DISTORTIONS: Final[tuple[Distortion, ...]] = (
    _drop_channels, _negate_channels, _gelu, _shuffle_some_channels, _gain,
)  # fmt: skip


class DeepAugment:
    """Distorts pictures with a trained autoencoder; what it does depends only on the seed and the step."""

    def __init__(self, network: AutoencoderNetwork, seed: int) -> None:
        self._clean = network.eval().requires_grad_(False)
        self._seed = seed
        self._distorted: tuple[int, AutoencoderNetwork] | None = None

    @torch.no_grad()
    def __call__(self, pictures: Tensor, step: int) -> Tensor:
        """Pictures ``(n, h, w, 3)`` uint8 in a new look; half of them, at random, are left alone."""
        generator = torch.Generator().manual_seed(_mixed(self._seed, step))
        signal = pictures.permute(0, 3, 1, 2).float() / 255
        height, width = signal.shape[-2:]
        whole = padded(signal, self._clean.multiple)
        lost = whole - self._clean(whole)
        changed = self._pass(self._network(step), whole, generator)
        detail = 0.4 + 0.6 * _draw(generator)
        painted = (changed + detail * lost).clamp(0, 1)[..., :height, :width]
        chosen = _some(len(signal), 0.5, generator).reshape(-1, 1, 1, 1).to(signal.device)
        return (torch.where(chosen, painted, signal) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)

    def _network(self, step: int) -> AutoencoderNetwork:
        era = step // REFRESH_STEPS
        if self._distorted is None or self._distorted[0] != era:
            generator = torch.Generator().manual_seed(_mixed(self._seed + 1, era))
            self._distorted = era, distort_weights(self._clean, generator)
        return self._distorted[1]

    @staticmethod
    def _pass(network: AutoencoderNetwork, pictures: Tensor, generator: Generator) -> Tensor:
        signal = pictures * 2 - 1
        for block in network.blocks[:-1]:
            signal = block(signal)
            if _draw(generator) < 0.25:
                signal = _choice(SIGNAL_DISTORTIONS, generator)(signal, generator)
        return torch.sigmoid(network.paint(signal))


def distort_weights(network: AutoencoderNetwork, generator: Generator) -> AutoencoderNetwork:
    """A copy of the network with one or two of its inner convolutions distorted."""
    changed = copy.deepcopy(network)
    inner = [layer for layer in changed.modules() if isinstance(layer, nn.Conv2d) and layer is not changed.paint]
    for _ in range(1 + int(_draw(generator) < 0.5)):
        layer = inner[int(torch.randint(len(inner), (), generator=generator))]
        layer.weight.data = _choice(WEIGHT_DISTORTIONS, generator)(layer.weight.data, generator).contiguous()
    return changed


def _choice(options: tuple[Distortion, ...], generator: Generator) -> Distortion:
    return options[int(torch.randint(len(options), (), generator=generator))]


def _mixed(seed: int, step: int) -> int:
    return (seed * 1_000_003 + step) % 2**63
