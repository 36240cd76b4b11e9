"""Log-probability of an outlier, from a head of two channels that training with negatives puts beside the classifier.

What the classifier says is left aside: where the head has features of its own, the logits know nothing of outliers and
would only disturb it.

Bevandić et al., Simultaneous Semantic Segmentation and Outlier Detection in Presence of Domain Shift, 2019.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class OutlierHead(Scorer):
    """Log-probability of an outlier."""

    title = "Outlier head"
    needs = frozenset({"outlier logits"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return outputs.outlier_logits.log_softmax(dim=0)[1]
