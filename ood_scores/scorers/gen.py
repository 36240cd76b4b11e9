"""Generalised entropy of the largest probabilities: ``sum_k p_k^g (1 - p_k)^g`` over the M likeliest classes, g = 0.1.

What the likeliest class lacks of 1 is computed as the share of the others: a power of 0.1 makes much of what float32
would round to zero.

Liu et al., GEN: Pushing the Limits of Softmax-Based Out-of-Distribution Detection, 2023.
"""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from caos.foundation.settings import Limits
from caos.ood_scores.elementwise import apply
from caos.ood_scores.scorer import Outputs, Scorer


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
        """See :class:`~caos.ood_scores.scorer.Scorer`."""
        scores = torch.empty_like(outputs.doubt)
        flat, doubt = scores.reshape(-1), outputs.doubt.reshape(-1)
        for where, probabilities in outputs.blocks():
            if self.classes < len(probabilities):
                probabilities = probabilities.topk(self.classes, dim=0).values  # noqa: PLW2901 - the rest is not read
            top = probabilities.amax(dim=0)
            rounded, exact = self._power((1 - top).mul_(top)), self._power(doubt[where] * top)
            flat[where] = self._power((1 - probabilities).mul_(probabilities)).sum(dim=0) - rounded + exact
        return scores

    def _power(self, values: Tensor) -> Tensor:
        """The values to the power of g, in place; logarithm and exponential cost a fraction of a power."""
        return apply("exp2", apply("log2", values).mul_(self.gamma))
