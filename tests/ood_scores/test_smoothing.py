from __future__ import annotations

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.ood_scores.sources.smoothing import smooth


def halves():
    image = np.zeros((60, 120, 3), np.uint8)
    image[:, 60:] = 200
    scores = np.zeros((60, 120)) + (np.arange(120) >= 60) + np.random.default_rng(0).normal(0, 0.5, (60, 120))
    return scores.astype(np.float32), image


def test_noise_shrinks_and_the_edge_of_the_picture_stays():
    scores, image = halves()
    field = smooth(scores, image)
    assert field[:, :60].std() < 0.4 * scores[:, :60].std()
    assert abs(field[:, 59].mean()) < 0.15
    assert abs(field[:, 60].mean() - 1) < 0.15


def test_without_an_edge_the_step_is_blurred():
    scores, image = halves()
    flat = smooth(scores, np.zeros_like(image))
    assert flat[:, 59].mean() > 0.25


def test_a_constant_stays_and_no_pull_changes_nothing():
    scores, image = halves()
    assert smooth(np.full_like(scores, 3.5), image) == pytest.approx(3.5, abs=1e-4)
    assert np.allclose(smooth(scores, image, weight=0.0), scores, atol=1e-6)


def test_sizes_must_agree():
    with pytest.raises(CaosError, match="differ in size"):
        smooth(np.zeros((4, 4), np.float32), np.zeros((5, 4, 3), np.uint8))
