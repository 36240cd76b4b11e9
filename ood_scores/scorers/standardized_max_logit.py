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

from caos.foundation.machine_code import compiled
from caos.ood_scores.scorer import FitData, FittedScorer, Outputs

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
        if maximum.device.type != "cpu":
            predicted = prediction.long()
            return (self._mean.to(maximum.device)[predicted] - maximum) / self._std.to(maximum.device)[predicted]
        score = np.empty(maximum.shape, np.float32)
        top, classes = (part.contiguous().numpy().ravel() for part in (maximum, prediction))
        _standardize(top, classes, self._mean.numpy(), self._std.numpy(), score.ravel())
        return torch.from_numpy(score)


@compiled
def _standardize(
    maximum: NDArray[np.float32],
    prediction: NDArray[np.uint8],
    mean: NDArray[np.float32],
    std: NDArray[np.float32],
    score: NDArray[np.float32],
) -> None:
    for i in range(len(score)):
        score[i] = (mean[prediction[i]] - maximum[i]) / std[prediction[i]]


def _cleaned(score: Tensor, prediction: Tensor) -> Tensor:
    suppressed = suppress_boundaries(score.cpu().numpy(), prediction.cpu().numpy())
    return torch.from_numpy(dilated_gaussian(suppressed)).to(score.device)


def suppress_boundaries(score: NDArray[np.float32], prediction: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The score map with pixels near a change of class replaced, from the outside in, by their neighbours' mean."""
    import cv2

    cross = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
    edge = (cv2.morphologyEx(prediction, cv2.MORPH_GRADIENT, cross) > 0).view(np.uint8)
    if not edge.any():
        return score
    # What a boundary of a width covers: the edge, grown by a pixel for every further two.
    covered = {2: edge}
    for width in sorted(WIDTHS)[1:]:
        covered[width] = np.asarray(cv2.dilate(covered[width - 2], cross), np.uint8)
    score, kept, total = score.copy(), np.empty_like(score), np.empty_like(score)
    for width in WIDTHS:
        outside = 1 - covered[width]
        np.multiply(score, outside, out=kept)
        cv2.boxFilter(kept, -1, (3, 3), total, normalize=False, borderType=cv2.BORDER_CONSTANT)
        count = cv2.boxFilter(outside, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
        _take_means(score.ravel(), outside.ravel(), total.ravel(), np.asarray(count, np.uint8).ravel())
    return score


@compiled
def _take_means(
    score: NDArray[np.float32], outside: NDArray[np.uint8], total: NDArray[np.float32], count: NDArray[np.uint8]
) -> None:
    """Give pixels that are not outside the mean of their neighbours that are, where there are such."""
    for i in range(score.size):
        if not outside[i] and count[i]:
            score[i] = total[i] / np.float32(count[i])


def dilated_gaussian(score: NDArray[np.float32], taps: int = 7, dilation: int = 6) -> NDArray[np.float32]:
    """Smooth with a Gaussian (sigma one tap) whose taps lie ``dilation`` pixels apart."""
    weights = np.exp(-0.5 * (np.arange(taps) - taps // 2) ** 2.0)
    weights = (weights / weights.sum()).astype(np.float32)
    border = taps // 2 * dilation
    across = np.empty((len(score) + 2 * border, score.shape[1]), np.float32)
    _blur(np.pad(score, border, mode="edge"), weights, 0, dilation, across)
    smooth = np.empty(score.shape, np.float32)
    _blur(across, weights, dilation, 0, smooth)
    return smooth


@compiled
def _blur(
    score: NDArray[np.float32], weights: NDArray[np.float32], down: int, right: int, blurred: NDArray[np.float32]
) -> None:
    """Write the weighted sums of values that lie so many rows or columns apart."""
    for y in range(len(blurred)):
        row = blurred[y]
        row[:] = 0
        for tap in range(len(weights)):
            weight, own = weights[tap], score[y + tap * down, tap * right : tap * right + len(row)]
            for x in range(len(row)):
                row[x] += weight * own[x]
