"""Mixing of training pictures within a batch: CutMix, Mixup, and the adversarial step, on the device.

CutMix is Yun et al. 2019 (CutMix: Regularization Strategy to Train Strong Classifiers): a box of another picture, and
its labels with it, so that every pixel keeps a true label. Mixup is Zhang et al. 2018 (mixup: Beyond Empirical Risk
Minimization): two pictures blended, the loss blended alike; classification mixes one label, we mix one a pixel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import torch
from torch import Tensor

CUT_SHARE: Final = 0.5
"""Share of the batches that CutMix happens to."""
MIXUP_ALPHA: Final = 0.2
ATTACK_RADIUS: Final = 4 / 255
"""Largest change of a pixel (0..1) that adversarial training allows."""
ATTACK_STEP: Final = 1.25
"""Step of the attack, as a share of its radius."""


def cut_mix(pictures: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """A random box of each picture from another one of the batch, with its labels; half of the batches as they are.

    Args:
        pictures: ``(views * n, h, w, 3)``; the views of a picture stay together.
        labels: ``(n, h, w)``.
    """
    if len(labels) < 2 or float(torch.rand(())) >= CUT_SHARE:
        return pictures, labels
    order, (top, bottom, left, right) = _others(len(labels)), _box(labels.shape[1], labels.shape[2])
    views = len(pictures) // len(labels)
    whole = torch.cat([order + view * len(labels) for view in range(views)])
    pictures, labels = pictures.clone(), labels.clone()
    box = (slice(None), slice(top, bottom), slice(left, right))
    pictures[box] = pictures[whole][box]
    labels[box] = labels[order][box]
    return pictures, labels


def _box(height: int, width: int) -> tuple[int, int, int, int]:
    """Top, bottom, left and right of a box whose area is a uniform share of the picture, cut off at its border."""
    side = float(torch.rand(())) ** 0.5
    y, x = float(torch.rand(())) * height, float(torch.rand(())) * width
    return (
        max(round(y - side * height / 2), 0),
        min(round(y + side * height / 2), height),
        max(round(x - side * width / 2), 0),
        min(round(x + side * width / 2), width),
    )


def _others(count: int) -> Tensor:
    """For each picture another one: a random order, turned by one."""
    order = torch.randperm(count)
    others = torch.empty_like(order)
    others[order] = order.roll(1)
    return others


class Blend(NamedTuple):
    """How Mixup blends a batch: the share of each picture, and who brings the rest."""

    share: float
    order: Tensor

    def of(self, signal: Tensor) -> Tensor:
        """The blend of pictures ``(views * n, c, h, w)``; the views of a picture stay together."""
        views = signal.reshape(-1, len(self.order), *signal.shape[1:])
        mixed = self.share * views + (1 - self.share) * views[:, self.order]
        return mixed.reshape(signal.shape)


def draw_blend(count: int) -> Blend:
    """A blend of a batch of ``count`` pictures; with one picture there is nothing to blend."""
    share = float(torch.distributions.Beta(MIXUP_ALPHA, MIXUP_ALPHA).sample())
    return Blend(share, _others(count))


def attacked(loss: Callable[[Tensor], Tensor], signal: Tensor, radius: Tensor) -> Tensor:
    """Pictures moved within ``radius`` to where the loss is higher: one step from a random start.

    After Wong et al. 2020 (Fast is better than free), which costs one more forward and backward pass.

    Args:
        loss: Of pictures ``(n, 3, h, w)``, normalised.
        signal: The pictures.
        radius: Largest change of each channel, ``(1, 3, 1, 1)``.
    """
    start = (2 * torch.rand_like(signal) - 1) * radius
    moved = (signal + start).detach().requires_grad_(True)
    (slope,) = torch.autograd.grad(loss(moved), moved)
    change = (start + ATTACK_STEP * radius * slope.sign()).clamp(-radius, radius)
    return (signal + change).detach()
