"""Generalised entropy of the largest probabilities: ``sum_k p_k^g (1 - p_k)^g`` over the M likeliest classes, g = 0.1.

What the likeliest class lacks of 1 is computed as the share of the others: a power of 0.1 makes much of what float32
would round to zero.

Liu et al., GEN: Pushing the Limits of Softmax-Based Out-of-Distribution Detection, 2023.
"""

from __future__ import annotations

from typing import Annotated

from torch import Tensor

from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Gen(Scorer):
    """Generalised entropy.

    Args:
        gamma: g; the smaller, the more small deviations from certainty count.
        classes: M; all of them where there are fewer.
    """

    title = "GEN"

    def __init__(
        self, gamma: Annotated[float, Limits(1e-3, 10)] = 0.1, classes: Annotated[int, Limits(1, 255)] = 100
    ) -> None:
        self.gamma, self.classes = gamma, classes

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        shares = outputs.probabilities
        if self.classes < len(shares):
            shares = shares.topk(self.classes, dim=0).values
        top = shares.amax(dim=0)
        # The term of the likeliest class is exchanged for one that does not round its ``1 - p`` to zero.
        rounded, exact = ((1 - top) * top).pow_(self.gamma), (outputs.doubt * top).pow_(self.gamma)
        return ((1 - shares) * shares).pow_(self.gamma).sum(dim=0) - rounded + exact
