"""Deep ensemble: one minus the largest of the class probabilities averaged over independently trained networks.

Lakshminarayanan et al., Simple and Scalable Predictive Uncertainty Estimation using Deep Ensembles, 2017.
"""

from __future__ import annotations

import torch
from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Ensemble(Scorer):
    """MSP of the mean probabilities of several networks."""

    title = "Ensemble"
    needs = frozenset({"members"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        networks = [outputs, *(Outputs(logits) for logits in outputs.members)]
        return 1 - torch.stack([network.probabilities for network in networks]).mean(dim=0).amax(dim=0)
