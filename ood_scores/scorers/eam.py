"""Ensemble over anomaly scores of masks: ``-sum_q s[q] max_k p[q, k]``, how little sure queries cover a pixel.

p is the softmax of a query's class logits, "no object" left out of the maximum; s is the sigmoid of its mask logits.

Grcić et al., On Advantages of Mask-level Recognition for Outlier-aware Segmentation, 2023.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Eam(Scorer):
    """How little a pixel is covered by masks whose class is sure."""

    title = "EAM"
    needs = frozenset({"queries"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        queries = outputs.queries
        return -queries.summed(queries.ordinary.amax(dim=1, keepdim=True))[0]
