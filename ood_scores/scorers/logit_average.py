"""Negative of the average logit: ``-mean_k l_k``.

Basart, dissertation, chapter 6 ("LogitAvg"), 2021.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class LogitAverage(Scorer):
    """Negative of the average logit."""

    title = "LogitAvg"

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return -outputs.logits.mean(dim=0)
