"""Every perturbation against the same contract, and the geometry of those that move pixels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.scenes.labels import VOID
from caos.studies.framework.seeding import generator_for
from caos.studies.perturbations.perturbation import FRAMES, REGISTRY, bring_back, make_perturbation
from caos.studies.perturbations.stability import MapOfFrame, flip_probability
from tests.studies.test_corruptions import distance, street

NOISES = {"gaussian_noise", "shot_noise"}
MOVEMENTS = {"translate", "rotate", "tilt", "scale"}
OTHERS = {"brightness", "motion_blur", "zoom_blur", "snow"}
every_perturbation = pytest.mark.parametrize("name", sorted(NOISES | MOVEMENTS | OTHERS))


def frames_of(name, picture, seed=0, **more):
    return list(make_perturbation(name).sequence(picture, generator_for(seed, "image", name), **more))


def regions(height=90, width=160):
    return np.kron(np.random.default_rng(0).integers(1, 12, (9, 16)), np.ones((10, 10))).astype(np.uint8)[
        :height, :width
    ]


def test_the_ten():
    assert set(REGISTRY.names()) == NOISES | MOVEMENTS | OTHERS
    assert {name for name in REGISTRY.names() if make_perturbation(name).against_first} == NOISES
    assert {name for name in REGISTRY.names() if make_perturbation(name).moves_labels} == MOVEMENTS
    with pytest.raises(CaosError, match=r"unknown perturbation 'titl'; did you mean 'tilt'\?"):
        make_perturbation("titl")


@every_perturbation
@pytest.mark.parametrize("size", [(33, 17), (90, 160)])
def test_a_sequence_has_31_frames_of_the_pictures_size(name, size):
    picture = street(*size)
    kept = picture.copy()
    found = frames_of(name, picture)
    assert len(found) == FRAMES == 31
    assert all(frame.picture.shape == picture.shape and frame.picture.dtype == np.uint8 for frame in found)
    assert all(frame.labels is None for frame in found)
    assert not any(np.shares_memory(frame.picture, picture) for frame in found)
    np.testing.assert_array_equal(picture, kept)
    assert len(frames_of(name, picture, frames=5)) == 5


@every_perturbation
def test_frames_are_reproducible_and_differ_little_from_each_other(name):
    picture = street(90, 160)
    found, again = frames_of(name, picture), frames_of(name, picture)
    for one, other in zip(found, again, strict=True):
        np.testing.assert_array_equal(one.picture, other.picture)
    steps = [distance(one.picture, other.picture) for one, other in itertools.pairwise(found)]
    assert min(steps) > 0.1
    assert max(steps) < 40
    if name not in NOISES:
        assert distance(found[0].picture, found[-1].picture) > 2 * np.mean(steps)


@pytest.mark.parametrize("name", sorted(NOISES | {"snow"}))
def test_other_seeds_give_other_frames(name):
    picture = street(60, 80)
    assert distance(frames_of(name, picture)[1].picture, frames_of(name, picture, seed=1)[1].picture) > 0.5


@pytest.mark.parametrize("name", sorted(NOISES | {"zoom_blur"}))
def test_the_first_frame_is_clean(name):
    picture = street(60, 80)
    np.testing.assert_array_equal(frames_of(name, picture)[0].picture, picture)


@pytest.mark.parametrize("name", ["brightness", "translate", "rotate", "tilt"])
def test_the_middle_frame_is_the_picture(name):
    picture, labels = street(90, 160), regions()
    middle = frames_of(name, picture, labels=labels)[15]
    np.testing.assert_array_equal(middle.picture, picture)
    np.testing.assert_array_equal(middle.labels, labels)


def test_noise_has_the_strength_of_the_paper():
    grey = np.full((150, 200, 3), 128, np.uint8)
    gaussian, shot = (frames_of(name, grey, frames=2)[1].picture.astype(float) for name in sorted(NOISES))
    assert gaussian.std() == pytest.approx(255 * 0.03, rel=0.03)
    assert shot.std() == pytest.approx(255 * np.sqrt(300 * 128 / 255) / 300, rel=0.03)


@pytest.mark.parametrize("name", sorted(OTHERS | NOISES))
def test_labels_stay_where_pixels_stay(name):
    labels = regions()
    for frame in frames_of(name, street(90, 160), labels=labels, frames=3):
        assert frame.labels is labels
        np.testing.assert_array_equal(frame.matrix, np.eye(3))


def test_brightness_rises_by_two_percent_a_frame():
    values = [int(frame.picture[0, 0, 0]) for frame in frames_of("brightness", np.full((20, 20, 3), 100, np.uint8))]
    assert values == pytest.approx([100 + 255 * 0.02 * (k - 15) for k in range(31)], abs=0.51)


def test_translation_moves_whole_pixels():
    picture, labels = street(448, 500), np.arange(448 * 500).reshape(448, 500).astype(np.uint8) % np.uint8(200)
    last = frames_of("translate", picture, labels=labels)[-1]
    np.testing.assert_array_equal(last.picture[:, 30:], picture[:, :-30])
    np.testing.assert_array_equal(last.labels[:, 30:], labels[:, :-30])
    assert (last.labels[:, :30] == VOID).all()


def test_geometry_by_hand():
    picture = street(101, 201)
    corner = np.array([200, 100, 1])
    turned = frames_of("rotate", picture)[-1].matrix @ corner
    angle = np.deg2rad(15)
    # The corner lies (100, 50) from the middle; with rows downwards, 15 degrees lift it.
    assert turned[:2] == pytest.approx(
        [100 + 100 * np.cos(angle) + 50 * np.sin(angle), 50 - 100 * np.sin(angle) + 50 * np.cos(angle)]
    )
    first, last = (frames_of("scale", picture)[k].matrix @ corner for k in (0, -1))
    assert first[:2] == pytest.approx([100 + 40, 50 + 20])
    assert last[:2] == pytest.approx([100 + 115, 50 + 57.5])
    middle = frames_of("tilt", picture)[-1].matrix @ np.array([100, 50, 1])
    assert middle[:2] / middle[2] == pytest.approx([100, 50])
    distance_px, (cos, sin) = np.hypot(101, 201), (np.cos(angle), np.sin(angle))
    # A point 100 to the right: turned about the vertical axis, then about the level one.
    depth = distance_px + 100 * sin * cos
    tilted = frames_of("tilt", picture)[-1].matrix @ np.array([200, 50, 1])
    assert tilted[:2] / tilted[2] == pytest.approx(
        [100 + distance_px * 100 * cos / depth, 50 - distance_px * 100 * sin * sin / depth]
    )


@pytest.mark.parametrize("name", sorted(MOVEMENTS))
def test_labels_move_with_pixels_and_come_back(name):
    labels = regions()
    picture = np.repeat(labels[..., None] * np.uint8(20), 3, axis=2)
    for frame in frames_of(name, picture, labels=labels)[::6]:
        known = frame.labels != VOID
        assert set(np.unique(frame.labels[known])) <= set(np.unique(labels))
        assert (frame.picture[..., 0] == frame.labels * 20)[known].mean() > 0.55
        back, shown = bring_back(frame.labels, frame.matrix)
        assert shown.mean() > 0.5
        assert (back == labels)[shown & (back != VOID)].mean() > 0.9


@pytest.mark.parametrize("name", sorted(MOVEMENTS - {"scale"}))
def test_a_predictor_that_sees_truly_hardly_flips_once_frames_are_brought_back(name):
    labels = regions()
    frames = frames_of(name, street(90, 160), labels=labels)
    brought = [bring_back(frame.labels, frame.matrix) for frame in frames]
    aligned = flip_probability(MapOfFrame(back, shown & (back != VOID)) for back, shown in brought)
    as_they_are = flip_probability(MapOfFrame(frame.labels, frame.labels != VOID) for frame in frames)
    assert aligned < 0.5 * as_they_are


def test_scores_come_back_as_floats():
    scores = np.random.default_rng(0).random((90, 160)).astype(np.float32)
    matrix = np.eye(3)
    matrix[0, 2] = 10
    back, shown = bring_back(scores, matrix)
    np.testing.assert_array_equal(back[:, :-10], scores[:, 10:])
    np.testing.assert_array_equal(shown, np.broadcast_to(np.arange(160) < 150, shown.shape))


def test_bad_input_is_refused_before_the_first_frame():
    tilt, rng = make_perturbation("tilt"), np.random.default_rng(0)
    with pytest.raises(CaosError, match="at least 2 frames, not 1"):
        tilt.sequence(street(60, 80), rng, frames=1)
    with pytest.raises(CaosError, match=r"labels must be \(60, 80\) like their picture, not \(80, 60\)"):
        tilt.sequence(street(60, 80), rng, labels=np.zeros((80, 60), np.uint8))
    with pytest.raises(CaosError, match=r"not float64 \(60, 80, 3\)"):
        tilt.sequence(np.zeros((60, 80, 3)), rng)
