"""One more class, for whatever is no ordinary class, learnt on negatives.

The cross entropy of K + 1 classes: ordinary pixels count 1, negatives the weight.

Blum et al. 2021, The Fishyscapes Benchmark (void classifier).
"""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from caos.segmentation.training.negatives import NegativeLoss, NegativePixels, mean_where


class VoidClassLoss(NegativeLoss):
    """See the module."""

    weight = 1.0
    needs = "void"

    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """See :class:`NegativeLoss`."""
        # What the further class adds to the K-class cross entropy of a pixel is log(1 + e^(void - logsumexp)).
        ahead = pixels.head[:, 0] - pixels.logits.logsumexp(1)
        ordinary = mean_where(functional.softplus(ahead), pixels.ordinary)
        return ordinary + weight * mean_where(functional.softplus(-ahead), pixels.negative)
