from __future__ import annotations

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring import self_test
from caos.ood_scores.measuring.metrics import count
from caos.ood_scores.measuring.pooled import PooledCounts
from caos.ood_scores.measuring.protocols import PROTOCOLS, protocols_by_name
from caos.ood_scores.measuring.score_grid import ScoreGrid

METRICS = ("auroc", "aupr", "fpr95")


def images(kind, number=6):
    rng = np.random.default_rng(1)
    for _ in range(number):
        z = rng.normal(rng.normal(), 1, (60, 80))
        anomalous = rng.random(z.shape) < 0.03
        z[anomalous] += 1.5
        scores = {"normal": z, "skewed": np.exp(3 * z), "saturated": 1 / (1 + np.exp(6 - z)), "rounded": z.round(1)}
        yield scores[kind].astype(np.float32), anomalous


@pytest.mark.parametrize("kind", ["normal", "skewed", "saturated", "rounded"])
@pytest.mark.parametrize("protocol", [p for p in PROTOCOLS.values() if p.is_pooled], ids=lambda p: p.name)
def test_the_exact_value_lies_within_the_bound_and_the_bound_is_small(kind, protocol):
    everything = list(images(kind))
    # The grid sees one image only: the others lie partly outside its range.
    pool = PooledCounts(ScoreGrid.around(everything[0][0]))
    for scores, anomalous in everything:
        pool.add(scores, anomalous)
    exact = protocol.measure(
        count(np.concatenate([s.ravel() for s, _ in everything]), np.concatenate([a.ravel() for _, a in everything]))
    )
    pooled = pool.measure(protocol)
    for name in METRICS:
        bounded = getattr(pooled, name)
        assert abs(bounded.value - getattr(exact, name)) <= bounded.error + 1e-9
        assert bounded.error < 0.01
    assert (pooled.positives, pooled.negatives) == (exact.positives, exact.negatives)


def test_tied_scores_are_exact():
    scores = np.repeat(np.float32([0, 1, 2, 5]), 50)
    anomalous = np.random.default_rng(0).random(200) < 0.4
    pool = PooledCounts(ScoreGrid.around(scores))
    pool.add(scores, anomalous)
    for protocol in protocols_by_name("smiyc,openood"):
        pooled, exact = pool.measure(protocol), protocol.measure(count(scores, anomalous))
        for name in METRICS:
            assert getattr(pooled, name).error == 0
            assert getattr(pooled, name).value == pytest.approx(getattr(exact, name), abs=1e-12)


def test_merging_processes_equals_one_process():
    everything = list(images("normal"))
    grid = ScoreGrid.around(everything[0][0])
    whole, first, second = PooledCounts(grid), PooledCounts(grid), PooledCounts(grid)
    for number, (scores, anomalous) in enumerate(everything):
        whole.add(scores, anomalous)
        (first if number % 2 else second).add(scores, anomalous)
    first.merge(second)
    restored = PooledCounts(grid)
    restored.restore(first.arrays())
    assert restored.measure(PROTOCOLS["smiyc"]) == whole.measure(PROTOCOLS["smiyc"])


def test_pools_of_different_grids_are_not_merged():
    with pytest.raises(CaosError, match="different grids cannot be merged"):
        PooledCounts(ScoreGrid(0, 1, False)).merge(PooledCounts(ScoreGrid(1, 1, False)))


def test_one_kind_of_pixel_is_undefined():
    pool = PooledCounts(ScoreGrid(0, 100, False))
    pool.add(np.zeros(10, np.float32), np.zeros(10, bool))
    with pytest.raises(CaosError, match="AUROC is undefined: 0 anomalous of 10 valid pixels in the test set"):
        pool.measure(PROTOCOLS["smiyc"], "the test set")


def test_thresholds_from_the_pool():
    scores = np.arange(1000, dtype=np.float32)
    anomalous = scores >= 900
    pool = PooledCounts(ScoreGrid.around(scores))
    pool.add(scores, anomalous)
    edges = pool.grid.lower_edges()
    best, f1 = pool.best_f1()
    assert f1 == 1.0
    assert 899 < edges[best] <= 900
    assert 904 < edges[pool.cell_at_recall(0.95)] <= 905
    assert 854 < edges[pool.cell_at_false_alarms(0.05)] <= 855


@pytest.mark.parametrize("relative", [False, True])
def test_cells_are_monotone_and_edges_are_where_cells_begin(relative):
    grid = ScoreGrid.around(np.float32([0.01, 3.0]))
    grid = ScoreGrid(grid.low, grid.scale, grid.relative) if grid.relative == relative else _other(relative)
    scores = np.sort(np.random.default_rng(0).uniform(0.02, 2.9, 1000)).astype(np.float32)
    cells = grid.cell_of(scores)
    assert (np.diff(cells) >= 0).all()
    edges = grid.lower_edges()
    assert (edges[cells] <= scores * (1 + 1e-6)).all()
    assert (scores <= edges[cells + 1] * (1 + 1e-6)).all()


def _other(relative):
    from caos.ood_scores.measuring.score_grid import _grid_between

    return _grid_between(np.float32([0.01, 3.0]), 1 << 10, relative=relative)


@pytest.mark.parametrize("protocol", self_test.variants(), ids=lambda p: f"{p.name}, {p.aggregation}")
def test_detectors_with_known_numbers(protocol):
    checks = list(self_test.check_protocol(protocol, np.random.default_rng(3)))
    assert len(checks) == 15
    assert [c for c in checks if not c.passed] == []


def test_protocol_lists():
    assert [p.name for p in protocols_by_name("smiyc, caos,smiyc")] == ["smiyc", "caos"]
    assert len(protocols_by_name("all")) == len(PROTOCOLS)
    with pytest.raises(CaosError, match="unknown protocol 'smyic'; did you mean 'smiyc'"):
        protocols_by_name("smyic")
    with pytest.raises(CaosError, match="no protocol in ','"):
        protocols_by_name(",")


def test_each_pixel_is_counted_once():
    scores, anomalous = np.array([0.0, 1.0, 1.0, 2.0], np.float32), np.array([False, True, False, True])
    pool = PooledCounts(ScoreGrid(low=0.0, scale=1.0, relative=False, cells=3))
    assert [part.tolist() for part in pool.add(scores, anomalous)] == [[0, 0, 1, 1, 0], [0, 1, 1, 0, 0]]
    ignored = pool.add(scores, anomalous, np.array([True, True, False, False]))
    assert [part.tolist() for part in ignored] == [[0, 0, 0, 1, 0], [0, 0, 1, 0, 0]]
    assert pool.positives.tolist() == [0, 0, 1, 2, 0]
