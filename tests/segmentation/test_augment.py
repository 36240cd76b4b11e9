from __future__ import annotations

import numpy as np
import pytest

from caos.scenes.labels import VOID
from caos.segmentation.augmentation.geometry import (
    FILL,
    augment,
    augmix,
    cut_window,
    draw_window,
    jitter_color,
    shift_geometry,
)
from tests.segmentation.little import draw_scene, tiny

COLORS = np.array([[30 * i, 255 - 30 * i, (90 * i) % 256] for i in range(8)], np.uint8)


def _coloured_map(rng, height=60, width=90):
    """A label map of large blocks and the picture in which a pixel's colour is its label's."""
    labels = np.kron(rng.integers(0, 8, (height // 15, width // 15)), np.ones((15, 15))).astype(np.uint8)
    return COLORS[labels], labels


def _read_back(picture):
    distance = np.abs(picture[:, :, None].astype(int) - COLORS[None, None].astype(int)).sum(-1)
    return distance.argmin(-1)


def _agreement(picture, labels) -> float:
    known = labels != VOID
    return float((_read_back(picture)[known] == labels[known]).mean())


@pytest.mark.parametrize("seed", range(6))
def test_scale_crop_and_flip_move_picture_and_labels_together(seed) -> None:
    rng = np.random.default_rng(seed)
    picture, labels = _coloured_map(rng)
    config = tiny(crop=(64, 48), scale=(0.5, 2.0))
    [view], ids = augment(picture, labels, config, rng)
    assert view.shape == (48, 64, 3)
    assert ids.shape == (48, 64)
    assert _agreement(view, ids) > 0.9
    outside = ids == VOID
    inner = outside & ~_border(outside)
    assert (np.abs(view[inner].astype(int) - FILL) <= 1).all()


def _border(mask):
    grown = np.zeros_like(mask)
    for axis in (0, 1):
        for step in (-2, -1, 1, 2):
            grown |= np.roll(~mask, step, axis)
    return grown


@pytest.mark.parametrize("seed", range(12))
def test_augmix_geometry_moves_picture_and_labels_together(seed) -> None:
    rng = np.random.default_rng(seed)
    picture, labels = _coloured_map(rng)
    moved, ids = shift_geometry(picture, labels, rng)
    assert _agreement(moved, ids) > 0.9
    assert (ids != VOID).mean() > 0.6


def test_augmix_geometry_does_move() -> None:
    picture, labels = _coloured_map(np.random.default_rng(0))
    moved = [shift_geometry(picture, labels, np.random.default_rng(s))[1] for s in range(12)]
    assert 2 <= sum(not np.array_equal(m, labels) for m in moved) <= 10


def test_without_crop_the_picture_keeps_its_size() -> None:
    rng = np.random.default_rng(0)
    picture, labels = _coloured_map(rng)
    window = draw_window((labels.shape[1], labels.shape[0]), tiny(augment=("flip",)), rng)
    same, ids = cut_window(picture, labels, window)
    assert same is picture
    assert ids is labels


def test_augmix_stays_close_to_the_picture_and_follows_its_seed() -> None:
    picture, _ = draw_scene(np.random.default_rng(1), 64, 48)
    views = [augmix(picture, np.random.default_rng(s)) for s in (1, 1, 2)]
    assert np.array_equal(views[0], views[1])
    assert not np.array_equal(views[0], views[2])
    assert views[0].dtype == np.uint8
    flat = np.corrcoef(views[0].ravel(), picture.ravel())[0, 1]
    assert flat > 0.5


def test_three_views_for_the_consistency_loss() -> None:
    picture, labels = draw_scene(np.random.default_rng(1), 64, 64)
    config = tiny(augment=("flip", "crop", "augmix"), consistency=12.0)
    views, ids = augment(picture, labels, config, np.random.default_rng(3))
    assert len(views) == 3
    assert all(view.shape == (64, 64, 3) for view in views)
    assert ids.shape == (64, 64)


def test_colour_changes_colour_only() -> None:
    picture, _ = draw_scene(np.random.default_rng(1), 64, 48)
    changed = jitter_color(picture, np.random.default_rng(0))
    assert changed.shape == picture.shape
    assert not np.array_equal(changed, picture)
    assert abs(float(changed.mean()) - float(picture.mean())) < 80
