from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.statistics import (
    POOLED_DRAWS,
    bootstrap_pooled,
    paired_tests,
    resample,
)


def test_a_paired_test_agrees_with_scipy():
    rng = np.random.default_rng(2)
    first = rng.normal(0.1, 0.3, 60)
    (test,) = paired_tests({"a": first, "b": np.zeros(60)}, np.random.default_rng(3), draws=10_000)
    assert (test.first, test.second, test.images) == ("a", "b", 60)
    assert test.p_value == pytest.approx(stats.ttest_1samp(first, 0).pvalue, abs=0.01)
    assert test.difference == pytest.approx(first.mean())
    assert test.interval.low < test.difference < test.interval.high


def test_no_difference_is_no_difference():
    (test,) = paired_tests({"a": np.ones(9), "b": np.ones(9)}, np.random.default_rng(0))
    assert test.p_value == test.p_adjusted == 1.0


def test_few_images_cannot_be_significant():
    # Three images have 2^3 sign patterns: the smallest two-sided p-value is a quarter.
    (test,) = paired_tests({"a": [1, 1, 1], "b": [0, 0, 0]}, np.random.default_rng(0))
    assert test.p_value == pytest.approx(0.25, abs=0.03)


def test_many_pairs_are_adjusted_by_holm():
    rng = np.random.default_rng(7)
    values = {name: rng.normal(mean, 0.3, 40) for name, mean in (("a", 0.3), ("b", 0.2), ("c", 0.0))}
    tests = paired_tests(values, np.random.default_rng(0))
    assert [(t.first, t.second) for t in tests] == [("a", "b"), ("a", "c"), ("b", "c")]
    ordered = sorted(tests, key=lambda t: t.p_value)
    assert ordered[0].p_adjusted == pytest.approx(3 * ordered[0].p_value)
    assert ordered[1].p_adjusted == pytest.approx(max(2 * ordered[1].p_value, ordered[0].p_adjusted))
    assert ordered[2].p_adjusted >= ordered[2].p_value


def test_pooled_intervals_hold_the_value():
    rng = np.random.default_rng(4)
    positives = rng.poisson(np.linspace(1, 20, 32), (20, 32))
    negatives = rng.poisson(np.linspace(200, 20, 32), (20, 32))
    intervals = bootstrap_pooled(
        (positives, negatives), resample(len(positives), np.random.default_rng(5), POOLED_DRAWS)
    )
    exact = stats.mannwhitneyu(
        np.repeat(np.arange(32), positives.sum(0)), np.repeat(np.arange(32), negatives.sum(0))
    ).statistic / (positives.sum() * negatives.sum())
    assert intervals["auroc"].low < exact < intervals["auroc"].high
    assert intervals["auroc"].high - intervals["auroc"].low < 0.1


def test_words_for_nothing_to_measure():
    with pytest.raises(CaosError, match="no images is undefined"):
        resample(0, np.random.default_rng(0))
    with pytest.raises(CaosError, match="same images for all: 1, 2 values"):
        paired_tests({"a": [1], "b": [1, 2]}, np.random.default_rng(0))
    with pytest.raises(CaosError, match="without anomalous or without ordinary"):
        bootstrap_pooled((np.zeros((2, 3), np.int64), np.ones((2, 3), np.int64)), np.full((5, 2), 0.5))
