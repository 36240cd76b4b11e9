"""Average precision of instances by hand; ``tests/reference`` compares it with pycocotools."""

from __future__ import annotations

import numpy as np
import pytest

from caos.ood_scores.measuring.components import OBSTACLE_TRACK, Track
from caos.ood_scores.measuring.instances import InstanceMatches, match, match_instances

ANY = Track("any", 1, 1)


def test_by_hand():
    # Two objects of 4 pixels. The surest region is the first object and 1 pixel more: IoU 4/5. The next lies elsewhere.
    # The last is half of the second object: IoU 1/2.
    objects = np.array([[1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2]], np.int32)
    codes = np.array([[9, 9, 9, 9, 9, 0, 0, 7, 0, 0, 5, 5, 0, 0]], np.uint8)
    found = match_instances(codes > 0, codes, objects, None, ANY)
    assert found.confidence.tolist() == [9, 7, 5]
    assert [int(n) for n in found.hit.sum(axis=1)] == [2, 1, 1, 1, 1, 1, 1, 0, 0, 0]
    numbers = found.numbers()
    # At IoU 0.50 the precision is 1 up to recall 0.50 (51 of the 101 recalls), then 2/3.
    assert numbers.ap50 == pytest.approx((51 + 50 * 2 / 3) / 101)
    # From 0.55 to 0.80 it is 1 up to recall 0.50, then none.
    assert numbers.ap == pytest.approx((numbers.ap50 + 6 * 51 / 101) / 10)
    assert (numbers.objects, numbers.regions) == (2, 3)


def test_void_and_small_objects_count_neither_way():
    objects = np.array([[1] * 12 + [0] * 4 + [2] * 5], np.int32)
    flagged = np.array([[True] * 12 + [False] * 4 + [True] * 5])
    codes = flagged.astype(np.uint8)
    tiny = Track("tiny", 1, 10)
    found = match_instances(flagged, codes, objects, None, tiny)
    # The region on the small object is no false alarm.
    assert found.numbers().ap == 1.0
    assert found.objects == 1
    hidden = match_instances(flagged, codes, objects, np.arange(21)[None] >= 16, ANY)
    assert (hidden.objects, hidden.confidence.size) == (1, 1)


def test_nothing_to_find_has_no_precision():
    empty = np.zeros((5, 5), np.int32)
    numbers = match_instances(empty > 0, empty.astype(np.uint8), empty, None, OBSTACLE_TRACK).numbers()
    assert (numbers.ap, numbers.ap50, numbers.objects, numbers.regions) == (None, None, 0, 0)
    missed = InstanceMatches.joined([match(np.zeros((2, 0)), np.zeros(0), np.zeros(2, bool))]).numbers()
    assert (missed.ap, missed.objects) == (0.0, 2)
