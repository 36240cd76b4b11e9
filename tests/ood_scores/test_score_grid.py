"""One score map counted by cells: its table is that of sorting every pixel."""

import numpy as np
import pytest

from caos.ood_scores.measuring import metrics
from caos.ood_scores.measuring.score_grid import CountedMap, ScoreGrid

MAPS = {
    "smooth": lambda rng: rng.normal(size=(40, 60)),
    "rounded": lambda rng: rng.normal(size=(40, 60)).round(1),
    "two values": lambda rng: (rng.random((40, 60)) > 0.7) * 1.0,
    "constant": lambda rng: np.full((40, 60), 3.0),
    "many magnitudes": lambda rng: 10 ** rng.uniform(-30, 30, (40, 60)),
    "signed zeros": lambda rng: np.where(rng.random((40, 60)) > 0.5, -0.0, 0.0),
}


@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("ignores", [False, True])
def test_the_table_is_that_of_sorting_every_pixel(kind, ignores):
    rng = np.random.default_rng(5)
    scores = MAPS[kind](rng).astype(np.float32)
    anomalous = rng.random(scores.shape) < 0.1
    ignore = rng.random(scores.shape) < 0.3 if ignores else None
    # A grid of another image: what lies outside shares the outer cells.
    grid = ScoreGrid.around(scores[:5] * np.float32(0.5), 500)
    found = CountedMap(scores, anomalous, grid).table(ignore)
    wanted = metrics.count(scores, anomalous, ignore)
    for name in ("thresholds", "true_positives", "false_positives", "negatives_above"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
    assert found.negatives == wanted.negatives


def test_no_table_where_one_kind_of_pixel_is_missing():
    scores = np.arange(6, dtype=np.float32)
    grid = ScoreGrid.around(scores)
    anomalous = np.array([True, True, False, False, False, False])
    assert CountedMap(scores, anomalous, grid).table(anomalous) is None
    assert CountedMap(scores, anomalous, grid).table(~anomalous) is None
    assert CountedMap(scores, np.ones(6, np.bool_), grid).table() is None


def test_parts_count_each_pixel_once():
    scores = np.array([0.0, 1.0, 1.0, 2.0], np.float32)
    grid = ScoreGrid(low=0.0, scale=1.0, relative=False, cells=3)
    counted = CountedMap(scores, np.array([False, True, False, True]), grid)
    assert [part.tolist() for part in counted.parts()] == [[0, 0, 1, 1, 0], [0, 1, 1, 0, 0]]
    ignored = counted.parts(np.array([True, True, False, False]))
    assert [part.tolist() for part in ignored] == [[0, 0, 0, 1, 0], [0, 0, 1, 0, 0]]
