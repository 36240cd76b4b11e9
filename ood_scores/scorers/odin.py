"""Largest probability at a high temperature: ``-log(K max_k softmax(l / T)_k)``, with T = 1000 and K classes.

The logarithm orders pixels as the probability does, and keeps apart what float32 would round: at such a temperature
every probability is nearly ``1 / K``. With a perturbation e the logits are those of the picture moved by e, in every
value, to where the largest probability grows.

Liang et al., Enhancing The Reliability of Out-of-distribution Image Detection in Neural Networks, 2018.
"""

from __future__ import annotations

from typing import Annotated

from torch import Tensor

from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Odin(Scorer):
    """Largest probability at a high temperature.

    Args:
        temperature: T.
        perturbation: e, in values of 0..1 of the picture; above zero, the network's gradient is needed.
    """

    title = "ODIN"

    def __init__(
        self,
        temperature: Annotated[float, Limits(1e-3, 1e6)] = 1000.0,
        perturbation: Annotated[float, Limits(0, 1)] = 0.0,
    ) -> None:
        self.temperature, self.perturbation = temperature, perturbation
        self.needs = frozenset({"perturbed logits"}) if perturbation else frozenset()

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        logits, maximum = outputs.logits, outputs.maximum
        if self.perturbation:
            logits = outputs.perturbed_logits(self.temperature, self.perturbation).detach()
            maximum = logits.amax(dim=0)
        # -log(K max_k p_k) = log(mean_k exp(x_k)), with x_k = (l_k - max l) / T nearly zero.
        return ((logits - maximum) / self.temperature).expm1_().mean(dim=0).log1p_()
