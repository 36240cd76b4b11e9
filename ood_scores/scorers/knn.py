"""Distance of the normalised features to the k-th nearest of a bank of ordinary ones.

Of what the encoder made, or of what enters the classifier (``layer=classifier``). At feature resolution; the
distance map is enlarged to the picture.

Sun et al., Out-of-Distribution Detection with Deep Nearest Neighbors, 2022.
"""

from __future__ import annotations

from typing import Annotated, Final

import numpy as np
import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Layer, Outputs, needed_for

TINY: Final = 1e-12


class Knn(FittedScorer):
    """Distance to the k-th nearest ordinary feature.

    Args:
        k: Which of the nearest features counts.
        bank: How many ordinary features are kept.
        layer: Whose features: the encoder's, or those that enter the classifier.
    """

    title = "KNN"
    reads_logits = False

    def __init__(
        self,
        k: Annotated[int, Limits(1, 1_000_000)] = 5,
        bank: Annotated[int, Limits(1, 10_000_000)] = 1024,
        layer: Layer = "encoder",
    ) -> None:
        if bank < k:
            raise CaosError(f"knn keeps {bank} features (bank), which are fewer than k = {k}")
        self.k, self.bank, self.layer = k, bank, layer
        self.needs = frozenset({needed_for(layer)})

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        self._bank = data.bank(self.layer, self.bank)
        if len(self._bank) < self.k:
            raise CaosError(f"knn needs at least {self.k} features, not {len(self._bank)}")
        self._lengths = self._bank.norm(dim=1).clamp_min(TINY)

    def _score(self, outputs: Outputs) -> Tensor:
        features = outputs.of_layer(self.layer)
        bank_lengths = self._lengths.to(features.device)[:, None]
        # The angle decides: unit vectors are |a - b|^2 = 2 - 2 a.b apart.
        parts = outputs.products(self._bank, self.layer)
        nearest = torch.cat([(part / bank_lengths).topk(self.k, dim=0).values[-1] for part in parts])
        lengths = features.reshape(len(features), -1).norm(dim=0).clamp_min_(TINY)
        distance = (2 - 2 * nearest / lengths).clamp_min_(0).sqrt_()
        return outputs.enlarge(distance.reshape(features.shape[1:]))
