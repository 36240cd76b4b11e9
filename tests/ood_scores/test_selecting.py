"""Selecting on processors, against torch's own functions."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from caos.ood_scores import elementwise
from caos.ood_scores.selecting import first_largest, smallest_of_columns, sum_of_largest
from caos.ood_scores.torch_threads import VALUES_A_THREAD, threads_for


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(3)


@pytest.mark.parametrize("columns", [1, 5, 63, 64, 65, 200, 1024])
@pytest.mark.parametrize("number", [1, 3, 70])
def test_smallest_of_columns(columns, number):
    values, offsets, factors = torch.randn(70, columns).round(decimals=1), torch.randn(70), torch.randn(70)
    wanted = (offsets[:, None] + factors[:, None] * values).topk(number, dim=0, largest=False).values
    assert torch.allclose(smallest_of_columns(values, offsets, factors, number), wanted, atol=1e-6)
    assert torch.allclose(smallest_of_columns(values.T.contiguous().T, offsets, factors, number), wanted, atol=1e-6)


@pytest.mark.parametrize("number", [1, 7, 40])
def test_sum_of_largest(number):
    values = torch.randn(40, 6, 5).clamp_min(0)
    before = values.clone()
    assert torch.allclose(sum_of_largest(values, number), values.topk(number, dim=0).values.sum(dim=0), atol=1e-5)
    assert torch.equal(values, before)


@pytest.mark.parametrize("shape", [(2, 1), (13, 5000), (5, 30, 40), (255, 3, 3)])
def test_first_largest(shape):
    values = torch.randn(shape).round(decimals=1)
    values[:, ..., 0] = 1.0
    found = first_largest(values)
    assert found.dtype == torch.uint8
    assert torch.equal(found.long(), torch.from_numpy(values.numpy().argmax(axis=0)))


@pytest.mark.parametrize("function", ["exp", "expm1", "exp2", "log2"])
@pytest.mark.parametrize("by_numpy", [False, True])
def test_functions_of_many_values(function, by_numpy, monkeypatch):
    monkeypatch.setattr(elementwise, "_numpy_is_faster", lambda: by_numpy)
    values = torch.linspace(0, 20, 999) if function == "log2" else torch.linspace(-20, 3, 999)
    both = torch.stack([values, values])
    part = both[:, 3:700]
    wanted = getattr(part.double(), function)()
    assert elementwise.apply(function, part) is part
    assert torch.allclose(part.double(), wanted, rtol=1e-6, atol=0)
    assert torch.equal(both[:, :3], torch.stack([values, values])[:, :3])
    zero = torch.zeros(1)
    assert elementwise.apply(function, zero).tolist() == [{"log2": -np.inf, "expm1": 0.0}.get(function, 1.0)]


def test_a_thread_for_every_so_many_values():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with threads_for(1000):
            assert torch.get_num_threads() == 1
            with threads_for(2 * VALUES_A_THREAD):
                assert torch.get_num_threads() == 2
            with threads_for(99 * VALUES_A_THREAD):
                assert torch.get_num_threads() == 3
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 3
        with pytest.raises(ValueError, match="on the way"), threads_for(1):
            raise ValueError("on the way")
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
