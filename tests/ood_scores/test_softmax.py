"""The softmax that scorers share: block by block in main memory, at once elsewhere, and by scipy."""

import numpy as np
import pytest
import torch
from scipy import special

from caos.ood_scores import elementwise, softmax
from caos.ood_scores.softmax import Softmax

PARTS = ("maximum", "log_partition", "entropy", "doubt", "probabilities")


@pytest.fixture
def logits():
    return torch.randn((7, 30, 41), generator=torch.Generator().manual_seed(0)) * 6


@pytest.mark.parametrize("block", [1, 7, 100, 1 << 18])
@pytest.mark.parametrize("by_numpy", [False, True])
def test_what_blocks_give_is_what_scipy_gives(logits, block, by_numpy, monkeypatch):
    monkeypatch.setattr(softmax, "VALUES", block)
    monkeypatch.setattr(elementwise, "_numpy_is_faster", lambda: by_numpy)
    found, exact = Softmax.of(logits), logits.double().numpy()
    shares = special.softmax(exact, axis=0)
    wanted = {
        "maximum": exact.max(axis=0),
        "log_partition": special.logsumexp(exact, axis=0),
        "entropy": special.entr(shares).sum(axis=0),
        "doubt": np.sort(shares, axis=0)[:-1].sum(axis=0),
        "probabilities": shares,
    }
    for part in PARTS:
        values = getattr(found, part)
        assert values.dtype == torch.float32
        assert values.shape == wanted[part].shape
        assert np.allclose(values.numpy(), wanted[part], rtol=5e-6, atol=2e-6 if part == "entropy" else 0), part


def test_at_once_gives_the_same(logits):
    by_blocks = Softmax.of(logits)
    at_once = softmax._at_once(logits.reshape(7, -1))
    for part in PARTS:
        one, other = getattr(by_blocks, part), getattr(at_once, part)
        assert torch.allclose(other.reshape(one.shape), one, rtol=1e-6), part


@pytest.mark.parametrize("place", [0, 3, 6])
def test_nan_is_not_lost(logits, place):
    logits[place, 2, 5] = np.nan
    found = Softmax.of(logits)
    for part in PARTS[:4]:
        bad = getattr(found, part).isnan()
        assert bad[2, 5]
        assert bad.sum() == 1
    assert found.probabilities[:, 2, 5].isnan().all()


@pytest.mark.parametrize("kind", [torch.float64, torch.float16, torch.bfloat16])
def test_logits_of_any_type(logits, kind):
    given = logits.to(kind)
    assert torch.equal(Softmax.of(given).probabilities, Softmax.of(given.float()).probabilities)
