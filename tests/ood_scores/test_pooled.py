"""Pooled metrics equal scikit-learn's on all pixels together, whatever the scores look like and wherever they are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn import metrics as sk

from caos.foundation import value_blocks
from caos.foundation.errors import CaosError
from caos.foundation.score_store import CategoryScores, PixelOrder, ScoreStore
from caos.ood_scores.measuring import self_test
from caos.ood_scores.measuring.metrics import count, measure
from caos.ood_scores.measuring.pooled import (
    METRICS,
    PooledCounts,
    PooledQuestion,
    measure_pooled,
    threshold_at_recall,
)
from caos.ood_scores.measuring.protocols import PROTOCOLS, protocols_by_name
from caos.ood_scores.measuring.score_grid import ScoreGrid

KINDS = {
    "raw": lambda z: z.astype(np.float32),
    "sigmoid": lambda z: (1 / (1 + np.exp(-z))).astype(np.float32),
    "tanh": lambda z: np.tanh(z).astype(np.float32),
    "-relu": lambda z: -np.maximum(-z, 0).astype(np.float32),
    "16 bit": lambda z: np.clip(z * 1500 + 30000, 0, 65535).astype(np.uint16),
    "8 bit": lambda z: np.clip(z * 8 + 128, 0, 255).astype(np.uint8),
    "half": lambda z: z.astype(np.float16),
    "two values": lambda z: z > 3,
    "constant": lambda z: np.full(z.shape, 7.25, np.float32),
    "rounded": lambda z: z.round(),
    "signed zeros": lambda z: np.where(z > 3, 0.0, -0.0).astype(np.float32),
    "double": lambda z: z,
    "saturated double": lambda z: 1 / (1 + np.exp(-z - 25)),
    "beside a large number": lambda z: 1e9 + z * 1e-3,
    "wide integers": lambda z: (z * 1000).astype(np.int64) + 2**60,
    "unsigned integers": lambda z: (z * 1000 + 2**20).astype(np.uint64) + np.uint64(2**63),
    "many magnitudes": lambda z: np.sign(z) * np.exp(6 * np.abs(z)),
}
IMAGES = 6


def images(kind):
    """Images of unequal size; the first has no anomalous pixel, another no ordinary one."""
    rng = np.random.default_rng(1)
    for number in range(IMAGES):
        size = 900 + 300 * number
        anomalous = np.full(size, number == 3) | (rng.random(size) < (0.08 if number else 0))
        z = np.where(anomalous, rng.normal(5, 6, size), rng.normal(-6, 4, size))
        yield KINDS[kind](z), anomalous


def all_pixels(kind):
    found = list(images(kind))
    return np.concatenate([s for s, _ in found]), np.concatenate([a for _, a in found])


def pool_of(kind, **options):
    pool = PooledCounts(**options)
    for scores, anomalous in images(kind):
        pool.add(scores, anomalous)
    return pool


@pytest.fixture(params=[1 << 21, 500], ids=["one block", "many blocks"])
def block_size(request, monkeypatch):
    monkeypatch.setattr(value_blocks, "BLOCK", request.param)


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("kind", KINDS)
def test_pooled_metrics_are_those_of_scikit_learn(kind):
    scores, anomalous = all_pixels(kind)
    ranks = np.unique(scores, return_inverse=True)[1]  # scikit-learn takes doubles
    pool = pool_of(kind)
    found, straight = pool.measure(PROTOCOLS["smiyc"]), pool.measure(PROTOCOLS["openood"])
    precision, recall, _ = sk.precision_recall_curve(anomalous, ranks)
    false, true, _ = sk.roc_curve(anomalous, ranks, drop_intermediate=False)
    assert found.auroc == pytest.approx(sk.roc_auc_score(anomalous, ranks), abs=1e-12)
    assert found.aupr == pytest.approx(sk.average_precision_score(anomalous, ranks), abs=1e-12)
    assert straight.aupr == pytest.approx(sk.auc(recall, precision), abs=1e-12)
    assert found.fpr95 == pytest.approx(false[np.argmax(true >= 0.95)], abs=1e-15)
    above = pool.measure(PROTOCOLS["densehybrid"].on("bdd-anomaly")).fpr95
    assert above == pytest.approx(false[np.argmax(true > 0.95)], abs=1e-15)
    assert (found.positives, found.negatives) == (anomalous.sum(), (~anomalous).sum())


@pytest.mark.parametrize("kind", ["raw", "sigmoid", "saturated double", "rounded"])
def test_a_transform_that_keeps_the_order_keeps_every_digit(kind):
    plain, moved = PooledCounts(), PooledCounts()
    for scores, anomalous in images(kind):
        plain.add(scores, anomalous)
        moved.add(np.unique(all_pixels(kind)[0]).searchsorted(scores), anomalous)
    assert plain.measure(PROTOCOLS["smiyc"]) == moved.measure(PROTOCOLS["smiyc"])


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("kind", ["raw", "-relu", "double", "wide integers", "two values"])
def test_files_and_the_order_of_merging_change_no_bit(kind, tmp_path):
    wanted = pool_of(kind).measure(PROTOCOLS["smiyc"])
    assert pool_of(kind, most=100).measure(PROTOCOLS["smiyc"]) == wanted
    for order in itertools.islice(itertools.permutations(range(IMAGES)), 0, 720, 97):
        parts = [PooledCounts(folder=tmp_path, most=(100, 10**9)[number % 2]) for number in range(IMAGES)]
        for part, image in zip(parts, images(kind), strict=True):
            part.add(*image)
        whole = PooledCounts(folder=tmp_path, most=3000)
        for number in order:
            whole.merge(parts[number])
        assert whole.measure(PROTOCOLS["smiyc"]) == wanted


def test_counts_in_temporary_folders_are_merged_with_their_scores():
    whole = PooledCounts(most=10)
    for scores, anomalous in images("raw"):
        part = PooledCounts(most=10)
        part.add(scores, anomalous)
        whole.merge(part)
    assert whole.measure(PROTOCOLS["smiyc"]) == pool_of("raw").measure(PROTOCOLS["smiyc"])


def test_saved_counts_are_continued(tmp_path):
    everything = list(images("double"))
    first = PooledCounts(folder=tmp_path)
    for image in everything[:3]:
        first.add(*image)
    state = first.arrays()
    first.add(*everything[3])  # not saved: a process that was killed
    second = PooledCounts(folder=tmp_path)
    second.restore({name: array.copy() for name, array in state.items()})
    for image in everything[3:]:
        second.add(*image)
    assert second.measure(PROTOCOLS["smiyc"]) == pool_of("double").measure(PROTOCOLS["smiyc"])


def test_saved_counts_whose_file_is_cut_short_are_refused(tmp_path):
    pool = pool_of("raw", folder=tmp_path)
    state = pool.arrays()
    (file,) = tmp_path.glob("*.scores")
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(CaosError, match=r"\.scores is missing or cut short"):
        PooledCounts(folder=tmp_path).restore(state)


def test_the_memory_holds_no_more_scores_than_allowed(tmp_path):
    pool = PooledCounts(folder=tmp_path, most=2000)
    for scores, anomalous in images("raw"):
        pool.add(scores, anomalous)
        assert pool._store._held <= 2000
    assert sum(file.stat().st_size for file in tmp_path.glob("*.scores")) >= 4 * 2000


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("name", ["smiyc", "openood"])
@pytest.mark.parametrize("groups", [2, IMAGES])
@pytest.mark.parametrize("kind", ["raw", "-relu", "constant"])
def test_metrics_without_each_group_are_those_of_the_others(kind, groups, name):
    everything = list(images(kind))
    (answer,) = measure_pooled(pool_of(kind)._store, [PooledQuestion(PROTOCOLS[name], (1,))], groups)
    for group in range(groups):
        others = [image for number, image in enumerate(everything) if number % groups != group]
        scores, anomalous = (np.concatenate(part) for part in zip(*others, strict=True))
        wanted = PROTOCOLS[name].measure(count(scores, anomalous))
        for metric in METRICS:
            assert answer.without[metric][group] == pytest.approx(getattr(wanted, metric), abs=1e-12)


def test_a_metric_that_is_undefined_without_a_group_is_nan():
    pool = PooledCounts()
    pool.add([1.0, 2.0], [False, True])
    pool.add([1.0, 2.0], [False, False])
    (answer,) = measure_pooled(pool._store, [PooledQuestion(PROTOCOLS["smiyc"], (1,))], 2)
    assert np.isnan(answer.without["auroc"]).tolist() == [True, False]


def test_each_question_counts_its_own_categories():
    rng = np.random.default_rng(4)
    store, parts = ScoreStore(4), []
    for number in range(5):
        scores, category = rng.normal(size=500).round(1).astype(np.float32), rng.integers(0, 5, 500).astype(np.uint8)
        store.add(number, CategoryScores.of(scores, PixelOrder.of(category, 4)))
        parts.append((scores, category))
    scores, category = (np.concatenate(part) for part in zip(*parts, strict=True))
    wanted = [(1,), (1, 2), (1, 2, 3), (3,)]
    answers = measure_pooled(store, [PooledQuestion(PROTOCOLS["smiyc"], ordinary) for ordinary in wanted])
    for ordinary, answer in zip(wanted, answers, strict=True):
        chosen = np.isin(category, (0, *ordinary))
        exact = PROTOCOLS["smiyc"].measure(count(scores[chosen], category[chosen] == 0))
        assert (answer.measures.aupr, answer.measures.fpr95) == (pytest.approx(exact.aupr, abs=1e-12), exact.fpr95)


def test_the_command_of_the_report_prints_two_equal_numbers():
    rng = np.random.default_rng(0)
    y = np.arange(50_000) < 2000
    s = -np.maximum(-np.where(y, rng.normal(5, 6, y.size), rng.normal(-6, 4, y.size)), 0).astype("f4")
    pool = PooledCounts(ScoreGrid.around(s))
    pool.add(s, y)
    assert pool.measure(PROTOCOLS["smiyc"]).aupr == measure(s, y).aupr


def test_maps_of_several_types_are_ranked_together():
    small, large = np.array([0, 1, 2**53 + 1, 5]), np.array([2.0, 2.0**53, 2.0**54])
    pool = PooledCounts()
    pool.add(small, [False, True, True, False])
    pool.add(large, [True, False, False])
    exact = measure(np.append(small, large.astype(np.int64)), [False, True, True, False, True, False, False])
    assert pool.measure(PROTOCOLS["smiyc"]).auroc == exact.auroc
    pool.add(np.array([0.5]), [True])
    with pytest.raises(CaosError, match="types float64, int64 have no common type that keeps their order"):
        pool.measure(PROTOCOLS["smiyc"])


def test_one_kind_of_pixel_is_undefined():
    pool = PooledCounts()
    pool.add(np.zeros(10, np.float32), np.zeros(10, bool))
    with pytest.raises(CaosError, match="AUROC is undefined: 0 anomalous of 10 valid pixels in the test set"):
        pool.measure(PROTOCOLS["smiyc"], "the test set")
    with pytest.raises(CaosError, match="there is no anomalous pixel"):
        threshold_at_recall(pool._store)
    with pytest.raises(CaosError, match="AUROC is undefined: 0 anomalous of 0 valid pixels"):
        PooledCounts().measure(PROTOCOLS["smiyc"])


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("kind", KINDS)
def test_thresholds_are_the_scores_that_give_their_rates(kind):
    scores, anomalous = all_pixels(kind)
    pool = pool_of(kind)
    level = threshold_at_recall(pool._store)
    higher = scores[anomalous & (scores > level)]
    assert (scores[anomalous] >= level).mean() >= 0.95
    assert higher.size < 0.95 * anomalous.sum()
    rate = pool.threshold_at_false_alarms(0.05)
    if scores.dtype.kind == "f" and (scores[~anomalous] >= scores.max()).mean() <= 0.05:
        lower = scores[~anomalous & (scores < rate)]
        assert (scores[~anomalous] >= rate).mean() <= 0.05
        assert not lower.size or (scores[~anomalous] >= lower.max()).mean() > 0.05


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
