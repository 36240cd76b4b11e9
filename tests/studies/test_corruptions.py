"""Every corruption against the same contract, and hand-worked values of the simple ones."""

from __future__ import annotations

import itertools
import subprocess
import sys

import cv2
import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.studies.corruptions.blurring import bell_blur, disc_kernel, streak_kernel
from caos.studies.corruptions.corruption import (
    REGISTRY,
    SEVERITIES,
    common_corruptions,
    extra_corruptions,
    make_corruption,
)
from caos.studies.corruptions.draws import POISSON_STEPS, normal_quantiles, poisson_bytes
from caos.studies.corruptions.ice import MEAN_LIGHT, frost_pane
from caos.studies.corruptions.kinds.elastic_transform import STRETCHES, elastic_maps
from caos.studies.corruptions.kinds.glass_blur import scatter
from caos.studies.corruptions.kinds.snow import SNOWFALLS, flake_layer
from caos.studies.corruptions.paper_scale import length_scale, paper_grid
from caos.studies.corruptions.plasma import plasma
from caos.studies.corruptions.sheet import contact_sheet
from caos.studies.corruptions.tones import scale_saturation, shift_value
from caos.studies.framework.seeding import generator_for

TESTED = {
    "gaussian_noise", "shot_noise", "impulse_noise", "defocus_blur", "glass_blur", "motion_blur", "zoom_blur", "snow",
    "frost", "fog", "brightness", "contrast", "elastic_transform", "pixelate", "jpeg_compression",
}  # fmt: skip
HELD_OUT = {"speckle_noise", "gaussian_blur", "spatter", "saturate"}
UNSEEDED = {
    "defocus_blur", "zoom_blur", "brightness", "contrast", "pixelate", "jpeg_compression", "gaussian_blur", "saturate",
}  # fmt: skip
SIZES = ((33, 17), (17, 33), (64, 64), (224, 224), (360, 640))

every_corruption = pytest.mark.parametrize("name", sorted(TESTED | HELD_OUT))


def street(height=180, width=320, seed=0):
    """A picture with edges, texture, colours and both ends of the range."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    sky = np.stack([140 + 60 * rows / height, 170 + 50 * rows / height, 220 + 10 * columns / width], 2)
    road = np.stack([70 + 30 * rows / height] * 3, 2)
    picture = np.where((rows > height / 2)[..., None], road, sky)
    for _ in range(30):
        x, y = rng.integers(0, width), rng.integers(0, height)
        picture[y : y + height // 6, x : x + width // 8] = rng.integers(0, 256, 3)
    coarse = cv2.resize(rng.normal(0, 1, (height // 4 + 1, width // 4 + 1, 3)), (width, height))
    picture = picture + 12 * coarse
    picture[: height // 10, : width // 10], picture[-height // 10 :, : width // 10] = 255, 0
    return np.clip(picture, 0, 255).astype(np.uint8)


def corrupted(name, picture, severity=3, seed=0):
    return make_corruption(name).corrupt(picture, severity, generator_for(seed, "image", name, severity))


def distance(one, other):
    return float(np.abs(one.astype(np.float64) - other).mean())


def test_the_fifteen_and_the_four():
    assert set(common_corruptions()) == TESTED
    assert set(extra_corruptions()) == HELD_OUT
    groups = [make_corruption(name).group for name in TESTED]
    assert {group: groups.count(group) for group in groups} == {"noise": 3, "blur": 4, "weather": 4, "digital": 4}
    assert sorted(make_corruption(name).group for name in HELD_OUT) == ["blur", "digital", "noise", "weather"]
    assert [name for name in TESTED | HELD_OUT if make_corruption(name).moves_labels] == ["elastic_transform"]


@every_corruption
def test_what_is_read_without_importing_is_what_the_class_says(name):
    corruption, entry = make_corruption(name), REGISTRY.entry(name)
    assert entry.traits["title"] == corruption.title
    assert entry.traits["group"] == corruption.group
    assert entry.traits.get("held_out", False) == corruption.held_out
    assert entry.summary.endswith(".")
    assert len(entry.summary) < 140
    assert {severity for chain in corruption.rising for severity in chain} == set(SEVERITIES)


def test_listing_imports_no_picture_library():
    code = (
        "import sys; from caos.studies.corruptions.corruption import common_corruptions as names; "
        "print(len(names()), 'cv2' in sys.modules, 'scipy' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["15", "False", "False", "False"]


def test_names_are_checked():
    assert REGISTRY.parse("fog, snow,fog") == ("fog", "snow")
    assert set(REGISTRY.parse("all")) == TESTED | HELD_OUT
    with pytest.raises(CaosError, match=r"unknown corruption 'fogg'; did you mean 'fog'\?"):
        REGISTRY.parse("fogg")
    with pytest.raises(CaosError, match="no corruption in ' ,'"):
        REGISTRY.parse(" ,")


@pytest.mark.parametrize(
    ("picture", "severity", "words"),
    [
        (np.zeros((20, 20, 3), np.float32), 1, r"uint8 \(h, w, 3\).*not float32 \(20, 20, 3\)"),
        (np.zeros((20, 20), np.uint8), 1, r"not uint8 \(20, 20\)"),
        (np.zeros((7, 20, 3), np.uint8), 1, r"at least 8 x 8, not uint8 \(7, 20, 3\)"),
        (np.zeros((20, 20, 3), np.uint8), 0, "severity must be 1..5, not 0"),
        (np.zeros((20, 20, 3), np.uint8), 6, "severity must be 1..5, not 6"),
    ],
)
def test_bad_input_is_refused(picture, severity, words):
    with pytest.raises(CaosError, match=words):
        make_corruption("fog").corrupt(picture, severity, np.random.default_rng(0))


@every_corruption
@pytest.mark.parametrize("size", SIZES)
def test_any_size_gives_a_new_picture_of_the_same_size(name, size):
    picture = street(*size)
    kept = picture.copy()
    for severity in SEVERITIES:
        found = corrupted(name, picture, severity)
        assert found.dtype == np.uint8
        assert found.shape == picture.shape
        assert not np.shares_memory(found, picture)
        assert not np.array_equal(found, picture) or min(size) < 64
    np.testing.assert_array_equal(picture, kept)


@every_corruption
def test_large_pictures_and_strided_ones(name):
    large = street(1024, 2048)
    found = corrupted(name, large)
    assert found.shape == large.shape
    assert distance(found, large) > 1
    view = np.repeat(street(40, 60), 2, axis=1)[:, ::2]
    np.testing.assert_array_equal(corrupted(name, view), corrupted(name, view.copy()))


@every_corruption
def test_the_seed_decides_alone(name):
    picture = street(90, 160)
    first = corrupted(name, picture, seed=0)
    np.testing.assert_array_equal(first, corrupted(name, picture, seed=0))
    assert np.array_equal(first, corrupted(name, picture, seed=1)) == (name in UNSEEDED)


@every_corruption
def test_threads_change_nothing(name):
    picture, threads = street(360, 640), cv2.getNumThreads()
    found = []
    try:
        for number in (1, 2, 5):
            cv2.setNumThreads(number)
            found.append([corrupted(name, picture, severity) for severity in (2, 5)])
    finally:
        cv2.setNumThreads(threads)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


# Veils lighten one place and darken another, so that the mean difference says little of how much they hide.
VEILS = {"fog", "frost"}


def dissimilarity(one, other):
    from skimage.metrics import structural_similarity

    return 1 - structural_similarity(one, other, channel_axis=2)


@every_corruption
@pytest.mark.parametrize("size", [(180, 320), (224, 224)])
def test_severity_takes_the_picture_farther_from_the_original(name, size):
    corruption, pictures = make_corruption(name), [street(*size, seed=seed) for seed in range(6)]
    measure = dissimilarity if name in VEILS else distance
    means = {
        severity: np.mean([
            measure(corruption.corrupt(one, severity, generator_for(k, "same", name)), one)
            for k, one in enumerate(pictures)
        ])
        for severity in SEVERITIES
    }  # fmt: skip
    for chain in corruption.rising:
        assert all(means[low] < means[high] for low, high in itertools.pairwise(chain)), means
        assert means[chain[0]] > 0.2


# Black and white pictures: the sign of what may happen to them. A wrapped value would be at the other end.
NEAR_BLACK = {
    "shot_noise": 0, "speckle_noise": 0, "defocus_blur": 0, "gaussian_blur": 0, "glass_blur": 0, "motion_blur": 0,
    "zoom_blur": 0, "fog": 0, "contrast": 0, "elastic_transform": 0, "pixelate": 0, "jpeg_compression": 2,
    "saturate": 0,
}  # fmt: skip
STAYS_WHITE = {
    "defocus_blur", "gaussian_blur", "glass_blur", "motion_blur", "zoom_blur", "snow", "brightness", "contrast",
    "elastic_transform", "pixelate", "saturate",
}  # fmt: skip


@pytest.mark.parametrize("severity", SEVERITIES)
@every_corruption
def test_nothing_wraps_at_the_ends(name, severity):
    black = corrupted(name, np.zeros((96, 128, 3), np.uint8), severity)
    white = corrupted(name, np.full((96, 128, 3), 255, np.uint8), severity)
    if name in NEAR_BLACK:
        assert black.max() <= NEAR_BLACK[name]
    if name in STAYS_WHITE:
        assert white.min() == 255
    if name == "jpeg_compression":
        assert white.min() >= 253
    if name == "gaussian_noise":
        # Half of all noise is clipped; a wrapped value would be spread over the other end.
        assert (black == 0).mean() == pytest.approx(0.5, abs=0.03)
        assert (white == 255).mean() == pytest.approx(0.5, abs=0.03)
    if name == "spatter" and severity >= 4:
        assert black.max() <= 63
        assert white.min() >= 20


def test_labels_stay_unless_the_corruption_moves_pixels():
    picture, labels = street(90, 160), np.arange(90 * 160).reshape(90, 160).astype(np.uint8)
    for name in sorted((TESTED | HELD_OUT) - {"elastic_transform"}):
        rng = generator_for(0, "image", name, 3)
        found, kept = make_corruption(name).corrupt_pair(picture, labels, 3, rng)
        np.testing.assert_array_equal(found, corrupted(name, picture, 3))
        assert kept is labels
    with pytest.raises(CaosError, match=r"labels must be \(90, 160\) like their picture, not \(90, 161\)"):
        make_corruption("fog").corrupt_pair(picture, np.zeros((90, 161), np.uint8), 1, rng)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_elastic_labels_move_with_their_pixels(severity):
    labels = np.kron(np.random.default_rng(0).integers(0, 12, (6, 10)), np.ones((30, 30))).astype(np.uint8)
    picture = np.repeat(labels[..., None] * np.uint8(20), 3, axis=2)
    corruption = make_corruption("elastic_transform")
    found, moved = corruption.corrupt_pair(
        picture, labels, severity, generator_for(0, "a", "elastic_transform", severity)
    )
    np.testing.assert_array_equal(
        found, corruption.corrupt(picture, severity, generator_for(0, "a", "elastic_transform", severity))
    )
    assert set(np.unique(moved)) <= set(np.unique(labels))
    assert (moved != labels).mean() > 0.02
    # Away from borders between labels, where colours mix, a pixel's colour is that of its label.
    inner = cv2.erode(moved, np.ones((3, 3))) == cv2.dilate(moved, np.ones((3, 3)))
    assert inner.mean() > 0.4
    assert (found[..., 0] == moved * 20)[inner].mean() > 0.995


def test_elastic_field_keeps_its_share_of_the_picture():
    shift = {}
    for size in ((224, 224), (672, 672)):
        columns, _ = elastic_maps((*size, 3), STRETCHES[4]._replace(affine=0), np.random.default_rng(0))
        shift[size[0]] = (columns - np.arange(size[1])).std()
    # Uniform noise blurred by a bell of deviation s deviates by 1 / sqrt(3) / (2 s sqrt(pi)).
    expected = STRETCHES[4].strength / np.sqrt(3) / (2 * STRETCHES[4].smoothness * np.sqrt(np.pi))
    assert shift[224] == pytest.approx(expected, rel=0.1)
    assert shift[672] == pytest.approx(3 * shift[224], rel=0.1)


def test_gaussian_noise_has_the_deviation_of_the_table():
    grey = np.full((200, 300, 3), 128, np.uint8)
    for severity, deviation in ((1, 0.08), (2, 0.12)):
        noise = corrupted("gaussian_noise", grey, severity).astype(float) - 128
        assert noise.std() == pytest.approx(255 * deviation, rel=0.01)
        assert noise.mean() == pytest.approx(0, abs=0.2)
        assert abs(np.corrcoef(noise[..., 0].ravel(), noise[..., 1].ravel())[0, 1]) < 0.02
    assert normal_quantiles().std() == pytest.approx(1, abs=1e-3)


def test_speckle_noise_grows_with_the_light():
    deviations = [
        (corrupted("speckle_noise", np.full((200, 300, 3), value, np.uint8), 1).astype(float) - value).std()
        for value in (40, 120)
    ]
    assert deviations == pytest.approx([40 * 0.15, 120 * 0.15], rel=0.02)


@pytest.mark.parametrize(("photons", "value"), [(60, 200), (12, 90), (3, 40)])
def test_shot_noise_is_poisson(photons, value):
    from scipy.stats import poisson

    row, expected = poisson_bytes(photons)[value], photons * value / 255
    for count in range(photons):
        share = (row == round(count / photons * 255)).mean()
        assert share == pytest.approx(poisson.pmf(count, expected), abs=1.5 / POISSON_STEPS)


def test_impulses_are_half_black_and_half_white():
    noisy = corrupted("impulse_noise", np.full((200, 300, 3), 100, np.uint8), 5)
    assert (noisy == 0).mean() == pytest.approx(0.135, abs=0.003)
    assert (noisy == 255).mean() == pytest.approx(0.135, abs=0.003)
    assert (noisy == 100).mean() == pytest.approx(0.73, abs=0.004)


def test_blurs_against_scikit_image():
    from skimage.filters import gaussian

    picture = street()
    ours = bell_blur(picture, 2.5).astype(float)
    theirs = gaussian(picture.astype(float), sigma=2.5, channel_axis=2, mode="mirror")
    assert np.abs(ours - theirs).max() <= 0.75


def test_kernels():
    disc = disc_kernel(6, 0.1)
    assert disc.sum() == pytest.approx(1, abs=1e-5)
    assert (disc > 0.5 * disc.max()).sum() == pytest.approx(np.pi * 6**2, rel=0.05)
    kernel, (column, row) = streak_kernel(2, 100, 0)
    assert row == 0
    assert column == 0
    np.testing.assert_allclose(kernel[0, :6], [0.2, 0.2, 0.2, 0.2, 0.2, 0], atol=1e-3)
    assert kernel[1:].sum() == pytest.approx(0, abs=1e-6)
    steep, (column, row) = streak_kernel(5, 3, -90)
    assert steep.sum() == pytest.approx(1, abs=1e-5)
    assert row == 10
    assert steep[row, column] == steep.max()


def test_motion_blur_is_a_trail_to_one_side():
    picture = np.zeros((224, 224, 3), np.uint8)
    picture[:, 112] = 255
    blurred = corrupted("motion_blur", picture, 5)[112, :, 0].astype(int)
    assert blurred[113:].max() == 0
    assert (np.diff(blurred[80:112]) >= 0).all()
    assert blurred[90] > 0


def test_glass_scatters_no_farther_than_its_jump():
    picture = np.zeros((60, 60, 3), np.uint8)
    picture[..., 0], picture[..., 1] = np.arange(60), np.arange(60)[:, None]
    moved = scatter(picture, 3, np.random.default_rng(0)).astype(int) - picture
    steps, counts = np.unique(moved[3:-3, 3:-3, :2], return_counts=True)
    assert steps.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert counts / counts.sum() == pytest.approx(np.full(7, 1 / 7), rel=0.1)


def test_glass_grain_is_as_coarse_as_on_the_papers_pictures():
    picture = np.zeros((448, 448, 3), np.uint8)
    picture[..., 0], picture[..., 1] = np.arange(448) // 2, np.arange(448) % 2
    moved = scatter(picture, 8, np.random.default_rng(0)).astype(int)
    jumps = 2 * moved[..., 0] + moved[..., 1] - np.arange(448)
    assert (jumps[:, 20:-20:2] == jumps[:, 21:-19:2]).all()
    assert (jumps[:, 21:-21:2] == jumps[:, 22:-20:2]).mean() == pytest.approx(1 / 17, rel=0.1)


def test_zoom_blur_leaves_the_middle_sharp():
    picture = street(181, 321)
    blurred = corrupted("zoom_blur", picture, 5)
    change = np.abs(blurred.astype(int) - picture).mean(2)
    assert change[85:96, 155:166].mean() < 0.5 * change.mean()
    dot = np.zeros((201, 201, 3), np.uint8)
    dot[100, 190] = 255
    trail = corrupted("zoom_blur", dot, 5)[100, :, 0]
    assert trail[:189].max() == 0
    assert trail[192:].max() > 0


def test_brightness_is_the_value_of_hsv():
    from skimage.color import hsv2rgb, rgb2hsv

    picture = street()
    for amount in (0.3, -0.2):
        hsv = rgb2hsv(picture)
        hsv[..., 2] = np.clip(hsv[..., 2] + amount, 0, 1)
        np.testing.assert_allclose(shift_value(picture, amount), 255 * hsv2rgb(hsv), atol=0.51)


def test_saturation_is_that_of_hsv_and_greys_stay_grey():
    from skimage.color import hsv2rgb, rgb2hsv

    picture = street()
    for gain, shift in ((0.3, 0), (2, 0), (5, 0.1)):
        hsv = rgb2hsv(picture)
        colourful = hsv[..., 1] > 0
        hsv[..., 1] = np.clip(hsv[..., 1] * gain + shift, 0, 1)
        found = scale_saturation(picture, gain, shift)
        np.testing.assert_allclose(found[colourful], 255 * hsv2rgb(hsv)[colourful], atol=0.51)
        np.testing.assert_array_equal(found[~colourful], picture[~colourful])


def test_contrast_by_hand():
    picture = np.zeros((10, 10, 3), np.uint8)
    picture[:5] = 200
    found = corrupted("contrast", picture, 1)
    assert set(np.unique(found)) == {60, 140}


def test_pixelate_makes_the_blocks_of_the_table():
    picture = street(448, 448)
    found = corrupted("pixelate", picture, 5)
    blocks = found.reshape(56, 8, 56, 8, 3)
    assert (blocks == blocks[:, :1, :, :1]).all()
    np.testing.assert_allclose(blocks[:, 0, :, 0], picture.reshape(56, 8, 56, 8, 3).mean((1, 3)), atol=0.51)


def test_jpeg_against_pillow():
    import io

    from PIL import Image

    picture, held = street(), io.BytesIO()
    Image.fromarray(picture).save(held, "JPEG", quality=10)
    assert distance(corrupted("jpeg_compression", picture, 4), np.asarray(Image.open(held))) < 1.0


def test_fog_by_hand():
    picture = street()
    foggy = corrupted("fog", picture, 1).astype(float)
    surface = (foggy - picture / 2.5) / (255 * 1.5 / 2.5)
    assert surface.min() == pytest.approx(0, abs=0.02)
    assert surface.max() == pytest.approx(1, abs=0.02)
    np.testing.assert_allclose(surface[..., 0], surface[..., 2], atol=0.01)


def test_plasma_is_rougher_for_a_smaller_decay():
    rough, smooth = (plasma((224, 400), decay, np.random.default_rng(0)) for decay in (1.4, 2.0))
    for surface in (rough, smooth):
        assert surface.shape == (224, 400)
        assert (surface.min(), surface.max()) == (0, 1)
    assert np.abs(np.diff(rough, axis=1)).mean() > 2 * np.abs(np.diff(smooth, axis=1)).mean()


def test_frost_panes_send_back_the_same_light():
    panes = [frost_pane(number) for number in range(2)]
    for pane in panes:
        assert pane.mean() / 255 == pytest.approx(MEAN_LIGHT, rel=0.1)
        assert pane.std() > 30
    assert distance(*panes) > 30


def test_flakes_keep_their_share_of_the_picture():
    found = [flake_layer(size, SNOWFALLS[2], np.random.default_rng(0)) for size in ((224, 224), (896, 896))]
    shares = [(layer > 0).mean() for layer in found]
    assert shares[0] == pytest.approx(shares[1], rel=0.15)
    counts = [cv2.connectedComponents((layer > 0).astype(np.uint8))[0] for layer in found]
    assert counts[0] == pytest.approx(counts[1], rel=0.25)


def test_the_same_picture_at_twice_the_size_is_as_blurred():
    picture = street(224, 224)
    double = cv2.resize(picture, (448, 448), interpolation=cv2.INTER_NEAREST)
    for name in ("defocus_blur", "gaussian_blur"):
        halved = cv2.resize(corrupted(name, double, 4), (224, 224), interpolation=cv2.INTER_AREA)
        assert distance(halved, corrupted(name, picture, 4)) < 1.0
    assert length_scale((448, 900, 3)) == 2
    assert paper_grid((360, 640, 3)) == (224, 399)


def test_generators_depend_on_every_part_of_the_key():
    keys = [(0, "a", "fog", 1), (1, "a", "fog", 1), (0, "b", "fog", 1), (0, "a", "snow", 1), (0, "a", "fog", 2)]
    drawn = [generator_for(*key).integers(0, 2**62) for key in keys]
    assert len(set(drawn)) == len(keys)
    assert drawn[0] == generator_for(0, "a", "fog", 1).integers(0, 2**62) == 2957534361819524805


def test_contact_sheet_shows_every_severity():
    sheet = contact_sheet(street(), ("contrast", "fog"), width=160)
    assert sheet.shape == (180, 800, 3)
    spread = [sheet[30:90, 160 * k : 160 * (k + 1)].std() for k in range(5)]
    assert spread == sorted(spread, reverse=True)
