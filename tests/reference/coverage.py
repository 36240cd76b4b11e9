"""Coverage of the confidence intervals of metrics, by simulation: ``python -m tests.reference.coverage``.

Draws many test sets from populations of images whose true metric is known, and counts how often the nominal 95 %
interval contains it. Two kinds of metric are simulated: means over images of one number per image, and metrics of
pooled pixels of images that differ in difficulty and in size of the hazard.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.statistics import Interval, jackknife_interval, mean_interval, paired_tests

Float64 = npt.NDArray[np.float64]
METRICS = ("AUROC", "AUPR", "FPR95")
SIZES = (8, 15, 30, 100, 300)
MOST_GROUPS = 32
CELLS = 200


def _logistic(values: Float64) -> Float64:
    return 1 / (1 + np.exp(-values))


def _logistic_normal(mean: float, deviation: float) -> Callable[[np.random.Generator, int], Float64]:
    return lambda rng, number: _logistic(mean + deviation * rng.standard_normal(number))


def _beta(a: float, b: float) -> Callable[[np.random.Generator, int], Float64]:
    return lambda rng, number: rng.beta(a, b, number)


def _some_fail(rng: np.random.Generator, number: int) -> Float64:
    """AUROC near 0.98, but in a tenth of the images anything from 0.2 to 0.8."""
    usual = _logistic(4 + rng.standard_normal(number))
    return np.where(rng.random(number) < 0.1, rng.uniform(0.2, 0.8, number), usual)


PER_IMAGE: Mapping[str, Callable[[np.random.Generator, int], Float64]] = {
    "AUROC, fair": _logistic_normal(3, 1.5),
    "AUROC, high": _logistic_normal(5, 2),
    "AUROC, even": _beta(8, 1),
    "AUROC, one in ten fails": _some_fail,
    "AUPR, low": _logistic_normal(-3, 1.5),
    "AUPR, middling": _logistic_normal(-1, 2),
    "AUPR, all or nothing": _logistic_normal(0, 3),
    "AUPR, mostly near zero": _beta(0.5, 2),
    "FPR95, low": _logistic_normal(-4, 2),
    "FPR95, middling": _logistic_normal(-2, 2),
    "FPR95, mostly near zero": _beta(0.3, 1),
    "FPR95, all or nothing": _logistic_normal(0, 3),
}


@dataclass(frozen=True)
class Difference:
    """Two scorers measured on the same images, whose difficulty both share.

    Attributes:
        first: Mean of the logit of the first one's metric, effect of an image's difficulty on it, own spread.
        second: The same of the second one.
    """

    first: tuple[float, float, float]
    second: tuple[float, float, float]

    def __call__(self, rng: np.random.Generator, number: int) -> Float64:
        """Draw so many differences."""
        difficulty = rng.standard_normal(number)
        first, second = (
            _logistic(mean + effect * difficulty + own * rng.standard_normal(number))
            for mean, effect, own in (self.first, self.second)
        )
        return first - second


DIFFERENCES: Mapping[str, Difference] = {
    "AUROC, equal": Difference((3, 1.2, 0.5), (3, 1.2, 0.5)),
    "AUROC, one better": Difference((3.5, 1.2, 0.5), (2.5, 1.5, 0.8)),
    "FPR95, one better": Difference((-2, 2, 1), (-3, 2, 1)),
    "AUPR, one better": Difference((-1, 2, 1), (-2, 1.5, 0.5)),
}


@dataclass(frozen=True)
class Pooled:
    """A population of images, their scores normal within each image and kind of pixel.

    Attributes:
        hazard: Mean score of hazards; ordinary pixels have 0.
        hazard_spread: Standard deviation of that mean between images.
        ordinary_spread: The same of ordinary pixels.
        size_spread: Standard deviation of the logarithm of the hazard's area.
        ordinary_size_spread: The same of the number of ordinary pixels.
    """

    hazard: float
    hazard_spread: float
    ordinary_spread: float
    size_spread: float
    ordinary_size_spread: float

    def images(self, rng: np.random.Generator, number: int) -> tuple[Float64, Float64]:
        """Pixels of hazards and of ordinary things ``(number, CELLS)`` by score, the highest score first."""
        hazards = _histograms(
            rng, self.hazard + self.hazard_spread * rng.standard_normal(number), 2.0, self.size_spread
        )
        return hazards, _histograms(
            rng, self.ordinary_spread * rng.standard_normal(number), 100.0, self.ordinary_size_spread
        )


POOLED: Mapping[str, Pooled] = {
    "easy": Pooled(4, 1.0, 0.4, 0.7, 0.2),
    "middling": Pooled(2.5, 1.0, 0.5, 1.0, 0.3),
    "hard": Pooled(1.5, 1.0, 0.5, 1.0, 0.3),
    "sizes differ much": Pooled(3, 1.5, 0.8, 1.5, 0.5),
}


def _histograms(rng: np.random.Generator, means: Float64, typical: float, size_spread: float) -> Float64:
    number = len(means)
    scales = np.exp(0.2 * rng.standard_normal(number))
    sizes = typical * np.exp(size_spread * rng.standard_normal(number))
    edges = np.linspace(-6, 10, CELLS + 1)[1:-1]
    # The logistic approximation of the normal distribution function: its exact shape does not matter here.
    below = _logistic(1.702 * (edges - means[:, None]) / scales[:, None])
    shares = np.diff(below, axis=1, prepend=0.0, append=1.0)
    return (shares * sizes[:, None])[:, ::-1]


def pooled_metrics(positives: Float64, negatives: Float64) -> Float64:
    """AUROC, AUPR and FPR95 ``(3, ...)`` of counts ``(..., CELLS)``, the highest score first."""
    true, false = positives.cumsum(axis=-1), negatives.cumsum(axis=-1)
    all_true, all_false = true[..., -1:], false[..., -1:]
    auroc = (positives * (all_false - false + negatives / 2)).sum(axis=-1) / (all_true * all_false)[..., 0]
    aupr = (positives * true / np.maximum(true + false, 1e-300)).sum(axis=-1) / all_true[..., 0]
    at = np.argmax(true >= 0.95 * all_true, axis=-1)[..., None]
    return np.stack([auroc, aupr, np.take_along_axis(false, at, -1)[..., 0] / all_false[..., 0]])


def per_image_coverage(
    population: Callable[[np.random.Generator, int], Float64],
    images: int,
    draws: int,
    method: Callable[[Float64], Interval] = mean_interval,
) -> tuple[float, float]:
    """Share of intervals of the mean that contain the true mean, and their mean width."""
    truth = float(population(np.random.default_rng(1), 2_000_000).mean())
    rng = np.random.default_rng([2, images])
    return _summary([method(population(rng, images)) for _ in range(draws)], truth)


def paired_coverage(population: Difference, images: int, draws: int) -> tuple[float, float]:
    """Share of intervals of the mean difference that contain it; share of p-values of at most 0.05 where it is zero."""
    truth = float(population(np.random.default_rng(1), 2_000_000).mean())
    rng = np.random.default_rng([5, images])
    nothing, covered, alarms = np.zeros(images), 0, 0
    for _ in range(draws):
        (test,) = paired_tests({"a": population(rng, images) - truth, "b": nothing}, rng, draws=500)
        covered += test.interval.low <= 0 <= test.interval.high
        alarms += test.p_value <= 0.05
    return covered / draws, alarms / draws


def pooled_coverage(population: Pooled, images: int, draws: int) -> list[tuple[float, float]]:
    """As :func:`per_image_coverage` for pooled AUROC, AUPR and FPR95, leaving out one of up to 32 groups at a time."""
    truth = _pooled_truth(population)
    rng = np.random.default_rng([3, images])
    starts = np.unique(np.arange(min(images, MOST_GROUPS)) * images // min(images, MOST_GROUPS))
    intervals: list[list[Interval]] = [[], [], []]
    for _ in range(draws):
        positives, negatives = (np.add.reduceat(part, starts) for part in population.images(rng, images))
        all_positives, all_negatives = positives.sum(axis=0), negatives.sum(axis=0)
        estimates = pooled_metrics(all_positives, all_negatives)
        without = pooled_metrics(all_positives - positives, all_negatives - negatives)
        for metric in range(3):
            intervals[metric].append(jackknife_interval(float(estimates[metric]), without[metric]))
    return [_summary(found, float(value)) for found, value in zip(intervals, truth, strict=True)]


def _pooled_truth(population: Pooled) -> Float64:
    rng = np.random.default_rng(4)
    parts = [[part.sum(axis=0) for part in population.images(rng, 10_000)] for _ in range(10)]
    return pooled_metrics(sum(part[0] for part in parts), sum(part[1] for part in parts))


def _summary(intervals: list[Interval], truth: float) -> tuple[float, float]:
    covered = [interval.low <= truth <= interval.high for interval in intervals]
    return float(np.mean(covered)), float(np.mean([interval.high - interval.low for interval in intervals]))


def main() -> None:
    """Print coverage and mean width, both in percent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000, help="test sets drawn for each row and number of images")
    draws = parser.parse_args().draws
    print(f"coverage (mean width) in percent, nominal 95; {draws} draws\n")
    print(f"{'images':32}" + "".join(f"{size:>16}" for size in SIZES))
    for name, population in PER_IMAGE.items():
        _row(f"mean {name}", [per_image_coverage(population, size, draws) for size in SIZES])
    for name, pooled in POOLED.items():
        columns = [pooled_coverage(pooled, size, draws) for size in SIZES]
        for metric, title in enumerate(METRICS):
            _row(f"pooled {title}, {name}", [column[metric] for column in columns])

    print("\npaired differences: coverage (false alarms at 0.05) in percent")
    for name, difference in DIFFERENCES.items():
        _row(f"difference {name}", [paired_coverage(difference, size, draws) for size in SIZES])


def _row(title: str, cells: list[tuple[float, float]]) -> None:
    print(f"{title:32}" + "".join(f"{100 * covered:9.1f} ({100 * width:4.1f})" for covered, width in cells), flush=True)


if __name__ == "__main__":
    main()
