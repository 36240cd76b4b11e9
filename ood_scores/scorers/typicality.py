"""Distance to the typical posterior: ``min_k KL(p || d_k)``, ``d_k`` the mean posterior of predicted class k.

With ``multi_label`` as chapter 6 has it: probabilities by sigmoid, ``d_k`` the normalised sum over what exceeds the
threshold for class k, and the score the sum of the divergences to every class that exceeds it (to the most probable
class where none does).

Hendrycks et al., Scaling Out-of-Distribution Detection for Real-World Settings, 2022; Basart, dissertation, chapter 6.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs


class Typicality(FittedScorer):
    """KL divergence to class-conditional posteriors.

    Args:
        multi_label: Treat the classes as independent.
        threshold: Probability above which a class counts as present (multi-label only).
    """

    title = "Typicality"

    def __init__(self, *, multi_label: bool = False, threshold: Annotated[float, Limits(0, 1)] = 0.5) -> None:
        self.multi_label, self.threshold = multi_label, threshold
        self._log_typical = torch.zeros((0, 0))

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        typical = _present_means(data.logits.sigmoid(), self.threshold) if self.multi_label else _means(data.logits)
        self._log_typical = typical.clamp_min(torch.finfo(torch.float32).tiny).log()

    def _score(self, outputs: Outputs) -> Tensor:
        typical = self._log_typical.to(outputs.logits.device)
        if not self.multi_label:
            expected: Tensor = torch.tensordot(typical, outputs.probabilities, dims=1).amax(dim=0)
            return -outputs.entropy - expected
        present = outputs.logits.sigmoid()
        shares = present / present.sum(dim=0)
        divergence = (shares * shares.clamp_min(1e-38).log()).sum(dim=0) - torch.tensordot(typical, shares, dims=1)
        counted = (present > self.threshold) | (present == present.amax(dim=0))
        total: Tensor = (divergence * counted).sum(dim=0)
        return total


def _means(logits: Tensor) -> Tensor:
    """Mean posterior of each predicted class; classes never predicted have no row."""
    posterior = logits.softmax(dim=1)
    predicted = posterior.argmax(dim=1)
    return torch.stack([posterior[predicted == k].double().mean(dim=0).float() for k in np.unique(predicted.cpu())])


def _present_means(present: Tensor, threshold: float) -> Tensor:
    """Normalised sum of the outputs in which a class exceeds the threshold; uniform where none does."""
    weights = (present > threshold).float()
    rows = weights.T @ present
    rows[weights.sum(dim=0) == 0] = 1.0
    return rows / rows.sum(dim=1, keepdim=True)
