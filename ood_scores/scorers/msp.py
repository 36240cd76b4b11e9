"""Maximum softmax probability: ``1 - max_k p_k``.

Computed as the share of the other classes, which keeps apart probabilities that float32 would round to 1.

Hendrycks and Gimpel, A Baseline for Detecting Misclassified and Out-of-Distribution Examples in Neural Networks, 2017.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Msp(Scorer):
    """One minus the largest class probability."""

    title = "MSP"

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return outputs.doubt
