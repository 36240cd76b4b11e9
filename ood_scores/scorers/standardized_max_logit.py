"""Largest logit, standardised for its class, with class boundaries suppressed and the map smoothed.

``-(max_k l_k - mean_c) / std_c`` with the mean and spread of the largest logit of ordinary pixels predicted as class c.
Then, for boundaries 8, 6, 4 and 2 pixels wide, a boundary pixel takes the mean of its non-boundary neighbours; then a
Gaussian of 7 x 7 taps, 6 pixels apart. Whole-image scores, which have no neighbours, are only standardised.

Jung et al., Standardized Max Logits: A Simple yet Effective Approach for Identifying Unexpected Road Obstacles, 2021.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs

WIDTHS = (8, 6, 4, 2)


class StandardizedMaxLogit(FittedScorer):
    """Standardised largest logit.

    Args:
        smooth: Suppress boundaries and smooth (pictures only).
    """

    title = "SML"

    def __init__(self, *, smooth: bool = True) -> None:
        self.smooth = smooth

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        top = data.logits.max(dim=1)
        values = top.values.double()
        self._mean = torch.full((data.logits.shape[1],), float(values.mean()))
        self._std = torch.full((data.logits.shape[1],), float(values.std().clamp_min(1e-6)))
        for k in np.unique(top.indices.cpu()):
            own = values[top.indices == k]
            if len(own) > 1:  # a class seen once has no spread: it keeps the common one
                self._mean[k], self._std[k] = own.mean(), own.std().clamp_min(1e-6)

    def _score(self, outputs: Outputs) -> Tensor:
        score = self._standardized(outputs.maximum, outputs.prediction)
        if not self.smooth or score.ndim == 1:
            return score
        if score.ndim == 3:
            maps = [_cleaned(s, p) for s, p in zip(score, outputs.prediction, strict=True)]
            return torch.stack(maps)
        return _cleaned(score, outputs.prediction)

    def _standardized(self, maximum: Tensor, prediction: Tensor) -> Tensor:
        predicted = prediction.long()
        return (self._mean.to(maximum.device)[predicted] - maximum) / self._std.to(maximum.device)[predicted]


def _cleaned(score: Tensor, prediction: Tensor) -> Tensor:
    suppressed = suppress_boundaries(score.cpu().numpy(), prediction.cpu().numpy())
    return torch.from_numpy(dilated_gaussian(suppressed)).to(score.device)


def suppress_boundaries(score: NDArray[np.float32], prediction: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Replace scores near a change of class by the mean of their non-boundary neighbours, from the outside in.

    Args:
        score: Score map ``(h, w)``; not written to.
        prediction: Predicted class of each pixel ``(h, w)``.
    """
    import cv2

    cross = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
    edge = (cv2.morphologyEx(prediction, cv2.MORPH_GRADIENT, cross) > 0).view(np.uint8)
    for width in WIDTHS:
        # A boundary of width w is the edge, dilated w / 2 - 1 times.
        outside = 1 - cv2.dilate(edge, cross, iterations=width // 2 - 1)
        total, count = (
            cv2.boxFilter(values, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
            for values in (score * outside, outside)
        )
        score = np.where((outside == 0) & (count > 0), total / np.maximum(count, 1), score)
    return score


def dilated_gaussian(score: NDArray[np.float32], taps: int = 7, dilation: int = 6) -> NDArray[np.float32]:
    """Smooth a map with a Gaussian (sigma one tap) whose taps lie ``dilation`` pixels apart."""
    import cv2

    kernel = np.zeros((taps - 1) * dilation + 1, np.float32)
    kernel[::dilation] = np.exp(-0.5 * (np.arange(taps) - taps // 2) ** 2.0)
    kernel /= kernel.sum()
    return np.asarray(cv2.sepFilter2D(score, -1, kernel, kernel, borderType=cv2.BORDER_REPLICATE), np.float32)
