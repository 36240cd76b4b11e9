"""What a confidence branch lacks of full confidence: ``1 - c``.

DeVries and Taylor, Learning Confidence for Out-of-Distribution Detection in Neural Networks, 2018.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class ConfidenceBranch(Scorer):
    """One minus the learnt confidence."""

    title = "Branch"
    needs = frozenset({"confidence"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return 1 - outputs.confidence
