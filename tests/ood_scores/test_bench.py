from __future__ import annotations

import pytest

from caos.ood_scores.bench import bench_scoring


@pytest.mark.slow
def test_scoring_costs_what_is_promised():
    found = bench_scoring(repeats=3)
    assert found["limit"] == pytest.approx(1.15 * found["forward"] + 0.03 * found["number"])
    assert {"msp", "max_logit", "mc_dropout", "knn", "mahalanobis"} <= set(found["scorers"])
    assert all(cost > 0 for cost in found["scorers"].values())
    assert found["logit_scorers"] <= found["limit"], found
    assert found["dropout"] <= found["dropout_limit"], found
