"""DeepAugment (Hendrycks et al. 2021, The Many Faces of Robustness; dissertation 5.4 and A.7) with our own painters.

A picture passes an image-to-image network whose weights and signals are distorted at random: a new look, the same
scene. As the pseudocode has it, a random subset of distortions is applied to clean weights, and drawn anew with
probability 0.05 before each picture; a random subset of signal distortions is drawn for each pass. As the text has it,
a picture is seen as it is, through the encoder-decoder, or through the super-resolution network, equally often. What
comes out is the picture: no detail of the original is added back.

The authors also flip and shift signals in the plane. Labels of pixels would not follow, so only distortions that leave
every pixel in its place are here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from caos.segmentation.augmentation.painters import PainterNetwork
from caos.segmentation.models.networks import AutoencoderNetwork, padded

REFRESH_SHARE: Final = 0.05
"""Probability, before each picture, that weights are distorted anew; the pseudocode calls it arbitrary."""
CHOSEN_SHARE: Final = 0.35
"""Probability that a distortion is among those of a draw; one always is."""

Generator = torch.Generator
AnyPainter = AutoencoderNetwork | PainterNetwork


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


def _shuffle_some_filters(weight: Tensor, generator: Generator) -> Tensor:
    return weight[_partly_shuffled(len(weight), generator).to(weight.device)]


def _drop_channels(signal: Tensor, generator: Generator) -> Tensor:
    kept = ~_some(signal.shape[1], 0.1, generator)
    return signal * kept.reshape(1, -1, 1, 1).to(signal)


def _negate_channels(signal: Tensor, generator: Generator) -> Tensor:
    signs = torch.where(_some(signal.shape[1], 0.1, generator), -1.0, 1.0)
    return signal * signs.reshape(1, -1, 1, 1).to(signal)


def _gelu(signal: Tensor, _: Generator) -> Tensor:
    return functional.gelu(signal)


def _shuffle_some_channels(signal: Tensor, generator: Generator) -> Tensor:
    return signal[:, _partly_shuffled(signal.shape[1], generator).to(signal.device)]


def _gain(signal: Tensor, generator: Generator) -> Tensor:
    return signal * (0.7 + 0.6 * _draw(generator))


def _partly_shuffled(count: int, generator: Generator) -> Tensor:
    order = torch.arange(count)
    moved = _some(count, 0.15, generator).nonzero()[:, 0]
    order[moved] = moved[torch.randperm(len(moved), generator=generator)]
    return order


Distortion = Callable[[Tensor, Generator], Tensor]
WEIGHT_DISTORTIONS: Final[tuple[Distortion, ...]] = (
    _negate_filters, _zero_filters, _flip_kernels, _transpose_kernels, _scale_filters, _blur_filters,
    _shuffle_some_filters,
)  # fmt: skip
SIGNAL_DISTORTIONS: Final[tuple[Distortion, ...]] = (
    _drop_channels, _negate_channels, _gelu, _shuffle_some_channels, _gain,
)  # fmt: skip


class DeepAugment:
    """Distorts pictures with trained painters; what it does depends only on the seed and the picture's number.

    Args:
        painters: The encoder-decoder and the super-resolution network.
        seed: Of everything that is drawn.
    """

    def __init__(self, painters: Sequence[AnyPainter], seed: int) -> None:
        self._clean = [painter.eval().requires_grad_(False) for painter in painters]
        self._seed = seed
        self._distorted: dict[int, tuple[int, AnyPainter]] = {}

    @torch.no_grad()
    def __call__(self, pictures: Tensor, step: int) -> Tensor:
        """Pictures ``(n, h, w, 3)`` uint8, each as it is or through one of the painters; all batches have size n."""
        first = step * len(pictures)
        return torch.stack([self._seen(picture, first + i) for i, picture in enumerate(pictures)])

    def _seen(self, picture: Tensor, number: int) -> Tensor:
        generator = torch.Generator().manual_seed(_mixed(self._seed, number))
        which = int(torch.randint(len(self._clean) + 1, (), generator=generator)) - 1
        if which < 0:
            return picture
        painter = self._painter(which, number)
        signal = padded(picture.permute(2, 0, 1)[None].float() / 255, painter.multiple)
        painted = _pass(painter, signal, generator)[0, :, : picture.shape[0], : picture.shape[1]]
        return (painted * 255).round().to(torch.uint8).permute(1, 2, 0)

    def _painter(self, which: int, number: int) -> AnyPainter:
        """The painter with the weights that were drawn last, before or at this picture."""
        drawn_at = last_refresh(self._seed, number)
        if which not in self._distorted or self._distorted[which][0] != drawn_at:
            generator = torch.Generator().manual_seed(_mixed(self._seed + 2 + which, drawn_at))
            self._distorted[which] = drawn_at, distort_weights(self._clean[which], generator)
        return self._distorted[which][1]


def last_refresh(seed: int, number: int) -> int:
    """The last picture, up to ``number``, before which weights are drawn anew; the first one is one of them.

    It is found without going through the pictures before, so that a stream can begin anywhere.
    """
    while number > 0 and _draw(torch.Generator().manual_seed(_mixed(seed + 1, number))) >= REFRESH_SHARE:
        number -= 1
    return number


def _pass(painter: AnyPainter, pictures: Tensor, generator: Generator) -> Tensor:
    """The distorted forward pass: each distortion of a random subset behind a block of its own choice."""
    inner = painter.blocks[:-1]
    behind: dict[int, list[Distortion]] = {}
    for distortion in _subset(SIGNAL_DISTORTIONS, generator):
        behind.setdefault(int(torch.randint(len(inner), (), generator=generator)), []).append(distortion)
    signal = painter.entered(pictures)
    for place, block in enumerate(inner):
        signal = block(signal)
        for distortion in behind.get(place, ()):
            signal = distortion(signal, generator)
    return torch.sigmoid(painter.paint(signal))


def distort_weights(network: AnyPainter, generator: Generator) -> AnyPainter:
    """A copy of the network with a random subset of distortions, each on an inner convolution of its own choice."""
    changed = copy.deepcopy(network)
    inner = [layer for layer in changed.modules() if isinstance(layer, nn.Conv2d) and layer is not changed.paint]
    for distortion in _subset(WEIGHT_DISTORTIONS, generator):
        layer = inner[int(torch.randint(len(inner), (), generator=generator))]
        layer.weight.data = distortion(layer.weight.data, generator).contiguous()
    return changed


def _subset(options: tuple[Distortion, ...], generator: Generator) -> list[Distortion]:
    """A random subset, never empty, in a random order."""
    order = torch.randperm(len(options), generator=generator).tolist()
    return [options[i] for place, i in enumerate(order) if _draw(generator) < CHOSEN_SHARE or place == 0]


def _mixed(seed: int, number: int) -> int:
    return (seed * 1_000_003 + number * 7_919) % 2**63
