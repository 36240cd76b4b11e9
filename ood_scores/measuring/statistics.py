"""How sure the numbers are: bootstrap intervals over images, and paired tests between two scorers.

The image is the unit: the pixels of one image are not independent of each other, so resampling pixels would promise far
too much.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.machine_code import compiled

Float64 = npt.NDArray[np.float64]
DRAWS = 2000
POOLED_DRAWS = 500
FLIPS_A_PAIR = 40
DRAWS_AT_ONCE = 10
"""Of pooled counts: what is computed on the way stays in the cache, and linear algebra on one thread."""


FEWEST_IMAGES = 20
"""Of an interval that is called reliable: fewer may all lack the failures that occur in one image of ten."""
FEWEST_DEGREES = 3.0
"""Of freedom; where one image alone makes the variance, there are hardly more."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
        reliable: False where the stated level is not to be relied on: fewer than ``FEWEST_IMAGES`` images, or no
            variation between them.
    """

    low: float
    high: float
    reliable: bool = True


def jackknife_interval(estimate: float, leave_one_out: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Confidence interval of a metric in [0, 1] by leaving out one image, or one group of images, at a time.

    A jackknife-t interval on the logit scale (Efron, Tibshirani: An Introduction to the Bootstrap, 1993, ch. 11), with
    what metrics of few and unequal images need: degrees of freedom by Satterthwaite from the kurtosis of the images'
    influence, Johnson's correction for their skewness (JASA 1978), and the jackknife's estimate of bias. The last two
    only widen. No sample shows the images that it lacks: a share ``(2 / n)^2`` of images at the worst (best) value is
    allowed for. ``python -m tests.reference.coverage`` prints how often the interval contains the true value.

    Args:
        estimate: The metric of all images, in [0, 1].
        leave_one_out: The metric without each image or group ``(n,)``; NaN where it is undefined.
        level: Nominal coverage.
    """
    without = np.asarray(leave_one_out, np.float64)
    count = without.size
    if count < 2 or not np.isfinite(without).all() or not np.isfinite(estimate):
        return Interval(0.0, 1.0, reliable=False)
    # Offsets keep the logit finite where the metric is 0 or 1 for all images but one.
    offset = 1 / count**2
    centre = _offset_logit(np.float64(estimate), offset)
    changed = _offset_logit(without, offset)
    influence = (count - 1) * (changed.mean() - changed)
    bias = (count - 1) * float(changed.mean() - centre)
    low, high = _skewed_t(influence, level)
    low, high = (
        _inverse_offset_logit(float(centre) + end, offset) for end in (low - max(0.0, bias), high - min(0.0, bias))
    )
    unseen = min(1.0, (2 / count) ** 2)
    varies = bool(np.ptp(without) > 1e-12)
    return Interval(low * (1 - unseen), high + (1 - high) * unseen, varies and count >= FEWEST_IMAGES)


def mean_interval(values: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Confidence interval of the mean of one number in [0, 1] per image.

    That of :func:`jackknife_interval`, or Hoeffding's where it is narrower: with one image that differs from all others
    the jackknife excludes nothing, but a mean of n numbers in [0, 1] cannot be that far off (JASA 1963, theorem 1).

    Raises:
        CaosError: If there is no value.
    """
    numbers = np.asarray(values, np.float64)
    if not numbers.size:
        raise CaosError("a confidence interval of no images is undefined")
    mean = float(np.clip(numbers.mean(), 0.0, 1.0))
    without = (numbers.sum() - numbers) / (numbers.size - 1) if numbers.size > 1 else np.empty(0)
    interval = jackknife_interval(mean, np.clip(without, 0.0, 1.0), level)
    divergence = np.log(2 / (1 - level)) / numbers.size
    low, high = 1 - _highest_mean(1 - mean, divergence), _highest_mean(mean, divergence)
    return Interval(max(interval.low, low), min(interval.high, high), interval.reliable)


def _highest_mean(mean: float, divergence: float) -> float:
    """The highest probability whose Bernoulli distribution is within ``divergence`` (nats) of that of ``mean``."""
    low, high = mean, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        gained = mean * np.log(mean / middle) if mean else 0.0
        lost = (1 - mean) * np.log((1 - mean) / (1 - middle)) if middle < 1 else np.inf
        low, high = (middle, high) if gained + lost <= divergence else (low, middle)
    return high


def _offset_logit(shares: Float64 | np.float64, offset: float) -> Float64:
    return np.asarray(np.log((shares + offset) / (1 - shares + offset)))


def _inverse_offset_logit(value: float, offset: float) -> float:
    share = 1 / (1 + np.exp(-value))
    return float(np.clip(share * (1 + 2 * offset) - offset, 0.0, 1.0))


def _skewed_t(influence: Float64, level: float) -> tuple[float, float]:
    """Ends of the interval of a mean of ``influence`` (n,), relative to that mean."""
    count = influence.size
    centred = influence - influence.mean()
    variance = float((centred**2).mean())
    if variance <= 1e-24:
        return 0.0, 0.0
    kurtosis = float((centred**4).mean()) / variance**2
    skewness = float((centred**3).mean()) / variance**1.5
    degrees = 2 * count / max(kurtosis - (count - 3) / (count - 1), 1e-9)
    error = float(np.sqrt(variance / (count - 1)))
    half = error * _student_quantile((1 + level) / 2, min(max(degrees, FEWEST_DEGREES), max(count - 1, FEWEST_DEGREES)))
    normal = NormalDist().inv_cdf((1 + level) / 2)
    tail = error * skewness * (1 + 2 * normal**2) / (6 * np.sqrt(count))
    return -half + min(0.0, tail), half + max(0.0, tail)


def _student_quantile(probability: float, degrees: float) -> float:
    """Quantile of Student's t for any degrees of freedom from 3 on, to 0.2 % at a probability of 0.975.

    The Cornish-Fisher expansion (Abramowitz, Stegun 26.7.5): scipy is not among the packages that measuring needs.
    """
    z = NormalDist().inv_cdf(probability)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / degrees**power for power, term in enumerate(terms))


def resample(images: int, rng: np.random.Generator, draws: int = DRAWS) -> Float64:
    """Bootstrap weights ``(draws, images)``: how often each image occurs in each draw, summing to one a draw.

    Raises:
        CaosError: If there is no image.
    """
    if not images:
        raise CaosError("a confidence interval of no images is undefined")
    return rng.multinomial(images, np.full(images, 1.0 / images), size=draws) / images


def bootstrap_interval(values: npt.ArrayLike, weights: Float64, confidence: float = 0.95) -> Interval:
    """Percentile bootstrap interval of the mean of one number per image, by the weights of :func:`resample`."""
    return _percentiles(weights @ np.asarray(values, np.float64), confidence)


def bootstrap_pooled(
    groups: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], weights: Float64, confidence: float = 0.95
) -> dict[str, Interval]:
    """Intervals of pooled AUROC, AUPR and FPR95 by resampling groups of images.

    Args:
        groups: Anomalous and ordinary pixels ``(groups, cells)`` by score cell, ascending; a group is one image where
            there are few, else a fixed share of all images.
        weights: Of the groups, by :func:`resample`.
        confidence: Share of the draws inside the interval.

    Raises:
        CaosError: If one kind of pixel is missing.
    """
    if not groups[0].sum() or not groups[1].sum():
        raise CaosError("a confidence interval without anomalous or without ordinary pixels is undefined")
    # A draw may hold no hazard at all; it says nothing about the metric and is left out.
    numbers = pooled_draws(groups, weights)
    return {name: _percentiles(values[np.isfinite(values)], confidence) for name, values in numbers.items()}


def pooled_draws(groups: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], weights: Float64) -> dict[str, Float64]:
    """Pooled AUROC, AUPR and FPR95 of each draw of groups; NaN where a draw holds one kind of pixel only.

    Args:
        groups: As for :func:`bootstrap_pooled`.
        weights: How often each group occurs in each draw, as :func:`resample` gives it.
    """
    counts = np.rint(weights * groups[0].shape[0])
    # Between two cells with anomalous pixels no metric has a step: what is ordinary there counts as one cell.
    has_positives = groups[0].sum(axis=0) > 0
    starts = np.flatnonzero(has_positives | np.append(True, has_positives[:-1]))
    positives, negatives = (np.add.reduceat(part, starts, axis=1).astype(np.float64)[:, ::-1] for part in groups)
    numbers = np.full((3, len(counts)), np.nan)
    for start in range(0, len(counts), DRAWS_AT_ONCE):
        drawn = counts[start : start + DRAWS_AT_ONCE]
        _measure_draws(drawn @ positives, drawn @ negatives, numbers[:, start : start + DRAWS_AT_ONCE])
    return dict(zip(("auroc", "aupr", "fpr95"), numbers, strict=True))


@compiled
def _measure_draws(positives: Float64, negatives: Float64, numbers: Float64) -> None:
    """Write AUROC, AUPR and FPR95 of draws that hold both kinds of pixel.

    Args:
        positives: Anomalous pixels ``(draws, cells)``, the highest score first.
        negatives: The same of ordinary ones.
        numbers: ``(3, draws)``.
    """
    for draw in range(len(positives)):
        all_true, all_false = positives[draw].sum(), negatives[draw].sum()
        if not all_true or not all_false:
            continue
        true, false, pairs, precisions, false_at = 0.0, 0.0, 0.0, 0.0, -1.0
        for cell in range(positives.shape[1]):
            gained, added = positives[draw, cell], negatives[draw, cell]
            true += gained
            false += added
            if gained:
                pairs += gained * (all_false - false + added / 2)
                precisions += gained * true / (true + false)
            if false_at < 0 and true >= 0.95 * all_true:
                false_at = false
        numbers[0, draw] = pairs / (all_true * all_false)
        numbers[1, draw] = precisions / all_true
        numbers[2, draw] = false_at / all_false


def _percentiles(samples: Float64, confidence: float) -> Interval:
    low, high = np.quantile(samples, _tails(confidence))
    return Interval(float(low), float(high))


def _tails(confidence: float) -> tuple[float, float]:
    return (1 - confidence) / 2, 1 - (1 - confidence) / 2


@dataclass(frozen=True)
class PairedTest:
    """Difference of two scorers on the same images.

    Attributes:
        first: Name of one scorer.
        second: Name of the other.
        difference: Mean of first minus second.
        interval: Bootstrap interval of that mean.
        p_value: Two-sided sign-flip permutation test of a mean difference of zero.
        p_adjusted: The same, adjusted for the number of pairs (Holm).
        images: Number of images both were measured on.
    """

    first: str
    second: str
    difference: float
    interval: Interval
    p_value: float
    p_adjusted: float
    images: int


def paired_tests(
    values: Mapping[str, npt.ArrayLike], rng: np.random.Generator, draws: int = DRAWS, against: str | None = None
) -> list[PairedTest]:
    """Whether one scorer beats another beyond chance, for every pair in the order given.

    Args:
        values: One number per image, images in the same order, by scorer.
        rng: Source of the draws, which all pairs share.
        draws: Number of bootstrap draws, and the least number of sign flips.
        against: Only the pairs of this one, the first of each, with the others.

    Raises:
        CaosError: If the scorers do not have the same images, or there are none.
    """
    columns = [np.asarray(column, np.float64) for column in values.values()]
    sizes = {column.size for column in columns}
    if len(sizes) > 1:
        raise CaosError(f"a paired test needs the same images for all: {', '.join(map(str, sorted(sizes)))} values")
    names, images = list(values), columns[0].size if columns else 0
    weights = resample(images, rng, draws)
    pairs = list(itertools.combinations(range(len(names)), 2))
    if against is not None:
        pairs = [(names.index(against), other) for other, name in enumerate(names) if name != against]
    if not pairs:
        return []
    differences = np.stack([columns[i] - columns[j] for i, j in pairs], axis=1)
    # With few flips and many pairs no adjusted p-value could fall below 0.05, however different two scorers are.
    p_values = _sign_flips(differences, rng, max(draws, FLIPS_A_PAIR * len(pairs)))
    adjusted = holm(p_values)
    low, high = np.quantile(weights @ differences, _tails(0.95), axis=0)
    return [
        PairedTest(
            names[i],
            names[j],
            float(differences[:, k].mean()),
            Interval(float(low[k]), float(high[k])),
            float(p_values[k]),
            float(adjusted[k]),
            images,
        )
        for k, (i, j) in enumerate(pairs)
    ]


def _sign_flips(differences: Float64, rng: np.random.Generator, draws: int) -> Float64:
    """p-values of mean differences of zero, one a column: how often random signs give as large a mean."""
    images = len(differences)
    observed = np.abs(differences.mean(axis=0)) - 1e-12
    extreme = np.zeros(differences.shape[1])
    chunk = max(1, 1_000_000 // images)
    for start in range(0, draws, chunk):
        number = min(chunk, draws - start)
        signs = rng.integers(0, 2, (number, images)).astype(np.float64) * 2 - 1
        extreme += (np.abs(signs @ differences / images) >= observed).sum(axis=0)
    # The observed arrangement is one of the possible ones, hence + 1: a p-value is never zero.
    return (extreme + 1) / (draws + 1)


def holm(p_values: Float64) -> Float64:
    """p-values adjusted for their number, so that one in twenty such families has a false alarm at 0.05."""
    order = np.argsort(p_values)
    steps = p_values[order] * np.arange(p_values.size, 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
