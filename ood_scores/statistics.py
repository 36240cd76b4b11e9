"""How sure the numbers are: bootstrap intervals over images, and paired tests between two scorers.

The image is the unit: the pixels of one image are not independent of each other, so resampling pixels would promise far
too much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from foundation.errors import CaosError

Float64 = npt.NDArray[np.float64]
DRAWS = 2000


@dataclass(frozen=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float


def bootstrap_interval(
    values: npt.ArrayLike, rng: np.random.Generator, confidence: float = 0.95, draws: int = DRAWS
) -> Interval:
    """Percentile bootstrap interval of the mean of one number an image.

    Raises:
        CaosError: If there is no value.
    """
    numbers = np.asarray(values, np.float64)
    if not numbers.size:
        raise CaosError("a confidence interval of no images is undefined")
    # Drawing how often each image occurs, instead of which, keeps the memory at draws x images of one byte-sized count.
    weights = rng.multinomial(numbers.size, np.full(numbers.size, 1.0 / numbers.size), size=draws)
    return _percentiles(weights @ numbers / numbers.size, confidence)


def bootstrap_pooled(
    groups: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    rng: np.random.Generator,
    confidence: float = 0.95,
    draws: int = 500,
) -> dict[str, Interval]:
    """Intervals of pooled AUROC, AUPR and FPR95 by resampling groups of images.

    Args:
        groups: Anomalous and ordinary pixels ``(groups, cells)`` by score cell, ascending; a group is one image where
            there are few, else a fixed share of all images.
        rng: Source of the draws.
        confidence: Share of the draws inside the interval.
        draws: How many sets are drawn.

    Raises:
        CaosError: If one kind of pixel is missing.
    """
    positives, negatives = (part.astype(np.float64) for part in groups)
    if not positives.sum() or not negatives.sum():
        raise CaosError("a confidence interval without anomalous or without ordinary pixels is undefined")
    size = positives.shape[0]
    weights = rng.multinomial(size, np.full(size, 1.0 / size), size=draws).astype(np.float64)
    # A draw may hold no hazard at all; it says nothing about the metric and is left out.
    weights = weights[(weights @ positives.sum(axis=1) > 0) & (weights @ negatives.sum(axis=1) > 0)]
    samples = np.array([_pooled_numbers(w @ positives, w @ negatives) for w in weights])
    names = ("auroc", "aupr", "fpr95")
    return {name: _percentiles(samples[:, i], confidence) for i, name in enumerate(names)}


def _pooled_numbers(positives: Float64, negatives: Float64) -> tuple[float, float, float]:
    true, false = np.cumsum(positives[::-1]), np.cumsum(negatives[::-1])
    gained = positives[::-1]
    below = false[-1] - false + negatives[::-1] / 2
    auroc = float(gained @ below / (true[-1] * false[-1]))
    aupr = float(gained @ (true / np.maximum(true + false, 1)) / true[-1])
    return auroc, aupr, float(false[int(np.argmax(true >= 0.95 * true[-1]))] / false[-1])


def _percentiles(samples: Float64, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    return Interval(float(low), float(high))


@dataclass(frozen=True)
class PairedTest:
    """Difference of two scorers on the same images.

    Attributes:
        difference: Mean of first minus second.
        interval: Bootstrap interval of that mean.
        p_value: Two-sided sign-flip permutation test of a mean difference of zero.
        images: Number of images both were measured on.
    """

    difference: float
    interval: Interval
    p_value: float
    images: int


def paired_test(
    first: npt.ArrayLike, second: npt.ArrayLike, rng: np.random.Generator, draws: int = 10_000
) -> PairedTest:
    """Whether one scorer beats another beyond chance, from one number an image for each, in the same order.

    Raises:
        CaosError: If the two do not have the same images or there are none.
    """
    one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if one.shape != two.shape or not one.size:
        raise CaosError(f"a paired test needs the same images for both: {one.size} and {two.size} values")
    difference = one - two
    flips = _flipped_means(difference, rng, draws)
    observed = float(difference.mean())
    # The observed arrangement is one of the possible ones, hence + 1: a p-value is never zero.
    extreme = int(np.count_nonzero(np.abs(flips) >= abs(observed) - 1e-12))
    return PairedTest(
        observed, bootstrap_interval(difference, rng), (extreme + 1) / (flips.size + 1), int(difference.size)
    )


def _flipped_means(difference: Float64, rng: np.random.Generator, draws: int) -> Float64:
    means = np.empty(draws)
    chunk = max(1, 4_000_000 // difference.size)
    for start in range(0, draws, chunk):
        stop = min(start + chunk, draws)
        signs = rng.integers(0, 2, (stop - start, difference.size), dtype=np.int8) * 2 - 1
        means[start:stop] = signs @ difference / difference.size
    return means
