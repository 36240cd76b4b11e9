"""Probability of a further class, void, that was learnt on negatives.

Blum et al., The Fishyscapes Benchmark: Measuring Blind Spots in Semantic Segmentation, 2021.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class VoidClass(Scorer):
    """Probability of the void class."""

    title = "Void"
    needs = frozenset({"void probability"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return outputs.void_probability
