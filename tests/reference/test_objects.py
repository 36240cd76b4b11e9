"""Components beside plain code, instances beside pycocotools."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caos.ood_scores.measuring.components import Track
from tests.reference import plain_objects
from tests.reference.comparison import assert_equal
from tests.reference.object_checks import LIMITS, ObjectImage, generated_objects, object_checks, object_images


@settings(max_examples=40, deadline=None, derandomize=True)
@given(images=object_images(), track=st.sampled_from(LIMITS))
def test_generated_objects(images: list[ObjectImage], track: Track) -> None:
    assert_equal(object_checks(images, track))


@pytest.mark.parametrize("track", LIMITS, ids=lambda track: track.name)
def test_a_set_of_images(track: Track) -> None:
    rng = np.random.default_rng(5)
    assert_equal(object_checks([generated_objects(rng, (64, 96)) for _ in range(12)], track))


def test_the_plain_components_by_hand() -> None:
    # One region over two neighbouring objects and two pixels beside them; a third object is too small to count.
    objects = np.array([[1, 1, 2, 2, 2, 0, 0, 0, 3]])
    flagged = np.array([[1, 1, 1, 0, 0, 0, 0, 1, 1]], bool)
    found = plain_objects.components(flagged, plain_objects.objects_of(objects), np.zeros((1, 9), bool), 1, 2)
    # Of the second object one of three is covered; the region's pixels on the first are in no union.
    assert found.siou == [1.0, 1 / 3]
    # The second region keeps one pixel, which lies on no object that counts.
    assert found.ppv == [1.0, 0.0]
    assert found.counts(0.5) == (1, 1, 1)
