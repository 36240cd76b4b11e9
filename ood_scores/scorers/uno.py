"""Unsureness of masks and their class of outliers together: ``-sum_q s[q] (max_k p[q, k] - p[q, outlier])``.

p is the softmax of a query's class logits, s the sigmoid of its mask logits; the maximum is over the ordinary classes.
The class of outliers is one more class that was trained with negatives.

Delić et al., Outlier Detection by Ensembling Uncertainty with Negative Objectness, 2024.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Uno(Scorer):
    """How little sure masks of ordinary classes cover a pixel, and how much those of the class of outliers."""

    title = "UNO"
    needs = frozenset({"queries", "outlier class"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        queries = outputs.queries
        weights = queries.ordinary.amax(dim=1) - outputs.outlier_class
        return -queries.summed(weights[:, None])[0]
