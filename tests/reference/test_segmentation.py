"""Measures of segmenters beside scikit-learn and plain code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from tests.reference import plain_segmentation
from tests.reference.comparison import assert_equal
from tests.reference.segmentation_checks import (
    SegmentedPictures,
    open_set_checks,
    score_little_set,
    segmented_pictures,
    tally_checks,
)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(pictures=segmented_pictures())
def test_generated_pictures(pictures: SegmentedPictures) -> None:
    assert_equal(tally_checks(pictures))


@pytest.mark.parametrize("seed", [0, 1])
def test_open_set(seed: int, tmp_path: Path) -> None:
    found = score_little_set(tmp_path, seed)
    assert_equal(open_set_checks(found, tmp_path / "set"))


def test_the_plain_calibration_by_hand() -> None:
    # The most confident answer is right, the next two are equally sure and one is right, the last is wrong.
    doubt, right = np.array([0.1, 0.4, 0.4, 0.7]), np.array([True, True, False, False])
    assert plain_segmentation.aurra(doubt, right) == pytest.approx((1 + 1.5 / 2 + 2 / 3 + 2 / 4) / 4)
    # Two bins: 0.9 and 0.6 with one and a half right answers, 0.6 and 0.3 with half a right one.
    gaps = [0.75 - 0.75, 0.45 - 0.25]
    assert plain_segmentation.calibration_rms(doubt, right, 2) == pytest.approx((sum(g**2 for g in gaps) / 2) ** 0.5)
    # Three bins of 4/3 answers each: the second answer is in two of them.
    bins = [(0.9 + 0.2 - 7 / 6, 4 / 3), (0.8 - 2 / 3, 4 / 3), (0.2 + 0.3 - 1 / 6, 4 / 3)]
    expected = (sum((gap / size) ** 2 for gap, size in bins) / 3) ** 0.5
    assert plain_segmentation.calibration_rms(doubt, right, 3) == pytest.approx(expected)
