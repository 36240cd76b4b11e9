"""Flagged regions and histograms of score codes, against scipy and numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from caos.ood_scores.evaluation.flagged import flagged_regions


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.45, 0.6, 1.0])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2), (40, 61)])
def test_flagged_regions_are_those_that_scipy_finds(share, shape):
    rng = np.random.default_rng(0)
    codes = np.where(rng.random(shape) < share, rng.integers(100, 256, shape), 0).astype(np.uint8)
    for ignore in (None, rng.random(shape) < 0.2):
        mask = codes >= 100 if ignore is None else (codes >= 100) & ~ignore
        labels, number = ndimage.label(mask, np.ones((3, 3)))
        every = np.arange(1, number + 1)
        pixels, means = (np.asarray(of(codes, labels, every)) for of in (_pixels, ndimage.mean))
        for smallest in (1, 3):
            found, confidence = flagged_regions(codes, 100, ignore, smallest)
            assert sorted(found.sizes[1:]) == sorted(pixels[pixels >= smallest])
            assert sorted(confidence) == pytest.approx(sorted(means[pixels >= smallest]))
            # The same pixels belong together, whatever the numbers are.
            wanted = np.where(np.isin(labels, every[pixels >= smallest]), labels, 0).ravel()
            pairs = np.unique([found.at(np.arange(codes.size)), wanted], axis=1)
            assert len(np.unique(pairs[0])) == len(np.unique(pairs[1])) == pairs.shape[1]


def _pixels(codes, labels, every):
    return np.array([np.count_nonzero(labels == number) for number in every], np.int64)


def test_parts_that_meet_late_are_one_region():
    rows = ["#.#.#.#", "#.#.#.#", "###.###", "...#...", "#.....#", ".#####."]
    codes = np.array([[200 * (letter == "#") for letter in row] for row in rows], np.uint8)
    regions, _ = flagged_regions(codes, 1, None, 1)
    assert regions.sizes.tolist() == [0, int((codes > 0).sum()) - 7, 7]
    assert regions.at(np.array([0]))[0] == regions.at(np.array([6]))[0] == 1


def test_no_code_reaches_the_level_beyond_the_last():
    regions, confidence = flagged_regions(np.full((4, 4), 255, np.uint8), 256, None, 1)
    assert regions.sizes.tolist() == [0]
    assert confidence.size == 0
