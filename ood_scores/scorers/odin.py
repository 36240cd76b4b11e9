"""Largest probability at a high temperature: ``-log(K max_k softmax(l / T)_k)``, with T = 1000 and K classes.

The logarithm orders pixels as the probability does, and keeps apart what float32 would round: at such a temperature
every probability is nearly ``1 / K``. With a perturbation e the logits are those of the picture moved by e, in every
value, to where the largest probability grows.

Liang et al., Enhancing The Reliability of Out-of-distribution Image Detection in Neural Networks, 2018.
"""

from __future__ import annotations

from typing import Annotated, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caos.foundation.machine_code import compiled
from caos.foundation.settings import Limits
from caos.ood_scores.elementwise import apply
from caos.ood_scores.scorer import BLOCK, Outputs, Scorer

TOGETHER: Final = 512  # pixels
SMALL: Final = 0.1
"""Of which the sixth power is nothing beside it, in floats of 32 bits."""


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
        """See :class:`~caos.ood_scores.scorer.Scorer`."""
        logits, maximum = outputs.logits, outputs.maximum
        if self.perturbation:
            logits = outputs.perturbed_logits(self.temperature, self.perturbation).detach()
            maximum = logits.amax(dim=0)
        flat, top = logits.reshape(len(logits), -1), maximum.reshape(-1)
        return self._mean_change(flat, top).log1p_().reshape(maximum.shape)

    def _mean_change(self, logits: Tensor, maximum: Tensor) -> Tensor:
        """The mean of ``exp(x) - 1``, with x what a logit has less than the largest, divided by T."""
        if logits.device.type == "cpu":
            found = np.empty(len(maximum), np.float32)
            values, top = (part.float().contiguous().numpy() for part in (logits, maximum))
            smallest = np.zeros(TOGETHER, np.float32)
            _add_small_changes(values, top, np.float32(1 / self.temperature), found, smallest)
            if smallest.min() > -SMALL:
                return torch.from_numpy(found)
        blocks = torch.split(logits, BLOCK, dim=1), torch.split(maximum, BLOCK)
        cooled = ((part - top).div_(self.temperature) for part, top in zip(*blocks, strict=True))
        return torch.cat([apply("expm1", part).mean(dim=0) for part in cooled])


@compiled
def _add_small_changes(
    logits: NDArray[np.float32],
    maximum: NDArray[np.float32],
    factor: np.float32,
    means: NDArray[np.float32],
    smallest: NDArray[np.float32],
) -> None:
    """Write means of ``exp(x) - 1`` by the first terms of its series, exact for small x, and the smallest x."""
    one, share = np.float32(1), np.float32(1 / len(logits))
    second, third, fourth, fifth = np.float32(1 / 2), np.float32(1 / 6), np.float32(1 / 24), np.float32(1 / 120)
    for start in range(0, len(maximum), TOGETHER):
        top, mean = maximum[start : start + TOGETHER], means[start : start + TOGETHER]
        mean[:] = 0
        for k in range(len(logits)):
            own = logits[k, start : start + TOGETHER]
            for i in range(len(top)):
                x = (own[i] - top[i]) * factor
                smallest[i] = min(smallest[i], x)
                mean[i] += x * (one + x * (second + x * (third + x * (fourth + x * fifth)))) * share
