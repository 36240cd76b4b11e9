"""Mahalanobis distance of the features to the nearest class mean, with one covariance for all classes.

Of what the encoder made (``layer=encoder``): what enters the classifier (``layer=classifier``) has unlearnt what is of
no use for the classes, and a foreign thing is of that kind. At feature resolution; the distance map is
enlarged to the picture.

Lee et al., A Simple Unified Framework for Detecting Out-of-Distribution Samples and Adversarial Attacks, 2018.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Layer, Outputs, needed_for


class Mahalanobis(FittedScorer):
    """Squared distance to the nearest class mean, in units of the common spread.

    Args:
        layer: Whose features: the encoder's, or those that enter the classifier.
        shrinkage: Share of the average variance added to the covariance, which keeps it invertible.
    """

    title = "Mahalanobis"
    reads_logits = False

    def __init__(self, layer: Layer = "encoder", shrinkage: Annotated[float, Limits(0, 1e6)] = 1e-3) -> None:
        self.layer, self.shrinkage = layer, shrinkage
        self.needs = frozenset({needed_for(layer)})

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        assert data.feature_labels is not None
        known = data.feature_labels >= 0
        features, labels = data.of_layer(self.layer)[known].double(), data.feature_labels[known]
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
        root = torch.linalg.cholesky(covariance)
        whiten = torch.linalg.solve_triangular(root, torch.eye(len(root), dtype=root.dtype), upper=False)
        self._whiten, self._means = whiten.float(), (means @ whiten.T).float()

    def _score(self, outputs: Outputs) -> Tensor:
        features = outputs.of_layer(self.layer)
        device = features.device
        white = (self._whiten.to(device) @ features.reshape(len(features), -1)).reshape(features.shape)
        means = self._means.to(device)
        shape = (-1, *[1] * (white.ndim - 1))
        cross = torch.tensordot(means, white, dims=1)
        nearest = (means.square().sum(dim=1).reshape(shape) - 2 * cross).amin(dim=0)
        return outputs.enlarge((white.square().sum(dim=0) + nearest).clamp_min_(0))
