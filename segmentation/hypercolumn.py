"""Hypercolumn body: features from all stages of an undilated encoder, side by side at an eighth of the picture.

A hazard is told from the street by what it is (deep stages) and by where its border runs (early stages). A pyramid of
the last stage alone has to carry both through the encoder, which then cannot stay as it was pretrained. Here the
encoder may stay frozen: a few convolutions pick what they need from every stage. Nothing is dilated, so a picture costs
a fraction of what it costs PSPNet.

Hariharan et al. 2015, Hypercolumns for Object Segmentation and Fine-grained Localization.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from caos.segmentation.stages import FINEST_STAGE


class HypercolumnBody(nn.Module):
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
        finest, *coarser = self.encoder.out_channels[FINEST_STAGE:]
        share = max(channels // 2, 1)
        self.halve = _mixing(finest, share, kernel=3, stride=2)
        self.pick = nn.ModuleList(_mixing(stage, share, kernel=1) for stage in coarser)
        joined = share * (1 + len(coarser))
        self.mix = nn.Sequential(_mixing(joined, channels, kernel=3), _mixing(channels, channels, kernel=3))

    def forward(self, pictures: Tensor) -> tuple[Tensor, None]:
        """Features; there is nothing for an auxiliary head."""
        finest, *coarser = self.encoder(pictures)[FINEST_STAGE:]
        parts = [self.halve(finest)]
        for pick, stage in zip(self.pick, coarser, strict=True):
            part = pick(stage)
            parts.append(functional.interpolate(part, parts[0].shape[-2:], mode="bilinear", align_corners=False))
        return self.mix(torch.cat(parts, dim=1)), None


def _mixing(inputs: int, outputs: int, *, kernel: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride=stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )
