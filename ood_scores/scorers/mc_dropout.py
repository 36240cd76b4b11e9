"""Variance of the class probabilities over passes with dropout on, averaged over the classes.

Only what follows the dropout is repeated, at feature resolution; the variance map is enlarged to the picture.

Gal and Ghahramani, Dropout as a Bayesian Approximation, 2016; Kendall et al., Bayesian SegNet, 2015.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundation.errors import CaosError
from ood_scores.scorer import Outputs, Scorer


class McDropout(Scorer):
    """Variance over passes with dropout.

    Args:
        passes: T, at least two.
    """

    title = "Dropout"
    needs = frozenset({"dropout passes"})

    def __init__(self, passes: int = 10) -> None:
        if passes < 2:
            raise CaosError(f"a variance needs at least 2 dropout passes, not {passes}")
        self.passes = passes

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~ood_scores.scorer.Scorer`."""
        mean = spread = torch.zeros(())
        for number, logits in enumerate(outputs.dropout_passes(self.passes), 1):
            probabilities = logits.softmax(dim=0)
            # Welford's update: the difference of two large sums would drown small variances.
            change = probabilities - mean
            mean = mean + change / number
            spread = spread + change * (probabilities - mean)
        return outputs.enlarge(spread.mean(dim=0) / (self.passes - 1))
