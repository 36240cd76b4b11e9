"""Mahalanobis distance of the features to the nearest class mean, with one covariance for all classes.

At feature resolution; the distance map is enlarged to the picture.

Lee et al., A Simple Unified Framework for Detecting Out-of-Distribution Samples and Adversarial Attacks, 2018.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from foundation.errors import CaosError
from ood_scores.scorer import FitData, FittedScorer, Outputs


class Mahalanobis(FittedScorer):
    """Squared distance to the nearest class mean, in units of the common spread.

    Args:
        shrinkage: Share of the average variance added to the covariance, which keeps it invertible.
    """

    title = "Mahalanobis"
    needs = frozenset({"features"})

    def __init__(self, shrinkage: float = 1e-3) -> None:
        self.shrinkage = shrinkage

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        assert data.features is not None
        assert data.feature_labels is not None
        known = data.feature_labels >= 0
        features, labels = data.features[known].double(), data.feature_labels[known]
        classes, numbers = np.unique(labels.cpu(), return_inverse=True)
        index = torch.from_numpy(numbers)
        if len(features) <= len(classes):
            raise CaosError(f"mahalanobis needs more than {len(classes)} labelled features, not {len(features)}")
        sums = torch.zeros((len(classes), features.shape[1]), dtype=torch.float64).index_add_(0, index, features)
        means = sums / index.bincount()[:, None]
        centred = features - means[index]
        covariance = centred.T @ centred / len(features)
        covariance += self.shrinkage * covariance.diagonal().mean().clamp_min(1e-12) * torch.eye(len(covariance))
        # |L^-1 (x - m)|^2 is the distance for covariance L L^T; float64 here, float32 when scoring.
        whiten = torch.linalg.inv(torch.linalg.cholesky(covariance))
        self._whiten, self._means = whiten.float(), (means @ whiten.T).float()

    def _score(self, outputs: Outputs) -> Tensor:
        features = outputs.features
        device = features.device
        white = torch.tensordot(self._whiten.to(device), features, dims=1)
        means = self._means.to(device)
        shape = (-1, *[1] * (white.ndim - 1))
        cross = torch.tensordot(means, white, dims=1)
        nearest = (means.square().sum(dim=1).reshape(shape) - 2 * cross).amin(dim=0)
        return outputs.enlarge((white.square().sum(dim=0) + nearest).clamp_min_(0))
