"""Scores and masks of every type are measured in their own order, or refused in one line."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.metrics import measure
from caos.ood_scores.measuring.pooled import PooledCounts
from caos.ood_scores.measuring.protocols import PROTOCOLS

SCORES, ANOMALOUS = [0.1, 0.4, 0.35, 0.8], [False, False, True, True]


def test_masked_pixels_count_neither_way():
    scores = np.ma.MaskedArray([*SCORES, np.nan, 9.0], mask=[0, 0, 0, 0, 1, 1])
    assert measure(scores, [*ANOMALOUS, True, False]) == measure(SCORES, ANOMALOUS)
    anomalous = np.ma.MaskedArray([*ANOMALOUS, True], mask=[0, 0, 0, 0, 1])
    assert measure([*SCORES, -5.0], anomalous) == measure(SCORES, ANOMALOUS)
    ignored = measure(scores, [*ANOMALOUS, True, False], [True, False, False, False, False, False])
    assert ignored == measure(SCORES[1:], ANOMALOUS[1:])
    pool = PooledCounts()
    pool.add(scores, [*ANOMALOUS, True, False])
    assert pool.measure(PROTOCOLS["smiyc"]).negatives == 2


def test_a_masked_array_without_masked_pixels_is_as_any_other():
    assert measure(np.ma.MaskedArray(SCORES), np.ma.MaskedArray(ANOMALOUS)) == measure(SCORES, ANOMALOUS)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_tensors_are_measured_with_their_gradients(dtype):
    scores = torch.tensor(SCORES, dtype=dtype, requires_grad=True)
    assert measure(scores, torch.tensor(ANOMALOUS)).auroc == 0.75
    assert measure(scores, torch.tensor(ANOMALOUS).int()).auroc == 0.75


def test_doubles_keep_differences_that_float32_has_not():
    rng = np.random.default_rng(0)
    logits, anomalous = rng.uniform(20, 34, 3000), rng.random(3000) < 0.1
    logits[anomalous] += 1
    saturated = 1 / (1 + np.exp(-logits))
    assert np.unique(saturated.astype(np.float32)).size == 1
    ranks = np.unique(saturated, return_inverse=True)[1]
    assert measure(saturated, anomalous) == measure(ranks, anomalous)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (np.array([1, 2, 3, 4], "m8[s]"), "scores must be real numbers, not timedelta64"),
        (np.array([1, 2, 3, 4], "M8[D]"), "scores must be real numbers, not datetime64"),
        (np.array(SCORES, complex), "scores must be real numbers, not complex128"),
        (np.array(SCORES, object), "scores must be real numbers, not object"),
        (np.array(["a", "b", "c", "d"]), "scores must be real numbers, not <U1"),
        ([[1.0], [1.0, 2.0]], "scores cannot be read as an array of numbers"),
        (torch.tensor(SCORES, dtype=torch.complex64), "scores must be real numbers, not complex64"),
        (torch.tensor(SCORES).to_sparse(), "scores cannot be read as an array of numbers"),
        (np.arange(4, dtype=np.longdouble) / 3, "not exact in float64; save them as float64"),
    ],
)
def test_what_is_no_score_is_refused_in_one_line(scores, words):
    with pytest.raises(CaosError, match=words) as caught:
        measure(scores, ANOMALOUS)
    assert "\n" not in str(caught.value)
    with pytest.raises(CaosError, match=words):
        PooledCounts().add(scores, ANOMALOUS)


@pytest.mark.parametrize("anomalous", [np.array([0, 1, 1, 0], "m8[s]"), np.array(ANOMALOUS, object), [0, 1, 2, 1]])
def test_what_is_no_mask_is_refused(anomalous):
    with pytest.raises(CaosError, match="'anomalous' must be booleans"):
        measure(SCORES, anomalous)
