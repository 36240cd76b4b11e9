"""Probability of the background class: ``p_background``, as if what is foreign were background.

Hendrycks et al., Scaling Out-of-Distribution Detection for Real-World Settings, 2022 (baseline "Background").
"""

from __future__ import annotations

from torch import Tensor

from ood_scores.scorer import Outputs, Scorer


class Background(Scorer):
    """Probability of the background class."""

    title = "Background"

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~ood_scores.scorer.Scorer`."""
        return (outputs.logits[outputs.background_id] - outputs.log_partition).exp_()
