"""Uniform probabilities on negatives, and a head beside the classifier that tells ordinary pixels from outliers.

``w (logsumexp(l) - mean(l))`` on negatives as ``max_entropy`` has it, and ``2.4 w`` times the head's cross entropy on
all pixels, in which a negative counts three times: ordinary pixels are so many that they would drown small hazards.

A loss of our own, between ``max_entropy`` and ``dense_hybrid``; the scorer ``dense_hybrid`` reads both parts.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from caos.segmentation.negatives import NegativeLoss, NegativePixels, mean_where

HEAD_FACTOR: Final = 2.4
NEGATIVE_COUNTS: Final = 3.0


class OutlierHeadLoss(NegativeLoss):
    """See the module."""

    weight = 0.5
    needs = "outlier"

    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """See :class:`NegativeLoss`."""
        unevenness = mean_where(pixels.logits.logsumexp(1) - pixels.logits.mean(1), pixels.negative)
        ordinary, outlier = pixels.head.unbind(1)
        ahead = torch.where(pixels.negative, NEGATIVE_COUNTS, 1.0) * functional.softplus(
            torch.where(pixels.negative, ordinary - outlier, outlier - ordinary)
        )
        return weight * (unevenness + HEAD_FACTOR * mean_where(ahead, pixels.ordinary | pixels.negative))
