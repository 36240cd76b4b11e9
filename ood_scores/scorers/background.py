"""Probability of the background class: ``p_background``, as if what is foreign were background.

Hendrycks et al., Scaling Out-of-Distribution Detection for Real-World Settings, 2022 (baseline "Background").
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Background(Scorer):
    """Probability of the background class."""

    title = "Background"
    needs = frozenset({"background class"})
    note = (
        "by the paper's text, the probability of the background class; the released code ranks by the opposite sign, "
        "and its AUROC is 100 minus this one"
    )

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return outputs.probabilities[outputs.background_id]
