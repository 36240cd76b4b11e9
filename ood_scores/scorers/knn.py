"""Distance of the normalised features to the k-th nearest of a bank of ordinary ones.

Of what the encoder made, or of what enters the classifier (``layer=classifier``). At feature resolution; the
distance map is enlarged to the picture.

Sun et al., Out-of-Distribution Detection with Deep Nearest Neighbors, 2022.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer import FitData, FittedScorer, Layer, Outputs, needed_for


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
        features = data.of_layer(self.layer)
        if len(features) < self.k:
            raise CaosError(f"knn needs at least {self.k} features, not {len(features)}")
        chosen = np.sort(rng.permutation(len(features))[: self.bank])
        self._bank = torch.nn.functional.normalize(features[torch.from_numpy(chosen)].float(), dim=1)

    def _score(self, outputs: Outputs) -> Tensor:
        features = torch.nn.functional.normalize(outputs.of_layer(self.layer), dim=0)
        bank = self._bank.to(features.device)
        flat = features.reshape(len(features), -1)
        # Chunks bound the memory; unit vectors: |a - b|^2 = 2 - 2 a.b.
        nearest = [(bank @ part).topk(self.k, dim=0).values[-1] for part in torch.split(flat, 4096, dim=1)]
        distance = (2 - 2 * torch.cat(nearest)).clamp_min_(0).sqrt_()
        return outputs.enlarge(distance.reshape(features.shape[1:]))
