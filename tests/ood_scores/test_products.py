"""Products by oneDNN are those of torch."""

from __future__ import annotations

import pytest
import torch

from caos.ood_scores.products import product


def _side_by_side(rows: int, columns: int) -> torch.Tensor:
    return torch.randn(columns, rows).T


@pytest.mark.parametrize("make", [torch.randn, _side_by_side, lambda d, n: torch.randn(d, 2 * n)[:, ::2]])
@pytest.mark.parametrize(("rows", "depth", "columns"), [(1024, 176, 300), (1, 5, 7), (13, 1, 1), (3, 33, 4096)])
def test_they_are_those_of_double_precision(make, rows, depth, columns) -> None:
    torch.manual_seed(0)
    matrix, values = torch.randn(rows, depth), make(depth, columns)
    exact = (matrix.double() @ values.double()).float()
    assert product(matrix, values).shape == (rows, columns)
    assert torch.allclose(product(matrix, values), exact, atol=1e-4)
    assert torch.allclose(product(matrix.T.contiguous().T, values), exact, atol=1e-4)
    with torch.inference_mode():
        assert torch.allclose(product(matrix, values), exact, atol=1e-4)


def test_other_numbers_gradients_and_nothing_at_all_go_the_usual_way() -> None:
    matrix, values = torch.eye(3, dtype=torch.float64), torch.randn(3, 4, dtype=torch.float64)
    assert torch.equal(product(matrix, values), values)
    learnt = torch.eye(3, requires_grad=True)
    product(learnt, torch.ones(3, 4)).sum().backward()
    assert torch.equal(learnt.grad, torch.full((3, 3), 4.0))
    assert product(torch.zeros(2, 0), torch.zeros(0, 5)).tolist() == [[0.0] * 5] * 2
    assert product(torch.zeros(2, 3), torch.zeros(3, 0)).shape == (2, 0)


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this torch has no oneDNN")
def test_plain_floats_go_through_onednn() -> None:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        product(torch.randn(64, 32), torch.randn(32, 100))
    names = {event.key for event in profile.key_averages()}
    assert "mkldnn::_linear_pointwise" in names
    assert "aten::mm" not in names
