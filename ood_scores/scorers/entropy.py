"""Entropy of the class probabilities: ``-sum_k p_k log p_k``.

Shannon, A Mathematical Theory of Communication, 1948; as a score for segmentation: Chan et al., 2021.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Entropy(Scorer):
    """Entropy of the softmax, in nats."""

    title = "Entropy"

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return outputs.entropy
