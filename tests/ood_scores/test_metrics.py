"""The metrics by hand and by their words; ``tests/reference`` compares them with independent code."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn import metrics as sk

from caos.foundation.errors import CaosError
from caos.foundation.value_blocks import value_blocks
from caos.ood_scores.bench import bench_metrics
from caos.ood_scores.measuring import pooled_blocks
from caos.ood_scores.measuring.metrics import count, fpr_at_recall, measure
from caos.ood_scores.measuring.pooled import PooledCounts
from caos.ood_scores.measuring.protocols import PROTOCOLS


def test_hand_worked_example():
    # Thresholds 0.8 (1 of 2, 0 false), 0.4 (1 of 2, 1 false), 0.35 (2 of 2, 1 false).
    result = measure(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    assert (result.auroc, result.fpr95) == (0.75, 0.5)
    assert result.aupr == pytest.approx((1 + 2 / 3) / 2)


def test_the_nearest_recall_rule_can_be_gamed_and_the_others_not():
    scores = np.r_[np.ones(90), np.zeros(10), np.zeros(900)]
    anomalous = np.arange(1000) < 100
    counts = count(scores, anomalous)
    assert fpr_at_recall(counts, 0.95, "nearest") == 0.0
    assert fpr_at_recall(counts, 0.95, "at least") == fpr_at_recall(counts, 0.95, "above") == 1.0


@pytest.mark.parametrize("seed", range(200))
def test_fpr_at_a_corner_is_that_of_the_points_scikit_learn_keeps(seed, monkeypatch):
    # Pooled scores are read in blocks; a line may go on from one to the next.
    monkeypatch.setattr(pooled_blocks, "value_blocks", functools.partial(value_blocks, most=40))
    rng = np.random.default_rng(seed)
    size, levels = int(rng.integers(4, 80)), int(rng.integers(2, 200))
    anomalous = rng.random(size) < rng.uniform(0.1, 0.9)
    anomalous[:2] = True, False
    scores = rng.integers(0, levels, size) + (anomalous * rng.integers(0, 2 * levels))
    false, true, _ = sk.roc_curve(anomalous, scores)
    expected = false[np.argmax(true > 0.95)]
    assert fpr_at_recall(count(scores, anomalous), 0.95, "at a corner above") == pytest.approx(expected, abs=1e-12)
    pool = PooledCounts()
    pool.add(scores, anomalous)
    assert pool.measure(PROTOCOLS["densehybrid-roc"]).fpr95 == pytest.approx(expected, abs=1e-12)


def test_a_corner_may_lie_below_the_first_threshold_above_the_recall():
    # 96 anomalous pixels, one ordinary, four anomalous, ordinary ones: the curve has corners at recalls 0.96 and 1.
    scores, anomalous = np.arange(200)[::-1], np.r_[np.ones(96), 0, np.ones(4), np.zeros(99)] == 1
    assert fpr_at_recall(count(scores, anomalous), 0.95, "at a corner above") == 0
    # With the ordinary one higher up, the first corner above the recall is that at recall 1.
    anomalous = np.r_[np.ones(90), 0, 0, np.ones(10), np.zeros(98)] == 1
    assert fpr_at_recall(count(scores, anomalous), 0.95, "at a corner above") == 0.02
    assert fpr_at_recall(count(scores, anomalous), 0.95, "above") == 0.02


def test_ignored_pixels_count_neither_way():
    rng = np.random.default_rng(7)
    scores, anomalous, ignore = rng.normal(size=5000), rng.random(5000) < 0.1, rng.random(5000) < 0.3
    assert measure(scores, anomalous, ignore) == measure(scores[~ignore], anomalous[~ignore])


def test_integers_beyond_doubles_keep_their_order():
    rng = np.random.default_rng(4)
    anomalous = rng.random(2000) < 0.1
    small = rng.integers(0, 5, 2000) + anomalous
    assert measure(2**60 + small, anomalous) == measure(small, anomalous)
    assert measure(small.astype(np.uint64) + np.uint64(2**63), anomalous) == measure(small, anomalous)


def test_integers_booleans_lists_and_negative_zero():
    scores = np.array([0, 1, 2, 3], np.uint16)
    assert measure(scores, [0, 0, 1, 1]).auroc == 1.0
    assert measure(np.array([True, False]), np.array([True, False])).auroc == 1.0
    assert measure(np.array([-0.0, 0.0], np.float32), [True, False]).auroc == 0.5


@pytest.mark.parametrize(
    ("scores", "anomalous", "ignore", "words"),
    [
        ([0.0, 1.0], [False, False], None, "AUROC is undefined: 0 anomalous of 2 valid pixels in data/test/7.png"),
        ([0.0, 1.0], [True, True], None, "AUROC is undefined: 2 anomalous of 2 valid pixels in data/test/7.png"),
        ([0.0, 1.0], [True, False], [True, False], "AUROC is undefined: 0 anomalous of 1 valid pixels"),
        ([0.0, np.nan], [True, False], None, "scores must be finite: 1 of 2 are NaN or infinite in data/test/7.png"),
        ([np.inf, 0.0], [True, False], None, "scores must be finite: 1 of 2 are NaN or infinite"),
        ([0.0, 1.0, 2.0], [True, False], None, r"'anomalous' has shape \(2,\) but the scores have shape \(3,\)"),
        ([0.0, 1.0], [True, False], [False], r"'ignore' has shape \(1,\) but the scores have shape \(2,\)"),
        ([0.0, 1.0], [13, 7], None, "'anomalous' must be booleans"),
        (["a", "b"], [True, False], None, "scores must be real numbers"),
        ([1j, 0j], [True, False], None, "scores must be real numbers"),
    ],
)
def test_bad_input_is_told_in_one_line(scores, anomalous, ignore, words):
    with pytest.raises(CaosError, match=words) as caught:
        count(scores, anomalous, ignore, where="data/test/7.png")
    assert "\n" not in str(caught.value)


def test_many_times_faster_than_scikit_learn_at_the_benchmark_size():
    found = bench_metrics(repeats=15)
    assert len(found) == 4
    assert min(found.values()) >= 15, found
