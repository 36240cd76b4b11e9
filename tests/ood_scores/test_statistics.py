from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.statistics import (
    paired_tests,
    pooled_draws,
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


def test_pooled_draws_are_those_of_a_mean_where_the_metric_is_one():
    values = np.random.default_rng(4).uniform(0.2, 0.8, (2, 20))
    without = (values.sum(axis=1, keepdims=True) - values) / 19
    weights = resample(20, np.random.default_rng(5), 300)
    drawn = pooled_draws(np.column_stack([values.mean(axis=1), without]), weights)
    np.testing.assert_allclose(drawn, values @ weights.T)
    undefined = np.array([[0.5, np.nan, 0.4, 0.6]])
    assert pooled_draws(undefined, np.array([[1.0, 0, 0], [0, 1.0, 0]])).tolist() == [pytest.approx([0.5, 0.7])]


def test_words_for_nothing_to_measure():
    with pytest.raises(CaosError, match="no images is undefined"):
        resample(0, np.random.default_rng(0))
    with pytest.raises(CaosError, match="same images for all: 1, 2 values"):
        paired_tests({"a": [1], "b": [1, 2]}, np.random.default_rng(0))
