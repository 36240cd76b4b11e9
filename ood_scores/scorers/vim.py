"""Virtual logit of the features' part outside their principal space, and energy: ``a |r| - log sum_k exp(l_k)``.

r is what of the centred features lies outside the principal components of ordinary ones; a makes the mean of ``a |r|``
equal that of the largest logit on ordinary data. The centre is the mean of the ordinary features: the authors' one,
where the logits of a linear classifier vanish, is none for a classifier of several layers.

Wang et al., ViM: Out-Of-Distribution with Virtual-logit Matching, 2022.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs


class Vim(FittedScorer):
    """Virtual logit less the log of the sum of the real ones' exponentials.

    Args:
        share: Of the dimensions of the features, how many are the principal space; at least one is left outside.
    """

    title = "ViM"
    needs = frozenset({"features"})

    def __init__(self, share: Annotated[float, Limits(0, 1)] = 0.5) -> None:
        self.share = share

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        assert data.features is not None
        if len(data.features) < 2:
            raise CaosError(f"vim needs at least 2 features, not {len(data.features)}")
        features = data.features.double()
        mean = features.mean(dim=0)
        centred = features - mean
        axes = torch.linalg.eigh(centred.T @ centred).eigenvectors  # the smallest variance first
        outside = max(len(mean) - round(self.share * len(mean)), 1)
        rest = axes[:, :outside].T
        norm = (centred @ rest.T).norm(dim=1).mean().clamp_min(1e-12)
        scaled = rest * (data.logits.double().amax(dim=1).mean() / norm)
        self._rest, self._centre = scaled.float(), (scaled @ mean).float()

    def _score(self, outputs: Outputs) -> Tensor:
        features = outputs.features
        flat = features.reshape(len(features), -1)
        residual = self._rest.to(flat.device) @ flat - self._centre.to(flat.device)[:, None]
        virtual = residual.square_().sum(dim=0).sqrt_().reshape(features.shape[1:])
        return outputs.enlarge(virtual) - outputs.log_partition
