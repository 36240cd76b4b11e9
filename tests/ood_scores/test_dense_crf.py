"""The dense CRF over class probabilities, against the exact one: every pair of pixels, colours as released."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.sources.dense_crf import smooth_logits


def exact(probabilities, *, place_px, weight, rounds, deviation=13.0):
    """Mean field with the kernel of every pair of pixels, in double precision."""
    classes, height, width = probabilities.shape
    y, x = np.mgrid[:height, :width]
    where = np.stack([y.ravel(), x.ravel()]).T / place_px
    colour = probabilities.reshape(classes, -1).T / deviation
    places = np.concatenate([where, colour], axis=1)
    kernel = np.exp(-0.5 * ((places[:, None] - places[None]) ** 2).sum(-1))
    root = 1 / np.sqrt(kernel.sum(1))
    kernel = root[:, None] * kernel * root[None]
    unary = np.log(np.maximum(colour * deviation, 1e-5))
    field = np.exp(unary) / np.exp(unary).sum(1, keepdims=True)
    for _ in range(rounds):
        raw = unary + weight * kernel @ field
        field = np.exp(raw - raw.max(1, keepdims=True))
        field /= field.sum(1, keepdims=True)
    return field.T.reshape(classes, height, width)


def noisy(height=26, width=38, seed=0):
    """Two halves of different class, the left with a spot of a third, all unsure."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.0, (3, height, width))
    logits[0, :, : width // 2] += 1.0
    logits[1, :, width // 2 :] += 1.0
    logits[2, 8:14, 5:11] += 2.0
    return torch.from_numpy(logits).float()


def test_two_pixels_by_hand():
    # The kernel of pixels side by side at a reach of 1 is [[1, k], [k, 1]], k = exp(-1/2); divided by its sums, 1 + k.
    k = math.exp(-0.5)
    logits = torch.tensor([[[2.0, 0.0]], [[0.0, 0.0]]])
    first = logits.softmax(0)[0, 0].tolist()
    pulled = [(first[0] + k * first[1]) / (1 + k), (first[1] + k * first[0]) / (1 + k)]
    # The others' share is one minus that, so the difference of the logits grows by w (2 q - 1).
    expected = [plain + 1.5 * (2 * q - 1) for plain, q in zip((2.0, 0.0), pulled, strict=True)]
    found = smooth_logits(logits, place_px=1.0, weight=1.5, rounds=1)
    assert (found[0] - found[1])[0].tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("place_px", "weight", "rounds", "near"), [(1.0, 1.0, 5, 1e-3), (10.0, 1.0, 5, 5e-3), (10.0, 3.0, 5, 0.03)]
)
def test_against_every_pair(place_px, weight, rounds, near):
    logits = noisy()
    found = smooth_logits(logits, place_px=place_px, weight=weight, rounds=rounds).softmax(0).numpy()
    expected = exact(logits.double().softmax(0).numpy(), place_px=place_px, weight=weight, rounds=rounds)
    assert np.abs(found - expected).max() < near
    assert np.abs(expected - logits.softmax(0).numpy()).max() > 5 * near


def test_as_the_released_code_sets_it():
    logits = noisy(seed=1)
    found = smooth_logits(logits).softmax(0).numpy()
    expected = exact(logits.double().softmax(0).numpy(), place_px=10.0, weight=10.0, rounds=100)
    assert (found.argmax(0) == expected.argmax(0)).mean() > 0.99
    assert np.abs(found - expected).mean() < 0.01


def test_no_pull_changes_nothing():
    logits = noisy()
    assert torch.allclose(smooth_logits(logits, weight=0.0).softmax(0), logits.softmax(0), atol=1e-4)


def test_a_column_scores_the_smoothed_probabilities(data, tmp_path):
    torch.manual_seed(0)
    model = torch.nn.Conv2d(3, 13, 1)
    found = score_model(model, data, ["msp", "msp+dense_crf"], tmp_path / "out")
    assert [row.title for row in found.content.scorers] == ["MSP", "MSP + dense CRF"]
    assert found.value("msp+dense_crf", "auroc") != found.value("msp", "auroc")
    plain, smoothed = columns_of("msp,msp+dense_crf")
    assert plain.scorer is smoothed.scorer
    assert (plain.plain_name, smoothed.plain_name) == ("msp", "msp")


@pytest.mark.parametrize("name", ["mc_dropout", "typicality"])
def test_only_what_reads_probabilities_alone_can_be_smoothed(name):
    with pytest.raises(CaosError, match=rf"{name}\+dense_crf.*smooths class probabilities.*reads more than those"):
        columns_of(f"{name}+dense_crf")
