from __future__ import annotations

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.components import (
    OBSTACLE_TRACK,
    ComponentScores,
    Track,
    compare,
    connected_components,
    flagged_shares,
)

ANY_SIZE = Track("any size", 0, 0)


def test_one_region_over_two_objects_is_not_punished_twice():
    objects = np.zeros((10, 20), np.int32)
    objects[:, :8], objects[:, 8:16] = 5, 900
    flagged = objects > 0
    found = compare(flagged, objects, track=ANY_SIZE)
    assert found.siou.tolist() == [1.0, 1.0]
    assert found.ppv.tolist() == [1.0]
    # Without instance ids the two touching objects are one.
    assert compare(flagged, connected_components(flagged), track=ANY_SIZE).siou.tolist() == [1.0]


def test_small_objects_are_ignored_and_small_regions_dropped():
    objects = np.zeros((40, 40), np.int32)
    objects[0, :9] = 1
    objects[20:30, 20:30] = 2
    flagged = objects == 1
    flagged[10:13, 10:13] = True
    found = compare(flagged, objects, track=OBSTACLE_TRACK)
    assert found.siou.tolist() == [0.0]
    assert found.ppv.size == 0
    assert found.counts(0.25) == (0, 1, 0)


def test_ignored_pixels_count_neither_way():
    objects = np.zeros((10, 10), np.int32)
    objects[:5] = 1
    ignore = np.zeros((10, 10), bool)
    ignore[5:] = True
    assert compare(np.ones((10, 10), bool), objects, ignore, ANY_SIZE).siou.tolist() == [1.0]


def test_mean_f1_of_hand_worked_scores():
    scores = ComponentScores.joined(
        [ComponentScores(np.array([0.5]), np.array([])), ComponentScores(np.array([0.0]), np.array([0.5, 1.0]))]
    )
    # Up to 0.50 one of two is found and nothing false: 2/3; above, none is found: 0.
    assert scores.f1(0.5) == pytest.approx(2 / 3)
    assert scores.f1(0.55) == 0.0
    assert scores.mean_f1() == pytest.approx(6 / 11 * 2 / 3)


def test_nothing_to_compare_is_undefined():
    with pytest.raises(CaosError, match="no true object and no flagged component"):
        ComponentScores.joined([]).f1(0.5)


def test_flagged_share_of_each_hazard():
    instances = np.array([[0, 7, 7, 9], [0, 7, 7, 9]], np.uint16)
    flagged = np.array([[1, 1, 0, 0], [0, 0, 0, 0]], bool)
    assert flagged_shares(flagged, instances, [7, 9, 11]) == {7: 0.25, 9: 0.0, 11: None}
