"""Energy and distance to the nearest ordinary features together: ``(E - E_min) / (E_max - E_min) + d / d_max``.

E is ``-log sum_k exp(l_k)``, d the mean distance to the 3 nearest features of a bank of ordinary ones. Smallest and
largest E are those of ordinary pixels; d_max is the largest distance of a feature of the bank to its nearest others.
Distances are made at feature resolution and enlarged to the picture. The authors' bank has 100,000 features. Without
the energy it is their DNP, which needs no classes.

Galesso et al., Far Away in the Deep Space: Dense Nearest-Neighbor-Based Out-of-Distribution Detection, 2023.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer import FitData, FittedScorer, Layer, Outputs, needed_for

CHUNK = 4096  # features whose distances are in memory at once


class Cdnp(FittedScorer):
    """Energy and distance to the nearest ordinary features, each by its ordinary range.

    Args:
        k: How many of the nearest features count.
        bank: How many ordinary features are kept.
        energy: Whether the energy is added.
        layer: Whose features: the encoder's, or those that enter the classifier.
    """

    title = "cDNP"

    def __init__(
        self,
        k: Annotated[int, Limits(1, 1_000_000)] = 3,
        bank: Annotated[int, Limits(2, 10_000_000)] = 1024,
        energy: bool = True,  # noqa: FBT001 - a setting
        layer: Layer = "encoder",
    ) -> None:
        if bank <= k:
            raise CaosError(f"cdnp keeps {bank} features (bank), which must be more than k = {k}")
        self.k, self.bank, self.energy, self.layer = k, bank, energy, layer
        self.needs = frozenset({needed_for(layer)})
        self.reads_logits = energy

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        features = data.of_layer(self.layer)
        if len(features) <= self.k:
            raise CaosError(f"cdnp needs more than {self.k} features, not {len(features)}")
        chosen = np.sort(rng.permutation(len(features))[: self.bank])
        self._bank = features[torch.from_numpy(chosen)].float()
        # The nearest of all is the feature itself.
        nearest = self._nearest(self._bank.T, self.k + 1)
        itself = nearest.argmin(dim=0, keepdim=True)
        others = nearest.scatter(0, itself, 0.0).sum(dim=0) / self.k
        self._farthest = float(others.max().clamp_min(1e-12))
        if not self.energy:
            return
        energy = -data.logits.double().logsumexp(dim=1)
        self._lowest = float(energy.min())
        self._range = max(float(energy.max()) - self._lowest, 1e-12)

    def _nearest(self, features: Tensor, number: int) -> Tensor:
        """Distances ``(number, n)`` of features ``(D, n)`` to the nearest of the bank."""
        bank = self._bank.to(features.device)
        # |a - b|^2 / 2 = |b|^2 / 2 - a.b + |a|^2 / 2: the last is the same for the whole bank.
        half = bank.square().sum(dim=1, keepdim=True) / 2
        parts = [
            torch.addmm(half, bank, part, alpha=-1).topk(number, dim=0, largest=False, sorted=False).values
            for part in torch.split(features, CHUNK, dim=1)
        ]
        squares = 2 * torch.cat(parts, dim=1) + features.square().sum(dim=0)
        return squares.clamp_min_(0).sqrt_()

    def _score(self, outputs: Outputs) -> Tensor:
        features = outputs.of_layer(self.layer)
        distance = self._nearest(features.reshape(len(features), -1), self.k).mean(dim=0) / self._farthest
        enlarged = outputs.enlarge(distance.reshape(features.shape[1:]))
        if not self.energy:
            return enlarged
        return enlarged + (-outputs.log_partition - self._lowest) / self._range
