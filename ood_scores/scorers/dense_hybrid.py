"""Free energy of the logits and the log-probability of an outlier together: ``-log sum_k exp(l_k) + log p(outlier)``.

The probability comes from a head of two channels, ordinary and outlier, that training with negatives puts beside the
classifier.

Grcić et al., DenseHybrid: Hybrid Anomaly Detection for Dense Open-set Recognition, 2022.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class DenseHybrid(Scorer):
    """Log-probability of an outlier, less the log-density of the logits."""

    title = "DenseHybrid"
    needs = frozenset({"outlier logits"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return outputs.outlier_logits.log_softmax(dim=0)[1] - outputs.log_partition
