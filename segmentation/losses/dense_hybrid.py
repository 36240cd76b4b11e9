"""Low ``logsumexp(l)`` on negatives, and a head beside the classifier that tells ordinary pixels from outliers.

``b logsumexp(l)`` on negatives and ``10 b`` times the head's cross entropy on all pixels; b is the weight.

Grcic et al. 2022, DenseHybrid: Hybrid Anomaly Detection for Dense Open-set Recognition.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from caos.segmentation.training.negatives import NegativeLoss, NegativePixels, mean_where

HEAD_FACTOR: Final = 10.0


class DenseHybridLoss(NegativeLoss):
    """See the module."""

    weight = 0.03
    needs = "outlier"

    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """See :class:`NegativeLoss`."""
        likelihood = mean_where(pixels.logits.logsumexp(1), pixels.negative)
        ordinary, outlier = pixels.head.unbind(1)
        # The cross entropy of two classes: softplus of how much the wrong one is ahead.
        ahead = torch.where(pixels.negative, ordinary - outlier, outlier - ordinary)
        wrong = mean_where(functional.softplus(ahead), pixels.ordinary | pixels.negative)
        return weight * (likelihood + HEAD_FACTOR * wrong)
