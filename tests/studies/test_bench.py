from __future__ import annotations

import numpy as np
import pytest

from caos.studies.corruptions.bench import bench_corruptions
from caos.studies.corruptions.corruption import REGISTRY, common_corruptions


@pytest.mark.slow
def test_a_corruption_costs_what_is_promised():
    found = bench_corruptions(repeats=2)
    assert set(found["corruptions"]) == set(REGISTRY.names())
    assert found["mean"] == pytest.approx(np.mean([found["corruptions"][name] for name in common_corruptions()]))
    assert found["ratio"] == pytest.approx(found["mean"] / found["forward"])
    assert found["ratio"] <= found["at_most"] == 0.25, found
