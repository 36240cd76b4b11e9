"""Hand-worked values of the scorers on queries, and their formulas on random ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.special import expit, softmax

from caos.foundation.errors import CaosError
from caos.ood_scores.scorer_interface.registry import make_scorer
from caos.ood_scores.scorer_interface.scorer import Outputs
from caos.segmentation.models.queries import TOGETHER, Queries

# Two queries, two classes and "no object"; two pixels. Masks: 1/2 and 3/4 at the first pixel, (nearly) 0 at the second.
PROBABILITIES = [[1 / 2, 1 / 4, 1 / 4], [1 / 8, 5 / 8, 1 / 4]]
WITH_OUTLIER = [[1 / 2, 1 / 8, 1 / 8, 1 / 4], [1 / 8, 1 / 8, 1 / 2, 1 / 4]]
MASKS = [[0.0, -80.0], [math.log(3), -80.0]]


def said(probabilities):
    queries = Queries(torch.tensor(probabilities).log(), torch.tensor(MASKS), 2)
    return Outputs(queries.semantic, queries=queries)


@pytest.mark.parametrize(
    ("name", "probabilities", "first", "second"),
    [
        # Claims of the classes: 1/4 + 3/32 and 1/8 + 15/32.
        ("rba", PROBABILITIES, -(math.tanh(11 / 32) + math.tanh(19 / 32)), 0.0),
        ("mask2anomaly", PROBABILITIES, 1 - 19 / 32, 1.0),
        ("eam", PROBABILITIES, -(1 / 4 + 15 / 32), 0.0),
        # Largest ordinary less outlier: 3/8 and -3/8.
        ("uno", WITH_OUTLIER, -(3 / 16 - 9 / 32), 0.0),
        ("max_logit", PROBABILITIES, -19 / 32, 0.0),
    ],
)
def test_by_hand(name, probabilities, first, second):
    scores = make_scorer(name).score(said(probabilities))
    assert scores.tolist() == pytest.approx([first, second], abs=1e-6)


def test_the_semantic_map_takes_the_place_of_logits():
    given = said(PROBABILITIES)
    assert given.logits[:, 0].tolist() == pytest.approx([11 / 32, 19 / 32])
    assert given.prediction[0] == 1
    expected = 1 / (1 + math.exp(11 / 32 - 19 / 32))
    assert make_scorer("msp").score(given)[0].item() == pytest.approx(1 - expected)


def test_formulas_with_more_queries_than_are_summed_at_once():
    rng = np.random.default_rng(0)
    number, classes = 2 * TOGETHER + 3, 4
    logits, masks = rng.normal(size=(number, classes + 2)), rng.normal(size=(number, 3, 5))
    doubled = np.repeat(np.repeat(masks, 2, 1), 2, 2)
    p, s = softmax(logits, 1), expit(doubled)
    ordinary, outlier = p[:, :classes], p[:, classes]
    semantic = np.einsum("qk,qhw->khw", ordinary, s)
    expected = {
        "rba": -np.tanh(semantic).sum(0),
        "mask2anomaly": 1 - semantic.max(0),
        "eam": -np.einsum("q,qhw->hw", ordinary.max(1), s),
        "uno": -np.einsum("q,qhw->hw", ordinary.max(1) - outlier, s),
    }

    def enlarge(some):
        assert len(some) <= TOGETHER
        return some.repeat_interleave(2, 1).repeat_interleave(2, 2)

    queries = Queries(torch.from_numpy(logits), torch.from_numpy(masks), classes, enlarge)
    given = Outputs(queries.semantic, queries=queries)
    for name, values in expected.items():
        assert make_scorer(name).score(given).numpy() == pytest.approx(values, abs=1e-5), name


def test_what_is_missing_is_told():
    with pytest.raises(CaosError, match="this scorer needs outlier class, which these outputs do not have"):
        make_scorer("uno").score(said(PROBABILITIES))
    with pytest.raises(CaosError, match=r"class logits \(3, 9\) and 3 masks are not those of 5 classes"):
        Queries(torch.zeros(3, 9), torch.zeros(3, 2, 2), 5)
    with pytest.raises(CaosError, match="and 4 masks are not those"):
        Queries(torch.zeros(3, 6), torch.zeros(4, 2, 2), 5)
