"""A head beside the classifier that tells ordinary pixels from outliers; the classifier itself learns nothing of them.

``w`` times the head's cross entropy on all pixels, in which a negative counts three times: ordinary pixels are so many
that they would drown small hazards. With features of its own (``negative_channels``) and a frozen encoder the head
takes nothing from the classifier: its classes come out as without negatives.

A loss of our own, ``dense_hybrid`` without its likelihood; the scorer ``outlier_head`` reads it.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from caos.segmentation.training.negatives import NegativeLoss, NegativePixels, mean_where

NEGATIVE_COUNTS: Final = 3.0


class OutlierHeadLoss(NegativeLoss):
    """See the module."""

    weight = 1.0
    needs = "outlier"

    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """See :class:`NegativeLoss`."""
        ordinary, outlier = pixels.head.unbind(1)
        ahead = torch.where(pixels.negative, NEGATIVE_COUNTS, 1.0) * functional.softplus(
            torch.where(pixels.negative, ordinary - outlier, outlier - ordinary)
        )
        return weight * mean_where(ahead, pixels.ordinary | pixels.negative)
