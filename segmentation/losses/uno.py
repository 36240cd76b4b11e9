"""One more class of a mask transformer's queries, for negatives, which are masks like others (``--model mask2former``).

The set loss of the transformer holds it all: the negatives of a picture are one mask of class K + 1, and the weight is
that of this class in the cross entropy. Nothing is added to it.

Delić et al. 2024, Outlier Detection by Ensembling Uncertainty with Negative Objectness.
"""

from __future__ import annotations

from torch import Tensor

from caos.segmentation.training.negatives import NegativeLoss, NegativePixels


class UnoLoss(NegativeLoss):
    """See the module."""

    weight = 1.0
    needs = "outlier class"

    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """See :class:`NegativeLoss`."""
        return pixels.logits.new_zeros(())
