"""No class of a mask transformer claims negatives: a squared hinge on the score RbA, for ``--model mask2former``.

``max(0, 5 - r)^2`` on negatives with ``r = -sum_k tanh(S_k)`` of the semantic map S; r is at most 0, so that the loss
falls as long as any class claims a negative pixel. The score is that of the paper; margin and weight are ours.

Nayal et al. 2023, RbA: Segmenting Unknown Regions Rejected by All.
"""

from __future__ import annotations

from typing import Final

from torch import Tensor

from caos.segmentation.training.negatives import NegativeLoss, NegativePixels, mean_where

MARGIN: Final = 5.0


class RbaLoss(NegativeLoss):
    """See the module."""

    weight = 0.5
    needs = "queries"

    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """See :class:`NegativeLoss`."""
        score = -pixels.logits.tanh().sum(1)
        return weight * mean_where((MARGIN - score).clamp(min=0).square(), pixels.negative)
