"""Uniform probabilities on negatives: ``logsumexp(l) - mean(l)``, the cross entropy with every class alike.

Chan et al. 2021, Entropy Maximization and Meta Classification for Out-of-Distribution Detection in Semantic
Segmentation.
"""

from __future__ import annotations

from torch import Tensor

from caos.segmentation.training.negatives import NegativeLoss, NegativePixels, mean_where


class MaxEntropyLoss(NegativeLoss):
    """See the module."""

    weight = 0.5

    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """See :class:`NegativeLoss`."""
        unevenness = pixels.logits.logsumexp(1) - pixels.logits.mean(1)
        return weight * mean_where(unevenness, pixels.negative)
