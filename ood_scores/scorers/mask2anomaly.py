"""Mask2Anomaly's score: ``1 - max_k sum_q p[q, k] s[q]``, how little the likeliest class claims a pixel.

p is the softmax of a query's class logits without "no object", s the sigmoid of its mask logits. The authors refine the
map with masks of things and stuff afterwards, which is not done here.

Rai et al., Unmasking Anomalies in Road-Scene Segmentation, 2023.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Mask2Anomaly(Scorer):
    """One minus the semantic map's largest value."""

    title = "Mask2Anomaly"
    needs = frozenset({"queries"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return 1 - outputs.queries.semantic.amax(dim=0)
