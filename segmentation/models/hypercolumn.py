"""Hypercolumn body: features from all stages of an undilated encoder, side by side at an eighth of the picture.

A hazard is told from the street by what it is (deep stages) and by where its border runs (early stages). A pyramid of
the last stage alone has to carry both through the encoder, which then cannot stay as it was pretrained. Here the
encoder may stay frozen: a few convolutions pick what they need from every stage. Nothing is dilated, so a picture costs
a fraction of what it costs PSPNet.

A head for negatives may read the stages by itself (:class:`StagesHead`): what tells a foreign thing from a street is
not what tells a road from a house, and in features that have to do both, each costs the other.

Hariharan et al. 2015, Hypercolumns for Object Segmentation and Fine-grained Localization.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from caos.segmentation.models.stages import FINEST_STAGE


class StagesPicked(nn.Module):
    """So many channels of each stage, side by side at an eighth of the picture."""

    halve: nn.Module
    pick: nn.ModuleList

    def make_picks(self, stages: Sequence[int], share: int) -> int:
        """Layers that take ``share`` channels of every stage; returns how many that makes together."""
        finest, *coarser = stages
        self.halve = _mixing(finest, share, kernel=3, stride=2)
        self.pick = nn.ModuleList(_mixing(stage, share, kernel=1) for stage in coarser)
        return share * len(stages)

    def joined(self, stages: Sequence[Tensor]) -> Tensor:
        """What was picked."""
        finest, *coarser = stages
        parts = [self.halve(finest)]
        for pick, stage in zip(self.pick, coarser, strict=True):
            part = pick(stage)
            parts.append(functional.interpolate(part, parts[0].shape[-2:], mode="bilinear", align_corners=False))
        return torch.cat(parts, dim=1)


class StagesHead(StagesPicked):
    """A head that reads the stages itself, a few channels of each, mixed once; it shares nothing but the encoder.

    Args:
        stages: Channels of each stage.
        channels: Of its own features; every stage gives half as many.
        outputs: Logits.
    """

    def __init__(self, stages: Sequence[int], channels: int, outputs: int) -> None:
        super().__init__()
        joined = self.make_picks(stages, max(channels // 2, 1))
        self.mix = nn.Sequential(_mixing(joined, channels, kernel=1), _mixing(channels, channels, kernel=3))
        self.tell = nn.Conv2d(channels, outputs, 1)

    def forward(self, stages: Sequence[Tensor]) -> Tensor:
        """Logits at an eighth of the picture."""
        logits: Tensor = self.tell(self.mix(self.joined(stages)))
        return logits


class HypercolumnBody(StagesPicked):
    """Every stage from a quarter of the picture on, brought to an eighth, joined and mixed.

    Args:
        encoder: Name of the encoder.
        depth: Stages of it that run.
        channels: Of the features; every stage gives half as many.
    """

    def __init__(self, encoder: str, depth: int, channels: int) -> None:
        super().__init__()
        from segmentation_models_pytorch.encoders import get_encoder

        self.encoder = get_encoder(encoder, weights=None, depth=depth)
        joined = self.make_picks(self.encoder.out_channels[FINEST_STAGE:], max(channels // 2, 1))
        self.mix = nn.Sequential(_mixing(joined, channels, kernel=3), _mixing(channels, channels, kernel=3))

    def forward(self, pictures: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Features, and the stages they were picked from."""
        stages = tuple(self.encoder(pictures)[FINEST_STAGE:])
        return self.mix(self.joined(stages)), stages


def _mixing(inputs: int, outputs: int, *, kernel: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride=stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )
