"""Stability measures against values worked by hand and the examples of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.studies.framework.measuring import alarm_threshold
from caos.studies.perturbations.stability import (
    MapOfFrame,
    flag_flip_probability,
    flip_probability,
    flip_rate,
    mean_flip_rate,
    score_ranks,
    top_distance,
    top_score_distance,
    zipf_distance,
)


def maps(*rows, valid=None):
    valid = valid or [[1] * len(row) for row in rows]
    return [MapOfFrame(np.array([row]), np.array([ok], bool)) for row, ok in zip(rows, valid, strict=True)]


def test_flip_probability_by_hand():
    frames = maps([1, 1, 2, 3], [1, 2, 2, 3], [1, 1, 2, 4])
    # Against the frame before: 1 of 4, then 2 of 4; against the first: 1 of 4, then 1 of 4.
    assert flip_probability(frames) == pytest.approx(0.375)
    assert flip_probability(iter(frames), against_first=True) == pytest.approx(0.25)


def test_only_pixels_valid_in_both_frames_count():
    frames = maps([1, 1, 2, 3], [1, 2, 9, 3], [1, 1, 2, 4], valid=[[1, 1, 1, 1], [1, 1, 0, 1], [0, 1, 1, 1]])
    # 1 of 3 (pixel 2 is not valid in the second); then pixels 1 and 3 are shared, both changed.
    assert flip_probability(frames) == pytest.approx((1 / 3 + 1) / 2)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(CaosError, match="share no valid pixel"):
        flip_probability(maps([1, 2], [1, 2], valid=[[1, 0], [0, 1]]))
    with pytest.raises(CaosError, match="at least two frames"):
        flip_probability(maps([1, 2]))


def test_flip_rates_by_hand():
    assert flip_rate(0.1, 0.4) == pytest.approx(0.25)
    assert mean_flip_rate({"snow": 0.1, "tilt": 0.3}, {"tilt": 0.2, "snow": 0.4}) == pytest.approx((0.25 + 1.5) / 2)
    with pytest.raises(CaosError, match=r"undefined: the baseline's flip probability is 0.0"):
        flip_rate(0.1, 0.0)
    with pytest.raises(CaosError, match=r"same perturbations of run and baseline, not \['snow'\] and \['tilt'\]"):
        mean_flip_rate({"snow": 0.1}, {"tilt": 0.1})


@pytest.mark.parametrize(
    ("sigma", "distance"),
    [
        ((1, 2, 3, 4, 5, 6, 7, 8), 0),
        ((1, 2, 3, 4, 6, 5, 7, 8), 1),
        ((1, 2, 3, 4, 6, 7, 5, 8), 1),
        ((2, 1, 3, 4, 5, 6, 7, 8), 2),
        ((3, 1, 2, 4, 5, 6, 7, 8), 4),
        ((2, 3, 4, 5, 6, 7, 8, 1), 5),
        ((1, 2, 3, 5, 6, 4, 7, 8), 2),
        ((5, 4, 3, 2, 1, 6, 7, 8), 12),
    ],
)
def test_top_distance_on_the_examples_of_the_papers_appendix(sigma, distance):
    identity, sigma = np.arange(1, 9), np.array(sigma)
    assert top_distance(identity, sigma) == distance
    by_indicators = sum(
        1 <= j - 1 <= 5 for i in range(1, 6) for j in range(min(i, sigma[i - 1]) + 1, max(i, sigma[i - 1]) + 1)
    )
    assert top_distance(identity, sigma) == by_indicators
    # The names of the things do not matter, only their two ranks.
    shuffled = np.random.default_rng(0).permutation(8)
    assert top_distance(identity[shuffled], sigma[shuffled]) == distance


def test_zipf_distance_by_hand():
    # Ranks 1 and 2 exchanged: 1 * |1 - 1/2| + 1/2 * |1/2 - 1|.
    assert zipf_distance(np.array([1, 2, 3]), np.array([2, 1, 3])) == pytest.approx(0.75)
    assert zipf_distance(np.array([3, 1, 2]), np.array([3, 1, 2])) == 0


def test_ranks_of_equal_scores_keep_their_order():
    assert score_ranks(np.array([[0.5, 0.5], [0.9, 0.5]])).tolist() == [2, 3, 1, 4]


def test_top_score_distance_by_hand():
    # Of ten pixels the top two are listed. First pair: they change places, 2 / 3. Second pair: both leave, 3 / 3.
    first = [9, 8, 0, 1, 2, 3, 4, 5, 6, 7]
    second = [8, 9, 0, 1, 2, 3, 4, 5, 6, 7]
    third = [0, 1, 9, 8, 2, 3, 4, 5, 6, 7]
    frames = maps(first, second, third)
    assert top_score_distance(frames, top_share=0.2) == pytest.approx((2 / 3 + 1) / 2)
    assert top_score_distance(frames, top_share=0.2, against_first=True) == pytest.approx((2 / 3 + 1) / 2)
    doubled = [MapOfFrame(np.exp(values), valid) for values, valid in frames]
    assert top_score_distance(doubled, top_share=0.2) == top_score_distance(frames, top_share=0.2)
    with pytest.raises(CaosError, match="above 0 and at most 1, not 0"):
        top_score_distance(frames, top_share=0)


def test_flag_flips_at_a_false_alarm_rate():
    ordinary = np.arange(100, dtype=np.float32)
    threshold = alarm_threshold(ordinary, 0.05)
    assert threshold == 94
    assert (ordinary > threshold).mean() == 0.05
    frames = maps([94.0, 95.0, 10.0, 99.0], [95.0, 96.0, 20.0, 98.0], [90.0, 90.0, 30.0, 97.0])
    assert flag_flip_probability(frames, threshold) == pytest.approx((1 / 4 + 2 / 4) / 2)
    assert flag_flip_probability(frames, threshold, against_first=True) == pytest.approx(1 / 4)


def test_alarm_threshold_at_the_ends():
    assert alarm_threshold(np.array([3.0, 1.0, 2.0]), 0.0) == 3.0
    assert alarm_threshold(np.array([1.0, 1.0, 1.0]), 0.5) == 1.0
    with pytest.raises(CaosError, match="no ordinary pixel"):
        alarm_threshold(np.array([]), 0.05)
    with pytest.raises(CaosError, match="at least 0 and below 1, not 1"):
        alarm_threshold(np.array([1.0]), 1)
