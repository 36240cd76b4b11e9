from __future__ import annotations

import pytest

from ood_scores.bench import bench_scoring


@pytest.mark.slow
def test_the_bench_measures_every_scorer_a_run_can_feed():
    # Whether the costs keep their limits is for `make bench`: a busy machine must not fail the tests.
    found = bench_scoring(repeats=1)
    assert found["limit"] == pytest.approx(1.15 * found["forward"] + 0.03 * found["number"])
    assert {"msp", "max_logit", "mc_dropout", "knn", "mahalanobis"} <= set(found["scorers"])
    assert all(cost > 0 for cost in found["scorers"].values())
