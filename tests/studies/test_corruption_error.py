"""CE, relative CE and their means, against values worked by hand."""

from __future__ import annotations

import pytest

from caos.foundation.errors import CaosError
from caos.studies.corruptions.corruption_error import (
    SegmentationErrors,
    corruption_error,
    corruption_errors,
    relative_corruption_error,
)

BASELINE = SegmentationErrors(0.40, {"fog": (0.5, 0.6, 0.7, 0.8, 0.9), "snow": (0.6, 0.6, 0.6, 0.6, 0.6)})
RUN = SegmentationErrors(0.30, {"fog": (0.3, 0.3, 0.4, 0.5, 0.6), "snow": (0.5, 0.6, 0.7, 0.8, 0.9)})


def test_hand_worked_values():
    found = corruption_errors(RUN, BASELINE)
    # fog: 2.1 / 3.5; snow: 3.5 / 3.0.
    assert found.ce == pytest.approx({"fog": 0.6, "snow": 3.5 / 3})
    # fog: (2.1 - 1.5) / (3.5 - 2.0); snow: (3.5 - 1.5) / (3.0 - 2.0).
    assert found.relative_ce == pytest.approx({"fog": 0.4, "snow": 2.0})
    assert found.mce == pytest.approx((0.6 + 3.5 / 3) / 2)
    assert found.relative_mce == pytest.approx(1.2)


def test_the_baseline_against_itself_is_one():
    found = corruption_errors(BASELINE, BASELINE)
    assert (found.mce, found.relative_mce) == pytest.approx((1, 1))


def test_a_part_of_the_severities():
    assert corruption_error([0.2], [0.8]) == pytest.approx(0.25)
    assert relative_corruption_error([0.2], 0.3, [0.8], 0.4) == pytest.approx(-0.25)


def test_what_is_undefined_is_refused():
    with pytest.raises(CaosError, match="CE is undefined: the baseline makes no error"):
        corruption_error([0.1], [0.0])
    with pytest.raises(CaosError, match=r"relative CE is undefined: .* \(clean 0.5, corrupted \[0.5\]\)"):
        relative_corruption_error([0.1], 0.1, [0.5], 0.5)
    with pytest.raises(CaosError, match="same severities, not 1 and 2"):
        corruption_error([0.1], [0.1, 0.2])
    with pytest.raises(CaosError, match=r"same corruptions of run and baseline, not \['fog'\] and \['fog', 'snow'\]"):
        corruption_errors(SegmentationErrors(0.1, {"fog": (0.2,)}), BASELINE)
    with pytest.raises(CaosError, match="an error must be 1 - mIoU, from 0 to 1, not 1.5 for 'fog'"):
        SegmentationErrors(0.1, {"fog": (1.5,)})
    with pytest.raises(CaosError, match="not nan for 'clean'"):
        SegmentationErrors(float("nan"), {})
    with pytest.raises(CaosError, match="no error is given for 'fog'"):
        SegmentationErrors(0.1, {"fog": ()})
