"""Short numbers: counted and looked up as numpy does it."""

import numpy as np
import pytest

from caos.ood_scores.measuring import short_numbers
from caos.ood_scores.measuring.short_numbers import KINDS, look_up, tally


@pytest.fixture(params=[True, False], ids=["opencv", "numpy"])
def with_opencv(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(short_numbers, "_opencv", lambda: None)
        monkeypatch.setattr(short_numbers, "_can_look_up", lambda: False)


@pytest.mark.usefixtures("with_opencv")
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int64])
def test_each_number_is_counted(kind):
    numbers = np.random.default_rng(0).integers(0, 200, (30, 40)).astype(kind)
    assert tally(numbers, 200).tolist() == np.bincount(numbers.ravel(), minlength=200).tolist()
    assert tally(numbers[:0], 3).tolist() == [0, 0, 0]


@pytest.mark.usefixtures("with_opencv")
def test_the_largest_numbers_are_counted():
    numbers = np.array([0, KINDS - 1, KINDS - 1], np.uint16)
    counted = tally(numbers, KINDS)
    assert (counted[0], counted[-1], counted.sum()) == (1, 2, 3)


@pytest.mark.usefixtures("with_opencv")
@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.uint16])
@pytest.mark.parametrize("shape", [(20, 30), (600,), (0, 4)])
def test_entries_are_looked_up(kind, shape):
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2 if kind is np.bool_ else 250, KINDS).astype(kind)
    numbers = rng.integers(0, KINDS, shape).astype(np.uint16)
    found = look_up(table, numbers)
    assert found.dtype == kind
    assert np.array_equal(found, table[numbers])
