"""Pixel metrics beside scikit-learn, pytorch-ood and plain code, on generated score maps of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from caos import PROTOCOLS
from caos.ood_scores.measuring.pooled import PooledCounts
from tests.reference import others, plain_metrics
from tests.reference.comparison import assert_equal, compare_all
from tests.reference.pixel_checks import Numbers, image_checks, joined, pooled_checks, pooled_numbers
from tests.reference.score_maps import DEFINED, KINDS, ScoredImage, generated_image, generated_images, small_images

SHORT = settings(max_examples=30, deadline=None, derandomize=True)


@SHORT
@given(images=small_images(most_images=1))
def test_small_images(images: list[ScoredImage]) -> None:
    assert_equal(image_checks(images[0]))


@SHORT
@given(images=generated_images(most_images=1))
def test_generated_images(images: list[ScoredImage]) -> None:
    assert_equal(image_checks(images[0]))


@SHORT
@given(images=small_images())
def test_pools_of_small_images(images: list[ScoredImage]) -> None:
    assert_equal(pooled_checks(images))


@SHORT
@given(images=generated_images())
def test_pools_of_generated_images(images: list[ScoredImage]) -> None:
    assert_equal(pooled_checks(images))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_scores(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    images = [generated_image(kind, layout, (30, 50), rng) for layout in ("sparse", "none", "everywhere", "block")]
    assert_equal(image_checks(images[0]))
    assert_equal(pooled_checks(images))


@pytest.mark.parametrize("kind", list(KINDS)[::4])
def test_large_maps(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    images = [generated_image(kind, layout, (160, 220), rng) for layout in DEFINED[:2]]
    assert_equal(image_checks(images[0]))
    assert_equal(pooled_checks(images))


def test_pools_of_millions_of_pixels() -> None:
    # So many that they are ranked piece by piece, and that plain loops take too long.
    rng = np.random.default_rng(7)
    images = [
        generated_image("tanh, float64", layout, (900, 800), rng) for layout in ("sparse", "block", "none", "half")
    ]
    expected = others.scikit_learn(*joined(images))
    ours = pooled_numbers(images, "smiyc")
    wanted: Numbers = {"auroc": expected["auroc"], "aupr": expected["average_precision"]}
    wanted["fpr95"] = expected["fpr_at_least"]
    assert_equal(compare_all("pooled", ours, wanted))


def test_pools_that_keep_few_scores_in_memory() -> None:
    rng = np.random.default_rng(8)
    images = [generated_image("raw", "sparse", (30, 40), rng) for _ in range(5)]
    for most in (1, 700, 10_000):
        pool = PooledCounts(most=most)
        for image in images:
            pool.add(image.scores, image.anomalous, image.ignore)
        found = pool.measure(PROTOCOLS["smiyc"])
        assert {"auroc": found.auroc, "aupr": found.aupr, "fpr95": found.fpr95} == pooled_numbers(images, "smiyc")


def test_the_plain_definitions_by_hand() -> None:
    scores, anomalous = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    found = plain_metrics.measured(scores, anomalous)
    assert found is not None
    # Thresholds 0.8 (1 of 2 found, 0 false), 0.4 (1 of 2, 1 false), 0.35 (2 of 2, 1 false), 0.1 (all).
    assert (found.auroc, found.average_precision) == (0.75, (1 + 2 / 3) / 2)
    assert found.trapezoid == (0.5 * 1 + 0.5 * (1 / 2 + 2 / 3) / 2)
    assert (found.fpr_at_least, found.fpr_above) == (0.5, 0.5)
    assert plain_metrics.measured(scores, np.zeros(4, bool)) is None


def test_the_nearest_recall_takes_the_most_false_positives_below_recall_one() -> None:
    # 9 of 10 found at 0.9, then two ordinary pixels at 0.5 that change no recall, then the last hazard pixel with two
    # ordinary ones, and one more below: |0.9 - 0.95| is less than |1 - 0.95| in doubles.
    scores = np.r_[np.full(9, 0.9), [0.5, 0.5], [0.1, 0.1, 0.1], [0.0]]
    anomalous = np.r_[np.ones(9, bool), [False, False], [True, False, False], [False]]
    found = plain_metrics.measured(scores, anomalous)
    assert found is not None
    assert (found.fpr_nearest, found.fpr_at_least, found.fpr_above) == (2 / 5, 4 / 5, 4 / 5)
