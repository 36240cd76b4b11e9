"""Ranks that are counted agree with ranks of sorted scores, whatever the scores look like."""

import numpy as np
import pytest

from caos.ood_scores.measuring import ranks as module
from caos.ood_scores.measuring import short_numbers
from caos.ood_scores.measuring.ranks import ranks

SIZE = 100_000
RNG = np.random.default_rng(5)
NORMAL = RNG.normal(size=SIZE)
KINDS = {
    "normal": NORMAL,
    "rounded": np.round(NORMAL, 2),
    "probabilities": 1 / (1 + np.exp(-6 * NORMAL)),
    "tiny probabilities": np.exp(-20 + 4 * NORMAL),
    "beside one": 1 - np.exp(-20 + 4 * NORMAL),
    "many magnitudes": np.sign(NORMAL) * np.exp(12 * np.abs(NORMAL)),
    "one far away": np.append(NORMAL[1:], 3e38),
    "both ends far away": np.concatenate([NORMAL[2:], [3e38, -3e38]]),
    "denormal": np.round(NORMAL * 50) * 1e-45,
    "signed zeros": np.copysign(np.round(NORMAL), RNG.normal(size=SIZE)),
    "a step apart": np.nextafter(np.float32(1), np.float32(2)) * RNG.integers(0, 40, SIZE),
    "mostly one": np.where(NORMAL > 2, NORMAL, 0),
}


def _sorted(scores, ascending):
    ordered = np.sort(scores, axis=None)
    return [np.searchsorted(ordered, ascending, side).tolist() for side in ("left", "right")]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", KINDS)
def test_counted_ranks_are_those_of_sorted_scores(name, kind):
    scores = KINDS[name].astype(kind)
    ascending = np.unique(scores[RNG.integers(0, SIZE, 3000)])
    found = ranks(scores, ascending)
    assert [part.tolist() for part in found] == _sorted(scores, ascending)


def test_numpy_alone_counts_as_well(monkeypatch):
    scores = KINDS["probabilities"].astype(np.float32)
    ascending = np.unique(scores[:3000])
    with_opencv = ranks(scores, ascending)
    monkeypatch.setattr(short_numbers, "_opencv", lambda: None)
    np.testing.assert_array_equal(ranks(scores, ascending), with_opencv)


def test_thresholds_need_not_be_scores():
    scores = NORMAL.astype(np.float32)
    between = np.unique(np.append(RNG.normal(size=2000) * 3, [-1e30, 1e30])).astype(np.float32)
    assert [part.tolist() for part in ranks(scores, between)] == _sorted(scores, between)


def test_most_scores_are_not_sorted(monkeypatch):
    sizes = []
    monkeypatch.setattr(module, "_sorted", lambda scores, ascending: sizes.append(scores.size) or (0, 0))
    for name in ("normal", "rounded", "probabilities", "tiny probabilities"):
        scores = np.tile(KINDS[name], 4).astype(np.float32)
        ranks(scores, np.unique(scores[:1000]))
    assert max(sizes) <= module._SMALL
