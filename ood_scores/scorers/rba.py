"""Rejected by all: ``-sum_k tanh(sum_q p[q, k] s[q])``, how little every class claims a pixel.

p is the softmax of a query's class logits, "no object" left out of the sum; s is the sigmoid of its mask logits.

Nayal et al., RbA: Segmenting Unknown Regions Rejected by All, 2023.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Rba(Scorer):
    """How little all ordinary classes together claim a pixel."""

    title = "RbA"
    needs = frozenset({"queries"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return -outputs.queries.semantic.tanh().sum(dim=0)
