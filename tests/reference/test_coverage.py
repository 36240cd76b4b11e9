"""How often intervals contain the true metric; ``python -m tests.reference.coverage`` is the long version."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from caos.ood_scores.measuring.statistics import Interval, _student_quantile, jackknife_interval, mean_interval
from tests.reference.coverage import (
    DIFFERENCES,
    PER_IMAGE,
    POOLED,
    Float64,
    paired_coverage,
    per_image_coverage,
    pooled_coverage,
)

DRAWS = 300
"""One standard error of a coverage of 95 % is 1.3 points."""


def percentile_bootstrap(values: Float64) -> Interval:
    """The usual interval, which covers too little: 60 to 90 % where 95 % is said."""
    rng = np.random.default_rng(0)
    means = rng.choice(values, (500, values.size)).mean(axis=1)
    return Interval(*(float(end) for end in np.quantile(means, (0.025, 0.975))))


@pytest.mark.parametrize("images", [8, 15, 30, 100])
@pytest.mark.parametrize("name", ["AUROC, high", "AUROC, fair", "AUPR, low", "AUPR, middling", "FPR95, low"])
def test_intervals_of_means_contain_the_true_mean(name: str, images: int):
    covered, _ = per_image_coverage(PER_IMAGE[name], images, DRAWS)
    assert covered >= 0.93


def test_the_percentile_bootstrap_fails_this_test():
    assert per_image_coverage(PER_IMAGE["AUROC, high"], 8, DRAWS, percentile_bootstrap)[0] < 0.75
    assert per_image_coverage(PER_IMAGE["FPR95, middling"], 8, DRAWS, percentile_bootstrap)[0] < 0.88
    assert per_image_coverage(PER_IMAGE["AUROC, fair"], 30, DRAWS, percentile_bootstrap)[0] < 0.92


@pytest.mark.parametrize("images", [15, 30, 100])
@pytest.mark.parametrize("name", ["easy", "middling", "hard"])
def test_intervals_of_pooled_metrics_contain_the_true_metric(name: str, images: int):
    assert min(covered for covered, _ in pooled_coverage(POOLED[name], images, DRAWS)) >= 0.92


def test_intervals_of_many_images_are_those_of_theory():
    values = np.random.default_rng(0).beta(30, 20, 2000)
    interval = mean_interval(values)
    half = 1.96 * values.std() / np.sqrt(2000)
    assert interval.low == pytest.approx(values.mean() - half, abs=0.05 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.05 * half)
    assert interval.reliable


def test_intervals_widen_with_the_level():
    values = np.random.default_rng(0).beta(8, 1, 40)
    narrow, wide = mean_interval(values, 0.8), mean_interval(values, 0.99)
    assert wide.low < narrow.low < values.mean() < narrow.high < wide.high


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_equal_values_are_not_called_reliable(value: float):
    interval = mean_interval(np.full(50, value))
    assert interval.low <= value <= interval.high
    assert 0 < interval.high - interval.low < 0.01
    assert not interval.reliable


def test_one_image_that_differs_gives_a_finite_interval():
    interval = mean_interval(np.append(np.ones(29), 0.5))
    # Hoeffding's end; that of one failure in thirty (Clopper, Pearson) is a share of failures of 0.17, hence 0.83.
    assert interval.low == pytest.approx(0.834, abs=0.001)
    assert 1 - 1 / 60 < interval.high <= 1
    assert interval.reliable


def test_few_images_are_not_called_reliable():
    values = np.random.default_rng(0).random(20)
    assert mean_interval(values).reliable
    assert not mean_interval(values[:19]).reliable
    assert jackknife_interval(0.5, []) == Interval(0.0, 1.0, reliable=False)
    assert jackknife_interval(0.5, [0.4, 0.6]) == Interval(0.0, 1.0, reliable=False)


def test_a_metric_undefined_without_a_group_has_no_reliable_interval():
    assert jackknife_interval(0.8, [0.7, np.nan, 0.9] * 10) == Interval(0.0, 1.0, reliable=False)


@pytest.mark.parametrize("probability", [0.9, 0.975, 0.99])
def test_quantiles_of_students_t_are_those_of_scipy(probability: float):
    degrees = np.array([3, 4.5, 10, 300])
    found = _student_quantile(float(stats.norm.ppf(probability)), degrees)
    np.testing.assert_allclose(found, stats.t.ppf(probability, degrees), rtol=0.006)


@pytest.mark.parametrize("images", [15, 30, 100])
@pytest.mark.parametrize("name", DIFFERENCES)
def test_paired_differences_are_as_sure_as_they_say(name: str, images: int):
    covered, false_alarms = paired_coverage(DIFFERENCES[name], images, DRAWS)
    assert covered >= 0.92
    assert false_alarms <= 0.08
