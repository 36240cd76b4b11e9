"""What a scoring run counts of an image, against straightforward counts of its pixels."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from caos.foundation.errors import CaosError
from caos.ood_scores.evaluation.counting import ImageCounter
from caos.ood_scores.evaluation.flagged import flagged_regions
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.breakdowns import by_class, class_pixels
from caos.ood_scores.measuring.components import Regions
from caos.ood_scores.measuring.metrics import Counts
from caos.ood_scores.measuring.open_set import OpenSetCounts, SegmentedImage, halve
from caos.ood_scores.measuring.pixel_counts import BASE, Calibration, PixelCategories, PixelCounts, Policy
from caos.ood_scores.measuring.score_grid import ScoreGrid
from caos.ood_scores.measuring.thresholds import thresholds_of
from caos.scenes.labels import VOID
from tests.ood_scores import little

SHAPE, CLASSES = (37, 53), ("road", "other", "sky")
OTHER = Policy(ignores_void=True, ignores_classes=("other",))
ALL = Policy(ignores_void=False, ignores_classes=())
POLICIES = (ALL, BASE, OTHER)
KINDS = {
    "plain": lambda z: z.astype(np.float32),
    "integers": lambda z: (4 * z).round().astype(np.float32),
    "probabilities": lambda z: (1 / (1 + np.exp(-8 * z))).astype(np.float32),
    "wide": lambda z: (np.sign(z) * np.exp(12 * z)).astype(np.float32),
    "two values": lambda z: (z > 1).astype(np.float32),
    "constant": lambda z: np.zeros(z.shape, np.float32),
    "double": lambda z: 1e6 + z * 1e-9,
    "wide integers": lambda z: (1000 * z).astype(np.int64) + 2**40,
}


def an_image(kind, rng, hazards="some"):
    anomalous = {
        "some": rng.random(SHAPE) < 0.1,
        "one pixel": np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE) == 500,
        "none": np.zeros(SHAPE, np.bool_),
        "all": np.ones(SHAPE, np.bool_),
    }[hazards]
    scores = KINDS[kind](rng.normal(size=SHAPE) + anomalous)
    if scores.dtype == np.float32:
        scores.flat[::97] *= np.float32(-0.0)  # both zeros
    ids = np.where(rng.random(SHAPE) < 0.1, VOID, rng.integers(0, len(CLASSES), SHAPE)).astype(np.uint8)
    return scores, anomalous, np.where(anomalous, len(CLASSES), ids).astype(np.uint8)


def ignored_by(policy, ids, anomalous):
    left_out = np.isin(ids, [number for number, name in enumerate(CLASSES) if name in policy.ignores_classes])
    return (left_out | (policy.ignores_void & (ids == VOID))) & ~anomalous


def counted(kind, hazards="some", images=3, folder=None, most=1 << 20, open_set=None):
    rng = np.random.default_rng(5)
    first = an_image(kind, rng)
    calibration = Calibration.of(first[0].ravel(), first[1].ravel())
    counts = PixelCounts({"x": calibration}, PixelCategories(CLASSES), open_set, folder, most)
    seen = []
    for number in range(images):
        scores, anomalous, ids = an_image(kind, rng, hazards)
        codes = np.empty(SHAPE, np.uint8)
        image = None
        if open_set is not None:
            predicted = rng.integers(0, len(CLASSES), SHAPE, np.uint8)
            image = SegmentedImage.of("t5", predicted, ids, anomalous, ignored_by(OTHER, ids, anomalous), len(CLASSES))
            open_set.add_image(image)
        counter = ImageCounter(counts.categories.of(ids, anomalous), POLICIES, image, number, counts)
        seen.append((scores, anomalous, ids, codes, counter.count("x", scores, codes), image))
    return counts, seen


def table_of(scores, anomalous, ignore):
    try:
        return metrics.count(scores, anomalous, ignore)
    except CaosError:
        return None


def same_table(found: Counts | None, wanted: Counts | None) -> None:
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert (found.positives, found.negatives) == (wanted.positives, wanted.negatives)
        for name in ("thresholds", "gained", "true_positives", "false_positives", "negatives_above"):
            assert_array_equal(getattr(found, name), getattr(wanted, name), name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hazards", ["some", "one pixel", "none", "all"])
def test_tables_by_every_policy_are_those_of_the_pixels_that_count(kind, hazards):
    _, seen = counted(kind, hazards)
    for scores, anomalous, ids, _, tables, _ in seen:
        for policy in POLICIES:
            same_table(tables[policy.name], table_of(scores, anomalous, ignored_by(policy, ids, anomalous)))


@pytest.mark.parametrize("kind", KINDS)
def test_flagging_from_a_printed_threshold_gives_exactly_the_printed_shares(kind):
    counts, seen = counted(kind, images=8)
    kept = [~ignored_by(BASE, ids, anomalous) for _, anomalous, ids, *_ in seen]
    scores, anomalous, codes = (
        np.concatenate([part[k][which] for part, which in zip(seen, kept, strict=True)]) for k in (0, 1, 3)
    )
    levels = thresholds_of(counts, "x")
    assert len(levels) == len(counts.calibrations["x"].levels)
    for level in json.loads(json.dumps([vars(level) for level in levels])):
        flagged = scores >= level["score"]
        assert_array_equal(flagged, codes >= level["code"])
        assert level["recall"] == flagged[anomalous].mean()
        assert level["false_alarms"] == flagged[~anomalous].mean()
        true = np.count_nonzero(flagged & anomalous)
        assert level["pixel_f1"] == pytest.approx(2 * true / max(flagged.sum() + anomalous.sum(), 1))
        assert not flagged.any() or level["score"] == scores[flagged].min() or (kind != "integers")


@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms_by_class_are_read_at_exactly_the_pooled_threshold(kind):
    counts, seen = counted(kind, images=5)
    scores, anomalous, ids = (np.concatenate([part[k].ravel() for part in seen]) for k in range(3))
    hits = np.sort(scores[anomalous])[::-1]
    threshold = hits[np.argmax(np.arange(1, hits.size + 1) / hits.size >= 0.95)]
    found = by_class({"x": class_pixels(counts, "x")}, CLASSES)
    for number, name in enumerate(CLASSES):
        own = scores[ids == number]
        assert found[name].count == own.size
        assert found[name].scorers["x"]["fpr95"] == (own >= threshold).mean()


@pytest.mark.parametrize("kind", KINDS)
def test_open_set_counts_are_those_of_the_steps(kind):
    counts, seen = counted(kind, open_set=OpenSetCounts(("t5",), len(CLASSES)))
    calibration = counts.calibrations["x"]
    number = len(calibration.steps) + 1
    wanted = np.zeros((3 * len(CLASSES), number), np.int64)
    halves = np.zeros((2, number), np.int64)
    for scores, *_, image in seen:
        steps = calibration.step_of_cell[calibration.grid.cell_of(scores)]
        wanted += little.count_by_step(image.pixels, steps, number)
        steps = calibration.step_of_cell[calibration.grid.cell_of(halve(scores))]
        halves += little.count_by_step(image.halved, steps, number)
    assert_array_equal(counts.open_set.by_class["x"][0].reshape(wanted.shape), wanted)
    assert_array_equal(counts.open_set.halved["x"][0], halves)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
@pytest.mark.parametrize("relative", [False, True])
def test_the_lowest_score_of_a_cell_is_where_it_begins(dtype, relative):
    grid = ScoreGrid(-3.0e8, 1e-4, True) if relative else ScoreGrid(0.5, 20.0, False)
    cells = np.array([1, 2, 500, 30_000, 65_000])
    lowest = grid.lowest_scores(cells, dtype)
    assert lowest.dtype == dtype
    is_float = np.dtype(dtype).kind == "f"
    with np.errstate(over="ignore"):
        reached = np.isfinite(lowest) if is_float else lowest < np.iinfo(dtype).max
        before = np.nextafter(lowest, dtype(-np.inf)) if is_float else lowest - (lowest > np.iinfo(dtype).min)
        assert (grid.cell_of(lowest)[reached] >= cells[reached]).all()
        moved = reached & (before != lowest)
        assert (grid.cell_of(before)[moved] < cells[moved]).all()
    assert reached.any()


def test_counts_of_other_processes_are_those_of_one(tmp_path):
    whole, seen = counted("probabilities", images=6, open_set=OpenSetCounts(("t5",), len(CLASSES)))
    parts = [
        PixelCounts(whole.calibrations, whole.categories, OpenSetCounts(("t5",), len(CLASSES)), tmp_path)
        for _ in range(3)
    ]
    for number, (scores, anomalous, ids, _, _, image) in enumerate(seen):
        part = parts[number % 3]
        part.open_set.add_image(image)
        counter = ImageCounter(part.categories.of(ids, anomalous), POLICIES, image, number, part)
        counter.count("x", scores, np.empty(SHAPE, np.uint8))
    total = parts[0]
    for part in parts[1:]:
        arrived = PixelCounts(whole.calibrations, whole.categories, OpenSetCounts(("t5",), len(CLASSES)), tmp_path)
        arrived.restore(part.arrays())
        total.merge(arrived)
    assert thresholds_of(total, "x") == thresholds_of(whole, "x")
    assert_array_equal(total.codes["x"], whole.codes["x"])
    assert_array_equal(class_pixels(total, "x").flagged, class_pixels(whole, "x").flagged)
    for (number, own), (wanted, theirs) in zip(total.stores["x"].images(), whole.stores["x"].images(), strict=True):
        assert number == wanted
        assert_array_equal(own.values, theirs.values)
    assert_array_equal(total.open_set.by_class["x"], whole.open_set.by_class["x"])


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.45, 0.6, 1.0])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2), (40, 61)])
def test_flagged_regions_are_those_of_all_pixels(share, shape):
    rng = np.random.default_rng(5)
    codes = np.where(rng.random(shape) < share, rng.integers(100, 256, shape), 0).astype(np.uint8)
    for ignore in (None, rng.random(shape) < 0.2):
        for smallest in (1, 3):
            found, confidence = flagged_regions(codes, 100, ignore, smallest)
            wanted = Regions.of(codes >= 100, ignore, smallest)
            assert_array_equal(found.sizes, wanted.sizes)
            assert_array_equal(found.at(np.arange(codes.size)), wanted.at(np.arange(codes.size)))
            assert confidence.tolist() == pytest.approx(wanted.mean_of(codes).tolist())


def test_a_map_of_another_size_is_refused():
    calibration = Calibration(ScoreGrid.around(np.arange(6, dtype=np.float32)), (3,), (1,))
    counts = PixelCounts({"x": calibration}, PixelCategories(CLASSES))
    counter = ImageCounter(np.zeros((4, 4), np.uint8), POLICIES, None, 0, counts)
    with pytest.raises(CaosError, match=r"'x' is a map of shape \(9, 9\), but the truth has shape \(4, 4\)"):
        counter.count("x", np.zeros((9, 9), np.float32), np.empty((4, 4), np.uint8))
    assert counts.is_whole


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
