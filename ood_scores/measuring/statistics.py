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

Float64 = npt.NDArray[np.float64]
DRAWS = 2000
FLIPS_A_PAIR = 40


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
    below, above = (float(end[0]) for end in _SkewedT.of(influence[:, None]).ends(level))
    low = _inverse_offset_logit(float(centre) + below - max(0.0, bias), offset)
    high = _inverse_offset_logit(float(centre) + above - min(0.0, bias), offset)
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


@dataclass(frozen=True, eq=False)
class _SkewedT:
    """How a mean of skewed numbers is distributed, for one mean or for several ``(k,)``.

    Attributes:
        error: Standard error.
        degrees: Effective degrees of freedom.
        shift: Johnson's correction for skewness in standard errors, to be multiplied by ``1 + 2 z^2``.
    """

    error: Float64
    degrees: Float64
    shift: Float64

    @staticmethod
    def of(numbers: Float64) -> _SkewedT:
        """The distribution of the means of ``numbers`` ``(n, k)``, n of at least two."""
        count = len(numbers)
        centred = numbers - numbers.mean(axis=0)
        variance = np.maximum((centred**2).mean(axis=0), 1e-24)
        kurtosis = (centred**4).mean(axis=0) / variance**2
        skewness = (centred**3).mean(axis=0) / variance**1.5
        degrees = 2 * count / np.maximum(kurtosis - (count - 3) / (count - 1), 1e-9)
        return _SkewedT(
            error=np.sqrt(variance / (count - 1)),
            degrees=np.clip(degrees, FEWEST_DEGREES, max(count - 1, FEWEST_DEGREES)),
            shift=skewness / (6 * np.sqrt(count)),
        )

    def ends(self, level: float) -> tuple[Float64, Float64]:
        """Ends of the interval relative to the mean; skewness widens one side and narrows neither."""
        z = NormalDist().inv_cdf((1 + level) / 2)
        half, tail = _student_quantile(z, self.degrees), self.shift * (1 + 2 * z**2)
        return self.error * (np.minimum(tail, 0) - half), self.error * (np.maximum(tail, 0) + half)

    def p_values(self, means: Float64) -> Float64:
        """Two-sided p-values of a true mean of zero: one minus the level whose interval just contains zero."""
        z = np.linspace(0, 8, 801)[:, None]
        # Zero lies below a positive mean: its lower end counts, which negative skewness moves.
        ends = _student_quantile(z, self.degrees) + np.maximum(-np.sign(means) * self.shift, 0) * (1 + 2 * z**2)
        inside = (ends < np.abs(means) / self.error).sum(axis=0).clip(max=800)
        return np.array([2 * (1 - NormalDist().cdf(float(z[step, 0]))) for step in inside])


def _student_quantile(z: float | Float64, degrees: Float64) -> Float64:
    """Quantiles of Student's t at the probability of a standard normal ``z``, for degrees of freedom from 3 on.

    The Cornish-Fisher expansion (Abramowitz, Stegun 26.7.5), to 0.2 % at a probability of 0.975: scipy is not among the
    packages that measuring needs.
    """
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return np.asarray(sum(term / degrees**power for power, term in enumerate(terms)))


def resample(images: int, rng: np.random.Generator, draws: int = DRAWS) -> Float64:
    """Bootstrap weights ``(draws, images)``: how often each image occurs in each draw, summing to one a draw.

    Raises:
        CaosError: If there is no image.
    """
    if not images:
        raise CaosError("a confidence interval of no images is undefined")
    return rng.multinomial(images, np.full(images, 1.0 / images), size=draws) / images


def pooled_draws(metrics: Float64, weights: Float64) -> Float64:
    """Pooled metrics of resampled groups of images ``(metrics, draws)``, to first order.

    Each group moves a metric by its influence, which the metric without it tells (the infinitesimal jackknife: Efron,
    The Jackknife, the Bootstrap and Other Resampling Plans, 1982, ch. 6). A group without which a metric is undefined
    moves it by nothing.

    Args:
        metrics: Shares of all images and, beside them, those without each group ``(metrics, 1 + groups)``.
        weights: Of the groups in each draw ``(draws, groups)``, as :func:`resample` gives them.
    """
    estimate, without = metrics[:, :1], metrics[:, 1:]
    groups = without.shape[1]
    influence = np.nan_to_num((groups - 1) * (estimate - without))
    return np.asarray(np.clip(estimate + influence @ (weights - 1 / groups).T, 0.0, 1.0))


@dataclass(frozen=True)
class PairedTest:
    """Difference of two scorers on the same images.

    Attributes:
        first: Name of one scorer.
        second: Name of the other.
        difference: Mean of first minus second.
        interval: 95 % interval of that mean, t with corrections for skewness and kurtosis; see :class:`_SkewedT`.
        p_value: Two-sided, of a mean difference of zero: the larger of that of random sign flips and that of the
            interval. Sign flips alone find a difference too often where differences are skewed.
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
        rng: Source of the sign flips, which all pairs share.
        draws: The least number of sign flips.
        against: Only the pairs of this one, the first of each, with the others.

    Raises:
        CaosError: If the scorers do not have the same images, or there are none.
    """
    columns = [np.asarray(column, np.float64) for column in values.values()]
    sizes = {column.size for column in columns}
    if len(sizes) > 1:
        raise CaosError(f"a paired test needs the same images for all: {', '.join(map(str, sorted(sizes)))} values")
    names, images = list(values), columns[0].size if columns else 0
    if not images:
        raise CaosError("a paired test of no images is undefined")
    pairs = list(itertools.combinations(range(len(names)), 2))
    if against is not None:
        pairs = [(names.index(against), other) for other, name in enumerate(names) if name != against]
    if not pairs:
        return []
    differences = np.stack([columns[i] - columns[j] for i, j in pairs], axis=1)
    # With few flips and many pairs no adjusted p-value could fall below 0.05, however different two scorers are.
    flipped = _sign_flips(differences, rng, max(draws, FLIPS_A_PAIR * len(pairs)))
    means = differences.mean(axis=0)
    intervals, p_values = _of_differences(differences, means)
    p_values = np.maximum(p_values, flipped)
    adjusted = holm(p_values)
    return [
        PairedTest(names[i], names[j], float(means[k]), intervals[k], float(p_values[k]), float(adjusted[k]), images)
        for k, (i, j) in enumerate(pairs)
    ]


def difference_interval(differences: npt.ArrayLike) -> Interval:
    """95 % interval of the mean of differences of numbers in [0, 1], one per image.

    Raises:
        CaosError: If there is none.
    """
    numbers = np.asarray(differences, np.float64)
    if not numbers.size:
        raise CaosError("a confidence interval of no images is undefined")
    return _of_differences(numbers[:, None], numbers[None].mean(axis=1))[0][0]


def _of_differences(differences: Float64, means: Float64) -> tuple[list[Interval], Float64]:
    """95 % intervals of mean differences of numbers in [0, 1], and p-values of a mean of zero, one a column."""
    images = len(differences)
    if images < 2:
        return [Interval(-1.0, 1.0, reliable=False)] * means.size, np.ones(means.size)
    distribution = _SkewedT.of(differences)
    low, high = (np.clip(means + end, -1.0, 1.0) for end in distribution.ends(0.95))
    reliable = (np.ptp(differences, axis=0) > 1e-12) & (images >= FEWEST_IMAGES)
    intervals = [Interval(*ends) for ends in zip(low.tolist(), high.tolist(), reliable.tolist(), strict=True)]
    return intervals, distribution.p_values(means)


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
