"""The set loss of queries: against the library's own functions, by hand, and blind to void."""

from __future__ import annotations

import math

import pytest
import torch

from caos.segmentation.training.set_loss import (
    CLASS_WEIGHT,
    DICE_WEIGHT,
    MASK_WEIGHT,
    MaskTargets,
    mask_costs,
    set_loss,
)


def target(masks, classes, counted=None):
    masks = torch.tensor(masks)
    return MaskTargets(torch.tensor(classes), masks, torch.ones(masks.shape[1:]) if counted is None else counted)


def test_costs_are_those_of_the_library_where_every_pixel_counts():
    library = pytest.importorskip("transformers.models.mask2former.modeling_mask2former")

    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(7, 6, 5, generator=generator)
    masks = (torch.rand(3, 6, 5, generator=generator) < 0.4).float()
    found = mask_costs(logits, MaskTargets(torch.arange(3), masks, torch.ones(6, 5)))
    flat, truth = logits.flatten(1), masks.flatten(1)
    expected = MASK_WEIGHT * library.pair_wise_sigmoid_cross_entropy_loss(flat, truth)
    expected = expected + DICE_WEIGHT * library.pair_wise_dice_loss(flat, truth)
    assert found.numpy() == pytest.approx(expected.numpy(), abs=1e-5)


def test_void_is_as_if_it_were_not_there():
    generator = torch.Generator().manual_seed(1)
    logits, masks = torch.randn(4, 2, 6, generator=generator), torch.zeros(2, 2, 6)
    masks[0, :, :2] = masks[1, :, 2:4] = 1
    counted = torch.ones(2, 6)
    counted[:, 4:] = 0
    whole = mask_costs(logits, MaskTargets(torch.arange(2), masks, counted))
    cut = mask_costs(logits[..., :4], MaskTargets(torch.arange(2), masks[..., :4], counted[:, :4]))
    assert whole.numpy() == pytest.approx(cut.numpy(), abs=1e-6)
    logits.requires_grad_()
    mask_costs(logits, MaskTargets(torch.arange(2), masks, counted)).sum().backward()
    assert logits.grad[..., 4:].abs().max() == 0
    assert logits.grad[..., :4].abs().min() > 0


def test_each_query_learns_what_it_is_matched_to():
    # Two pixels; query 0 has the second, query 1 the first, query 2 none. Logits of 0 say 1/2 to each of three classes.
    masks = torch.tensor([[[-50.0, 50.0]], [[50.0, -50.0]], [[-50.0, -50.0]]])[None]
    classes = torch.zeros(1, 3, 3)
    found = set_loss(classes, masks, [target([[[1.0, 0.0]], [[0.0, 1.0]]], [1, 0])], torch.tensor([1.0, 1.0, 0.1]))
    # Masks fit, so that only the classes cost, log 3 each whatever their weight.
    assert found.item() == pytest.approx(CLASS_WEIGHT * math.log(3), abs=1e-6)
    classes[0, 0, 0] = classes[0, 1, 1] = classes[0, 2, 2] = 50.0
    right = set_loss(classes, masks, [target([[[1.0, 0.0]], [[0.0, 1.0]]], [1, 0])], torch.tensor([1.0, 1.0, 0.1]))
    assert right.item() == pytest.approx(0, abs=1e-6)


def test_without_any_mask_every_query_learns_no_object():
    classes = torch.zeros(1, 2, 2)
    nothing = MaskTargets(torch.zeros(0, dtype=torch.long), torch.zeros(0, 1, 2), torch.zeros(1, 2))
    found = set_loss(classes, torch.zeros(1, 2, 1, 2), [nothing], torch.tensor([1.0, 0.1]))
    assert found.item() == pytest.approx(CLASS_WEIGHT * math.log(2))
