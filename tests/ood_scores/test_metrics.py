"""The metrics against scikit-learn, the original code of the paper, and by their words."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics as sk

from caos.foundation.errors import CaosError
from caos.foundation.value_blocks import value_blocks
from caos.ood_scores.bench import bench_metrics
from caos.ood_scores.measuring import metrics, pooled_blocks
from caos.ood_scores.measuring.metrics import count, fpr_at_recall, measure
from caos.ood_scores.measuring.pooled import PooledCounts
from caos.ood_scores.measuring.protocols import PROTOCOLS


def original_fpr95(y_true, y_score, recall_level=0.95):
    """``fpr_and_fdr_at_recall`` of anomaly-seg, the paper's code, for boolean labels."""
    order = np.argsort(y_score, kind="mergesort")[::-1]
    y_score, y_true = y_score[order], y_true[order]
    indices = np.r_[np.where(np.diff(y_score))[0], y_true.size - 1]
    tps = np.cumsum(y_true, dtype=np.float64)[indices]
    fps = 1 + indices - tps
    recall = tps / tps[-1]
    part = slice(tps.searchsorted(tps[-1]), None, -1)
    recall, fps = np.r_[recall[part], 1], np.r_[fps[part], 0]
    return fps[np.argmin(np.abs(recall - recall_level))] / np.sum(~y_true)


def sklearn_first(y_true, y_score, strict):
    fpr, tpr, _ = sk.roc_curve(y_true, y_score, drop_intermediate=False)
    return fpr[np.argmax(tpr > 0.95 if strict else tpr >= 0.95)] if (not strict or (tpr > 0.95).any()) else 1.0


def assert_equal_to_references(scores, anomalous):
    y, s = anomalous.ravel(), scores.ravel().astype(np.float64)
    counts = count(scores, anomalous)
    result = measure(scores, anomalous)
    precision, recall, _ = sk.precision_recall_curve(y, s)
    assert result.auroc == pytest.approx(sk.roc_auc_score(y, s), abs=1e-9)
    assert result.aupr == pytest.approx(sk.average_precision_score(y, s), abs=1e-9)
    assert result.fpr95 == pytest.approx(original_fpr95(y, s), abs=1e-12)
    assert metrics.trapezoid_aupr(counts) == pytest.approx(sk.auc(recall, precision), abs=1e-9)
    assert fpr_at_recall(counts, 0.95, "at least") == pytest.approx(sklearn_first(y, s, False), abs=1e-12)
    assert fpr_at_recall(counts, 0.95, "above") == pytest.approx(sklearn_first(y, s, True), abs=1e-12)
    assert (result.positives, result.negatives) == (y.sum(), (~y).sum())


@settings(max_examples=300, deadline=None)
@given(data=st.data(), size=st.integers(2, 60), levels=st.integers(1, 12))
def test_ties_of_every_kind_equal_scikit_learn_and_the_original(data, size, levels):
    scores = data.draw(hnp.arrays(np.float32, size, elements=st.integers(-levels, levels).map(float)))
    anomalous = data.draw(hnp.arrays(np.bool_, size))
    anomalous[0], anomalous[1] = True, False
    assert_equal_to_references(scores, anomalous)


SHAPES = {
    "normal": lambda z: z,
    "skewed": lambda z: np.exp(6 * z),
    "saturated": lambda z: -1 / (1 + np.exp(3 * z - 9)),
    "rounded": lambda z: np.round(z, 1),
    "constant": lambda z: np.full_like(z, 3.0),
    "binary": lambda z: (z > 1).astype(z.dtype),
    "tiny": lambda z: z * 1e-35,
    "huge": lambda z: z * 1e30,
    "outlier": lambda z: np.where(z == z.max(), 1e9, z),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_large_maps_of_every_distribution_equal_scikit_learn(kind, dtype):
    rng = np.random.default_rng(5)
    z = rng.normal(size=(180, 320))
    anomalous = rng.random(z.shape) < 0.02
    z[anomalous] += 1.0
    with np.errstate(over="ignore", under="ignore"):
        scores = np.clip(SHAPES[kind](z), -6e4 if dtype == np.float16 else None, 6e4 if dtype == np.float16 else None)
    assert_equal_to_references(scores.astype(dtype), anomalous)


def test_many_positives_equal_scikit_learn():
    rng = np.random.default_rng(6)
    scores, anomalous = rng.normal(size=40_000), rng.random(40_000) < 0.6
    assert_equal_to_references(scores, anomalous)


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
