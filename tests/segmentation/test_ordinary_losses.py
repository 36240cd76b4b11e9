from __future__ import annotations

import math

import pytest
import torch

from caos.scenes.labels import VOID
from caos.segmentation.training.ordinary_losses import (
    confidence_loss,
    consistency_loss,
    cross_entropy,
    every_nth,
    next_lambda,
)


def test_cross_entropy_leaves_void_out() -> None:
    logits = torch.tensor([[[[2.0, 0.0, 9.0]], [[0.0, 0.0, -9.0]]]])
    labels = torch.tensor([[[0, 1, VOID]]], dtype=torch.uint8)
    expected = (math.log(1 + math.exp(-2)) + math.log(2)) / 2
    assert float(cross_entropy(logits, labels)) == pytest.approx(expected)
    assert float(cross_entropy(logits, torch.full_like(labels, VOID))) == 0


def test_every_nth_pixel_from_the_middle_of_its_cell() -> None:
    labels = torch.arange(16).reshape(1, 4, 4)
    assert every_nth(labels, 2).tolist() == [[[5, 7], [13, 15]]]
    assert every_nth(labels, 1) is labels


def test_hints_are_given_to_half_the_pixels_and_paid_for() -> None:
    torch.manual_seed(0)
    logits = torch.zeros(1, 2, 100, 100)  # p = 0.5 everywhere
    confidence = torch.zeros(1, 1, 100, 100)  # c = 0.5 everywhere
    wrong, price = confidence_loss(logits, confidence, torch.zeros(1, 100, 100, dtype=torch.uint8))
    hinted, alone = -math.log(0.75), -math.log(0.5)
    assert float(wrong) == pytest.approx((hinted + alone) / 2, abs=0.005)
    assert float(price) == pytest.approx(math.log(2))


def test_the_budget_moves_the_weight_both_ways() -> None:
    weight = torch.tensor(0.1)
    assert float(next_lambda(weight, torch.tensor(0.1), 0.3)) == pytest.approx(0.1 / 1.01)
    assert float(next_lambda(weight, torch.tensor(0.5), 0.3)) == pytest.approx(0.1 * 1.01)


def test_confidence_learns_where_the_classifier_is_wrong() -> None:
    torch.manual_seed(0)
    labels = torch.randint(0, 2, (1, 40, 40), dtype=torch.uint8)
    logits = torch.zeros(1, 2, 40, 40)
    logits[:, 0, :, :20] = torch.where(labels[:, :, :20] == 0, 4.0, -4.0)
    confidence = torch.zeros(1, 1, 40, 40, requires_grad=True)
    weight = torch.tensor(0.1)
    for _ in range(150):
        wrong, price = confidence_loss(logits, confidence, labels)
        (gradient,) = torch.autograd.grad(wrong + weight * price, confidence)
        confidence = (confidence - 300 * gradient).detach().requires_grad_()
        weight = next_lambda(weight, price.detach(), 0.3)
    sure = torch.sigmoid(confidence)[0, 0]
    assert sure[:, :20].mean() > sure[:, 20:].mean() + 0.15


def test_equal_views_are_consistent_and_opposite_ones_are_not() -> None:
    labels = torch.zeros(1, 2, 2, dtype=torch.uint8)
    view = torch.randn(1, 3, 2, 2)
    assert float(consistency_loss(view.repeat(3, 1, 1, 1), labels)) == pytest.approx(0, abs=1e-6)
    sure = torch.tensor([20.0, -20.0]).reshape(1, 2, 1, 1).expand(1, 2, 2, 2)
    apart = consistency_loss(torch.cat([sure, -sure, sure]), labels)
    expected = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert float(apart) == pytest.approx(expected, abs=1e-4)
