from __future__ import annotations

import pytest

from ood_scores.bench import bench_scoring


@pytest.mark.slow
def test_scoring_costs_what_is_promised():
    found = bench_scoring(repeats=2)
    assert found["logit_scorers"] <= found["limit"], found
    assert found["dropout"] <= found["dropout_limit"], found
