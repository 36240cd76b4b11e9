"""The compiled loops of a scoring run against array operations that say the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from caos.foundation import machine_code
from caos.foundation.errors import CaosError
from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.metrics import Counts
from caos.ood_scores.measuring.open_set import OpenSetCounts, SegmentedImage, halve
from caos.ood_scores.measuring.pixel_counts import COARSE, Calibration, PixelCounts, Policy
from caos.ood_scores.measuring.pooled import PooledCounts
from caos.ood_scores.measuring.score_grid import ScoreGrid
from caos.ood_scores.running import pixel_loops, workers
from caos.ood_scores.running.counting import ImageCounter, cells_of
from tests.ood_scores import little

SHAPE, CLASSES = (37, 53), 3
OTHER = Policy(ignores_void=True, ignores_classes=("other",))
KINDS = ("plain", "rounded", "probabilities", "wide", "two values", "constant")


def scores_of(kind: str, rng: np.random.Generator) -> np.ndarray:
    plain = rng.normal(size=SHAPE)
    made = {
        "plain": plain,
        "rounded": plain.round(1),
        "probabilities": 1 / (1 + np.exp(-8 * plain)),
        "wide": np.sign(plain) * np.exp(12 * plain),
        "two values": plain > 1,
        "constant": np.zeros(SHAPE),
    }
    scores = np.asarray(made[kind], np.float32)
    scores.flat[::97] *= -0.0  # both zeros
    return scores


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def table_of(scores: np.ndarray, anomalous: np.ndarray, ignore: np.ndarray | None) -> Counts | None:
    try:
        return metrics.count(scores, anomalous, ignore)
    except CaosError:
        return None


def same_table(found: Counts | None, wanted: Counts | None) -> None:
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert found.negatives == wanted.negatives
        for name in ("thresholds", "true_positives", "false_positives", "negatives_above"):
            assert_array_equal(getattr(found, name), getattr(wanted, name), name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("relative", [False, True])
def test_cells_are_those_of_the_grid(kind, relative, rng):
    scores = scores_of(kind, rng)
    grid = ScoreGrid.around(scores)
    if grid.relative != relative:
        grid = ScoreGrid(-3.0e8, 1e-4, True) if relative else ScoreGrid(-1.5, 2e4, False)
    beyond = np.append(scores, np.array([-1e30, 1e30, np.finfo(np.float32).max, -np.finfo(np.float32).max, 1e-44], "f"))
    with np.errstate(over="ignore"):
        assert_array_equal(cells_of(grid, beyond), grid.cell_of(beyond))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hazards", ["some", "one pixel", "none", "all"])
def test_an_image_is_counted_as_array_operations_count_it(kind, hazards, rng):
    anomalous = {
        "some": rng.random(SHAPE) < 0.1,
        "one pixel": np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE) == 500,
        "none": np.zeros(SHAPE, np.bool_),
        "all": np.ones(SHAPE, np.bool_),
    }[hazards]
    calibration = Calibration.of(scores_of(kind, rng).ravel(), rng.random(SHAPE).ravel() < 0.2)
    counts = PixelCounts({"x": calibration}, (OTHER,), OpenSetCounts(("t5", "t6"), CLASSES))
    pools = {policy: PooledCounts(calibration.grid) for policy in counts.policies}
    open_set = OpenSetCounts(("t5", "t6"), CLASSES)
    for number, town in enumerate(("t5", "t6", "t5")):
        scores, codes = scores_of(kind, rng), np.empty(SHAPE, np.uint8)
        ignored = {policy.name: None for policy in counts.policies}
        ignored[OTHER.name] = (rng.random(SHAPE) < 0.3) & ~anomalous
        predicted, ids = rng.integers(0, CLASSES, (2, *SHAPE), np.uint8)
        image = SegmentedImage.of(town, predicted, ids, anomalous, ignored[OTHER.name], CLASSES)
        tables = ImageCounter(anomalous, ignored, image, number).count("x", scores, counts, codes)

        cells = calibration.grid.cell_of(scores)
        parts = ((image.pixels, cells), (image.halved, calibration.grid.cell_of(halve(scores))))
        number_of_steps = len(calibration.steps) + 1
        steps = [little.count_by_step(part, calibration.step_of_cell[own], number_of_steps) for part, own in parts]
        open_set.add("x", town, *steps)
        assert_array_equal(codes, calibration.codes(cells))
        for policy, pool in pools.items():
            parts = pool.add(scores, anomalous, ignored[policy.name])
            groups = counts.groups["x", policy.name][:, number]
            assert_array_equal(groups, [np.add.reduceat(part, np.arange(0, part.size, COARSE)) for part in parts])
            same_table(tables[policy.name], table_of(scores, anomalous, ignored[policy.name]))
    for policy, pool in pools.items():
        own = counts.pools["x", policy.name]
        for name in ("positives", "negatives", "mixed"):
            assert_array_equal(getattr(own, name), getattr(pool, name), f"{policy.name}: {name}")
        # Of the values in a mixed cell any may be kept.
        assert_array_equal(own.value[~own.mixed], pool.value[~pool.mixed])
    assert counts.open_set is not None
    for name, array in counts.open_set.arrays().items():
        if name.startswith("x"):
            assert_array_equal(array, open_set.arrays()[name], name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ignores", [False, True])
def test_the_table_is_that_of_sorting_every_pixel_on_a_grid_of_another_image(kind, ignores, rng):
    scores = scores_of(kind, rng)
    # What lies outside shares the outer cells, and the others are wide.
    grid = ScoreGrid.around(scores[:5] * np.float32(0.5), 500)
    counts = PixelCounts({"x": Calibration(grid, (3, 200), (1, 2))}, ())
    anomalous = rng.random(SHAPE) < 0.1
    ignore = (rng.random(SHAPE) < 0.3) & ~anomalous if ignores else None
    tables = ImageCounter(anomalous, {"void": ignore}, None, 0).count("x", scores, counts, np.empty(SHAPE, np.uint8))
    same_table(tables["void"], table_of(scores, anomalous, ignore))


def test_a_map_of_another_size_is_refused_before_it_is_read():
    grid = ScoreGrid.around(np.arange(6, dtype=np.float32))
    counts = PixelCounts({"x": Calibration(grid, (3,), (1,))}, ())
    counter = ImageCounter(np.eye(4, dtype=np.bool_), {"void": None}, None, 0)
    with pytest.raises(CaosError, match=r"'x' is a map of shape \(9, 9\), but the truth has shape \(4, 4\)"):
        counter.count("x", np.zeros((9, 9), np.float32), counts, np.empty((4, 4), np.uint8))
    assert counts.is_whole


@pytest.mark.parametrize("when", ["made", "kept"])
def test_loops_are_compiled_where_nothing_can_be_kept(when, monkeypatch):
    import numba
    from numba.core.caching import FunctionCache

    asked, njit = [], numba.njit

    def without_folder(*, cache=False, **options):
        asked.append(cache)
        if cache and when == "made":
            raise RuntimeError("cannot cache function: no locator available")
        return njit(cache=cache, **options)

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numba, "njit", without_folder)
    monkeypatch.setattr(FunctionCache, "save_overload", full_disk)
    double = machine_code.compiled(_doubled)
    values = np.arange(4.0)
    double(values)
    double(values)
    assert values.tolist() == [0, 4, 8, 12]
    assert asked == [True, False]


def _doubled(values):
    for i in range(values.size):
        values[i] *= 2


def test_two_threads_run_loops_beside_each_other():
    """A loop keeps no lock of Python's: another thread works while it runs."""
    import threading
    import time

    cells = np.zeros(40_000_000, np.uint16)
    steps, kinds = np.zeros((1, 1), np.int64), np.zeros_like(cells)
    pixel_loops.count_steps(cells[:1], cells[:1], kinds[:1], steps)
    thread = threading.Thread(target=pixel_loops.count_steps, args=(cells, cells, kinds, steps))
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0)
    thread.join()
    assert steps[0, 0] == cells.size + 1
    assert turns > 10


def test_counts_that_travelled_short_add_up_without_end(rng):
    calibration = Calibration.of(scores_of("two values", rng).ravel(), rng.random(SHAPE).ravel() < 0.2)
    total, part = (PixelCounts({"x": calibration}, (), OpenSetCounts(("t5",), CLASSES)) for _ in range(2))
    anomalous = rng.random(SHAPE) < 0.1
    ids = np.zeros(SHAPE, np.uint8)
    image = SegmentedImage.of("t5", ids, ids, anomalous, None, CLASSES)
    assert part.open_set is not None
    part.open_set.add_image(image)
    ignored = {policy.name: None for policy in part.policies}
    ImageCounter(anomalous, ignored, image, 0).count("x", scores_of("two values", rng), part, ids)
    sent = {name: workers._shortened(array) for name, array in part.arrays().items()}
    assert sum(array.nbytes for array in sent.values()) < sum(array.nbytes for array in part.arrays().values()) / 3
    times = 200  # so often that the most frequent score is beyond two bytes
    for _ in range(times):
        arrived = PixelCounts({"x": calibration}, (), OpenSetCounts(("t5",), CLASSES))
        arrived.restore(sent)
        total.merge(arrived)
    for name, array in part.arrays().items():
        wanted = times * array if array.dtype == np.int64 else array
        assert_array_equal(total.arrays()[name], wanted, name)
    assert total.pools["x", "void"].negatives.max() > 1 << 16
