from __future__ import annotations

import cv2
import numpy as np
import pytest

from caos.segmentation.augmentation.camera import FAULTS, worsen
from caos.segmentation.augmentation.geometry import augment
from caos.segmentation.training.config import CAMERA_FAULTS
from tests.segmentation.little import draw_scene, tiny


def _scene(seed: int = 0):
    return draw_scene(np.random.default_rng(seed), 96, 64)[0]


def _smooth():
    """A scene without grain, which JPEG would lose at any quality."""
    return np.asarray(cv2.GaussianBlur(_scene(), (0, 0), 1.5), np.uint8)


def _grey(value: int = 120):
    return np.full((64, 96, 3), value, np.uint8)


def _many(name: str, picture, count: int = 40, strength: float = 1.0):
    return [FAULTS[name](picture, strength, np.random.default_rng(seed)).astype(float) for seed in range(count)]


def test_exposure_makes_everything_brighter_or_darker_by_a_stop_at_most() -> None:
    means = np.array([p.mean() for p in _many("exposure", _grey())])
    # A grey of 120 is 0.188 of the light; a stop up and down are 165 and 86.
    assert 86 <= means.min() < 92
    assert 158 < means.max() <= 165
    assert all(np.ptp(p) == 0 for p in _many("exposure", _grey(), 5))


def test_white_balance_moves_red_and_blue_and_leaves_green() -> None:
    shifted = np.stack([p[0, 0] for p in _many("white-balance", _grey())])
    assert (shifted[:, 1] == 120).all()
    assert shifted[:, 0].std() > 3
    assert shifted[:, 2].std() > 3
    assert abs(np.corrcoef(shifted[:, 0], shifted[:, 2])[0, 1]) < 0.5


def test_vignetting_takes_light_from_the_corners_alone() -> None:
    for picture in _many("vignette", _grey(), 10):
        assert abs(picture[32, 48, 0] - 120) <= 1
        corners = picture[[0, 0, -1, -1], [0, -1, 0, -1], 0]
        assert np.ptp(corners) <= 1
        assert corners[0] == picture.min()
    assert min(p[0, 0, 0] for p in _many("vignette", _grey())) < 90


def test_blur_smooths_and_keeps_the_mean() -> None:
    scene = _scene()

    def sharpness(picture) -> float:
        return float(cv2.Laplacian(np.asarray(picture, np.float32), cv2.CV_32F).var())

    found = _many("blur", scene)
    assert min(sharpness(p) for p in found) < 0.1 * sharpness(scene)
    assert all(sharpness(p) <= sharpness(scene) for p in found)
    assert all(abs(p.mean() - scene.mean()) < 1 for p in found)


def test_noise_is_zero_on_average_and_grows_with_the_signal() -> None:
    dark, bright = (np.stack(_many("noise", _grey(v), 60)) for v in (20, 200))
    assert abs(bright.mean() - 200) < 0.3
    assert bright.std() > 1.5 * dark.std() > 1
    levels = bright.reshape(60, -1).std(1)
    assert levels.min() < 0.3 * levels.max()


def test_gamma_bends_the_middle_and_keeps_black_and_white() -> None:
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, 2)
    bent = np.stack([p[0, :, 0] for p in _many("gamma", ramp)])
    assert (bent[:, 0] == 0).all()
    assert (bent[:, -1] == 255).all()
    assert (np.diff(bent, axis=1) >= 0).all()
    assert bent[:, 128].min() < 105
    assert bent[:, 128].max() > 150


def test_jpeg_loses_detail_and_not_the_colours() -> None:
    scene = _smooth()
    errors = [np.abs(p - scene).mean() for p in _many("jpeg", scene)]
    assert max(errors) > 3 * min(errors)
    assert max(errors) < 6
    flat = np.zeros((16, 16, 3), np.uint8)
    flat[:] = (200, 40, 90)  # red and blue would change places if the order of channels were mistaken
    assert all(np.abs(p - flat).max() < 8 for p in _many("jpeg", flat, 10))


@pytest.mark.parametrize("name", CAMERA_FAULTS)
def test_each_fault_follows_its_generator_and_its_strength(name) -> None:
    scene = _smooth()
    one, same, other = (FAULTS[name](scene, 1.0, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert one.dtype == np.uint8
    assert one.shape == scene.shape
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    weak = np.mean([np.abs(p - scene).mean() for p in _many(name, scene, 12, 0.2)])
    strong = np.mean([np.abs(p - scene).mean() for p in _many(name, scene, 12, 1.5)])
    assert weak < 0.6 * strong


@pytest.mark.parametrize("name", CAMERA_FAULTS)
def test_a_fault_happens_to_its_share_of_the_pictures_and_never_to_labels(name) -> None:
    scene, labels = _scene(), np.arange(64 * 96, dtype=np.uint8).reshape(64, 96) % 13
    config = tiny(augment=(name,), camera_share=0.25)
    changed = 0
    for seed in range(80):
        [view], ids = augment(scene, labels, config, np.random.default_rng(seed))
        changed += not np.array_equal(view, scene)
        assert np.array_equal(ids, labels)
    assert 9 <= changed <= 32
    never = tiny(augment=(name,), camera_share=0.0)
    assert all(np.array_equal(augment(scene, labels, never, np.random.default_rng(s))[0][0], scene) for s in range(5))


def test_camera_stands_for_all_of_them() -> None:
    scene = _scene()
    listed = tiny(augment=CAMERA_FAULTS, camera_share=1.0)
    whole = tiny(augment=("camera",), camera_share=1.0)
    one, other = (worsen(scene, config, np.random.default_rng(5)) for config in (listed, whole))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, scene)
