"""Negative of the largest logit: ``-max_k l_k``; unlike a probability it is not diluted by similar classes.

Hendrycks et al., Scaling Out-of-Distribution Detection for Real-World Settings, 2022.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class MaxLogit(Scorer):
    """Negative of the largest logit."""

    title = "MaxLogit"

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return -outputs.maximum
