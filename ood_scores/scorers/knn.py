"""Distance of the normalised features to the k-th nearest of a bank of ordinary ones.

At feature resolution; the distance map is enlarged to the picture.

Sun et al., Out-of-Distribution Detection with Deep Nearest Neighbors, 2022.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from foundation.errors import CaosError
from ood_scores.scorer import FitData, FittedScorer, Outputs


class Knn(FittedScorer):
    """Distance to the k-th nearest ordinary feature.

    Args:
        neighbours: k.
        bank: How many ordinary features are kept.
    """

    title = "KNN"
    needs = frozenset({"features"})

    def __init__(self, neighbours: int = 5, bank: int = 1024) -> None:
        self.neighbours, self.bank = neighbours, bank

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        assert data.features is not None
        if len(data.features) < self.neighbours:
            raise CaosError(f"knn needs at least {self.neighbours} features, not {len(data.features)}")
        chosen = np.sort(rng.permutation(len(data.features))[: self.bank])
        self._bank = torch.nn.functional.normalize(data.features[torch.from_numpy(chosen)].float(), dim=1)

    def _score(self, outputs: Outputs) -> Tensor:
        features = torch.nn.functional.normalize(outputs.features, dim=0)
        bank = self._bank.to(features.device)
        flat = features.reshape(len(features), -1)
        # Chunks bound the memory; unit vectors: |a - b|^2 = 2 - 2 a.b.
        nearest = [(bank @ part).topk(self.neighbours, dim=0).values[-1] for part in torch.split(flat, 4096, dim=1)]
        distance = (2 - 2 * torch.cat(nearest)).clamp_min_(0).sqrt_()
        return outputs.enlarge(distance.reshape(features.shape[1:]))
