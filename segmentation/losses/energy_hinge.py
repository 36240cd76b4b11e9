"""Low energy on ordinary pixels, high energy on negatives, up to a margin each; energy is ``-logsumexp(l)``.

``max(0, E + 12)^2`` on ordinary pixels and ``max(0, -6 - E)^2`` on negatives.

Liu et al. 2020, Energy-based Out-of-distribution Detection; margins of Tian et al. 2022, Pixel-wise Energy-biased
Abstention Learning.
"""

from __future__ import annotations

from typing import Final

from torch import Tensor

from caos.segmentation.training.negatives import NegativeLoss, NegativePixels, mean_where

ORDINARY_MARGIN: Final = -12.0
NEGATIVE_MARGIN: Final = -6.0


class EnergyHingeLoss(NegativeLoss):
    """See the module."""

    weight = 0.02

    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """See :class:`NegativeLoss`."""
        energy = -pixels.logits.logsumexp(1)
        too_high = (energy - ORDINARY_MARGIN).clamp(min=0).square()
        too_low = (NEGATIVE_MARGIN - energy).clamp(min=0).square()
        return weight * (mean_where(too_high, pixels.ordinary) + mean_where(too_low, pixels.negative))
