"""What training minimises. Pixels labelled ``VOID`` never count."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from caos.scenes.labels import VOID

HINT_SHARE: Final = 0.5
LAMBDA_STEP: Final = 1.01
_TINY: Final = 1e-6


def every_nth(labels: Tensor, stride: int) -> Tensor:
    """Every ``stride``-th pixel of label maps ``(n, h, w)``, from the middle of each cell."""
    return labels[:, stride // 2 :: stride, stride // 2 :: stride] if stride > 1 else labels


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean cross entropy over the pixels that count; 0 when none does."""
    total = functional.cross_entropy(logits.float(), labels.long(), ignore_index=VOID, reduction="sum")
    return total / (labels != VOID).sum().clamp(min=1)


def confidence_loss(logits: Tensor, confidence: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The two terms of DeVries and Taylor 2018: how wrong the hinted prediction is, and how many hints it bought.

    With confidence ``c`` the network may mix the truth into its prediction, ``p' = c p + (1 - c) y``, and pays
    ``-log c`` for it. Half of the pixels, at random, get no hint, so that the classifier still learns what is hard.
    (The CAOS paper prints the loss as ``-y log(p c)``; taken literally it is smallest at ``c = 1`` everywhere.)

    Args:
        logits: ``(n, C, h, w)``.
        confidence: ``(n, 1, h, w)`` before the sigmoid.
        labels: ``(n, h, w)``.
    """
    counted = labels != VOID
    truth = torch.where(counted, labels, 0).long()
    wanted = torch.softmax(logits.float(), 1).gather(1, truth[:, None])[:, 0]
    sure = torch.sigmoid(confidence.float())[:, 0]
    hinted = torch.rand_like(sure) < HINT_SHARE
    mixed = torch.where(hinted, sure * wanted + (1 - sure), wanted)
    count = counted.sum().clamp(min=1)
    wrong = -(mixed.clamp(_TINY, 1).log() * counted).sum() / count
    price = -(sure.clamp(_TINY, 1).log() * counted).sum() / count
    return wrong, price


def next_lambda(weight: Tensor, price: Tensor, budget: float) -> Tensor:
    """The price's weight for the next step: lower while fewer hints than ``budget`` are bought, higher above it."""
    return weight / LAMBDA_STEP if float(price) < budget else weight * LAMBDA_STEP


def consistency_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Jensen-Shannon divergence between the three views of AugMix, per counted pixel.

    Args:
        logits: ``(3 n, C, h, w)``: n clean views, then n mixed ones, then n others.
        labels: ``(n, h, w)``.
    """
    logs = torch.log_softmax(logits.float(), 1).reshape(3, -1, *logits.shape[1:])
    mean = logs.exp().mean(0).clamp(_TINY, 1).log()
    divergence = (logs.exp() * (logs - mean)).sum(2).mean(0)
    counted = labels != VOID
    return (divergence * counted).sum() / counted.sum().clamp(min=1)
