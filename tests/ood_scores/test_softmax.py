"""The softmax that scorers share, against scipy."""

import numpy as np
import pytest
import torch
from scipy import special

from caos.ood_scores.scorer_interface.softmax import Softmax

PARTS = ("maximum", "log_partition", "entropy", "doubt", "probabilities")


@pytest.fixture
def logits():
    return torch.randn((7, 30, 41), generator=torch.Generator().manual_seed(0)) * 6


def test_it_is_that_of_scipy(logits):
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


def test_what_the_largest_probability_lacks_of_one_is_exact_where_float32_would_round_it_away():
    found = Softmax.of(torch.tensor([40.0, 20.0, 0.0])[:, None])
    assert found.probabilities[0] == 1.0
    assert found.doubt.item() == pytest.approx(np.exp(-20.0) + np.exp(-40.0), rel=1e-6)
    assert Softmax.of(torch.tensor([[0.0], [-16.0]])).log_partition.item() == pytest.approx(np.exp(-16.0), rel=1e-6)


@pytest.mark.parametrize("shape", [(2, 1), (13, 5000), (5, 30, 40), (255, 3, 3)])
def test_the_prediction_is_the_first_of_the_largest_logits(shape):
    values = torch.randn(shape, generator=torch.Generator().manual_seed(3)).round(decimals=1)
    values[:, ..., 0] = 1.0
    found = Softmax.of(values).prediction
    assert found.dtype == torch.uint8
    assert torch.equal(found.long(), torch.from_numpy(values.numpy().argmax(axis=0)))


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
