"""Share of the features' norm inside their principal space, times the largest logit: ``-(|P h| / |h|) max_k l_k``.

Features h are standardised by the mean and spread of ordinary ones; P are the first principal components of those, so
many as explain 90 % of their variance. The share is made at feature resolution and enlarged to the picture.

Ammar et al., NECO: NEural Collapse Based Out-of-distribution Detection, 2024.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs


class Neco(FittedScorer):
    """Share of the norm in the principal space, times the largest logit.

    Args:
        explained: Share of the variance that the principal space explains.
    """

    title = "NECO"
    needs = frozenset({"features"})

    def __init__(self, explained: Annotated[float, Limits(0, 1)] = 0.9) -> None:
        self.explained = explained

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        assert data.features is not None
        if len(data.features) < 2:
            raise CaosError(f"neco needs at least 2 features, not {len(data.features)}")
        features = data.features.double()
        self._mean, spread = features.mean(dim=0).float(), features.std(dim=0, correction=0)
        # A feature that never changes is centred only.
        spread = torch.where(spread > 0, spread, 1.0)
        self._spread = spread.float()
        standard = (features - features.mean(dim=0)) / spread
        variances, axes = torch.linalg.eigh(standard.T @ standard)
        share = variances.flip(0).clamp_min(0).cumsum(0) / variances.clamp_min(0).sum().clamp_min(1e-12)
        number = min(int((share < self.explained - 1e-9).sum()) + 1, len(share))
        self._axes = axes.flip(1)[:, :number].T.float()

    def _score(self, outputs: Outputs) -> Tensor:
        features = outputs.features
        device, flat = features.device, features.reshape(len(features), -1)
        standard = (flat - self._mean.to(device)[:, None]) / self._spread.to(device)[:, None]
        inside = (self._axes.to(device) @ standard).square_().sum(dim=0).sqrt_()
        share = inside / standard.square_().sum(dim=0).sqrt_().clamp_min_(1e-12)
        return -outputs.enlarge(share.reshape(features.shape[1:])) * outputs.maximum
