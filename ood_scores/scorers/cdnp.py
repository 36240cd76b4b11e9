"""Energy and distance to the nearest ordinary features together: ``(E - E_min) / (E_max - E_min) + d / d_max``.

E is ``-log sum_k exp(l_k)``, d the mean distance to the 3 nearest features of a bank of ordinary ones. Smallest and
largest E are those of ordinary pixels; d_max is the largest distance of a feature of the bank to its nearest others.
Distances are made at feature resolution and enlarged to the picture. The authors' bank has 100,000 features. Without
the energy it is their DNP, which needs no classes.

Galesso et al., Far Away in the Deep Space: Dense Nearest-Neighbor-Based Out-of-Distribution Detection, 2023.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import CHUNK, FitData, FittedScorer, Layer, Outputs, needed_for


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
        self._bank = data.bank(self.layer, self.bank)
        if len(self._bank) <= self.k:
            raise CaosError(f"cdnp needs more than {self.k} features, not {len(self._bank)}")
        self._half = self._bank.square().sum(dim=1) / 2
        # The nearest of all is the feature itself.
        products = (self._bank @ part.T for part in torch.split(self._bank, CHUNK))
        nearest = self._nearest(products, 2 * self._half, self.k + 1)
        itself = nearest.argmin(dim=0, keepdim=True)
        others = nearest.scatter(0, itself, 0.0).sum(dim=0) / self.k
        self._farthest = float(others.max().clamp_min(1e-12))
        if not self.energy:
            return
        energy = -data.logits.double().logsumexp(dim=1)
        self._lowest = float(energy.min())
        self._range = max(float(energy.max()) - self._lowest, 1e-12)

    def _nearest(self, products: Iterable[Tensor], squares: Tensor, number: int) -> Tensor:
        """Distances ``(number, n)`` to the nearest of the bank.

        Args:
            products: Of the bank with n features, in parts ``(bank, ..)``.
            squares: Of the lengths of the features ``(n,)``.
            number: How many of the nearest.
        """
        half = self._half.to(squares.device)[:, None]
        # |a - b|^2 / 2 = |b|^2 / 2 - a.b + |a|^2 / 2: the last is the same for the whole bank.
        halves = [(half - part).topk(number, dim=0, largest=False).values for part in products]
        return (2 * torch.cat(halves, dim=1) + squares).clamp_min_(0).sqrt_()

    def _score(self, outputs: Outputs) -> Tensor:
        features = outputs.of_layer(self.layer)
        squares = features.reshape(len(features), -1).square().sum(dim=0)
        nearest = self._nearest(outputs.products(self._bank, self.layer), squares, self.k)
        enlarged = outputs.enlarge((nearest.mean(dim=0) / self._farthest).reshape(features.shape[1:]))
        if not self.energy:
            return enlarged
        return enlarged + (-outputs.log_partition - self._lowest) / self._range
