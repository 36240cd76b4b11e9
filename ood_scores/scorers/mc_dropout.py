"""Variance of the class probabilities over passes with dropout on, averaged over the classes.

Only what follows the dropout is repeated, at feature resolution; the variance map is enlarged to the picture.

Gal and Ghahramani, Dropout as a Bayesian Approximation, 2016; Kendall et al., Bayesian SegNet, 2015.
"""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer
from caos.segmentation.training.config import DropoutPlace


class McDropout(Scorer):
    """Variance over passes with dropout.

    Args:
        passes: T, at least two.
        rate: Share of the features that is dropped; None for that of the network (``dropout_rate`` of the results).
        place: What is dropped of the features that enter the classifier: whole channels, as in training, or single
            values.
    """

    title = "Dropout"
    needs = frozenset({"dropout passes"})

    def __init__(
        self,
        passes: Annotated[int, Limits(None, 1_000_000)] = 10,
        rate: Annotated[float, Limits(0, 0.99)] | None = None,
        place: DropoutPlace = "channels",
    ) -> None:
        if passes < 2:
            raise CaosError(f"a variance needs at least 2 dropout passes, not {passes}")
        self.passes, self.rate, self.place = passes, rate, place
        share = "the network's own share" if rate is None else f"a share of {rate:g}"
        self.note = f"variance over {passes} passes; dropped is {share} of the {place} that enter the classifier"

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        mean = spread = torch.zeros(())
        for number, logits in enumerate(outputs.dropout_passes(self.passes, self.rate, self.place), 1):
            probabilities = logits.softmax(dim=0)
            # Welford's update: the difference of two large sums would drown small variances.
            change = probabilities - mean
            mean = mean + change / number
            spread = spread + change * (probabilities - mean)
        return outputs.enlarge(spread.mean(dim=0) / (self.passes - 1))
