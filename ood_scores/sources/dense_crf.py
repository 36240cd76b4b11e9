"""Dense conditional random field over class probabilities, as the released code of the paper runs it.

Every pixel pulls at every other, the more the nearer they are, to have its class: mean field of a fully connected CRF
with a Potts model, ``Q = softmax(log p + w K Q)``, ``K`` the Gaussian of the distance, normalised on both sides by the
roots of its sums. The released code takes a standard deviation of 10 pixels, a weight of 10, 100 rounds, and as the
"colour" of a pixel its class probabilities at a standard deviation of 13: two pixels that differ in them as much as can
be pull 0.6 % less than equal ones, which is left out here. Its score is one minus the largest Q: ``msp+dense_crf``.

The Gaussian is applied to sums over squares of a few pixels and read back by linear interpolation. Rounds end when
nothing moves any more.

Kraehenbuehl and Koltun, Efficient Inference in Fully Connected CRFs with Gaussian Edge Potentials, 2011.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from torch import Tensor

PLACE_PX: Final = 10.0
WEIGHT: Final = 10.0
ROUNDS: Final = 100
LEAST: Final = 1e-5
"""Probabilities are at least this, as in the released code."""
SETTLED: Final = 1e-4
"""The largest change of a probability in a round after which no other round follows."""
NARROWEST: Final = 2.5
"""Standard deviation, in squares, of the Gaussian that is applied to them."""


def smooth_logits(
    logits: Tensor, *, place_px: float = PLACE_PX, weight: float = WEIGHT, rounds: int = ROUNDS
) -> Tensor:
    """Logits ``(C, h, w)`` whose softmax is the mean field of the class probabilities.

    Args:
        logits: ``(C, h, w)``.
        place_px: Reach in pixels (standard deviation).
        weight: Pull of the others.
        rounds: Mean-field updates at most.
    """
    unary = logits.float().log_softmax(dim=0).clamp(min=math.log(LEAST))
    blur = _Blur(logits.shape[-2], logits.shape[-1], place_px, logits.device)
    scale = blur(torch.ones_like(unary[:1])).rsqrt()
    field, before = unary, unary.softmax(dim=0)
    for _ in range(rounds):
        field = unary + weight * scale * blur(scale * before)
        now = field.softmax(dim=0)
        settled = float((now - before).abs().max()) < SETTLED
        before = now
        if settled:
            break
    return field


class _Blur:
    """Sums over a picture weighted by a Gaussian of the distance, 1 at the pixel itself; nothing lies outside."""

    def __init__(self, height: int, width: int, place_px: float, device: torch.device) -> None:
        self._size = (height, width)
        self._square = max(1, int(place_px / NARROWEST))
        self._bottom, self._right = -height % self._square, -width % self._square
        # A square and linear interpolation spread a value too: each by the variance of what it is.
        spread = ((self._square**2 - 1) / 12 + self._square**2 / 6) if self._square > 1 else 0.0
        deviation = math.sqrt(place_px**2 - spread) / self._square
        reach = math.ceil(4 * deviation)
        places = torch.arange(-reach, reach + 1, dtype=torch.float32, device=device)
        kernel = torch.exp(-0.5 * (places / deviation) ** 2)
        # Narrower for what the squares spread, it has to be higher to weigh as much.
        self._kernel = kernel * (place_px / self._square / deviation)
        self._reach = reach

    def __call__(self, maps: Tensor) -> Tensor:
        """The same for each of the maps ``(c, h, w)``."""
        padded = functional.pad(maps[:, None], (0, self._right, 0, self._bottom))
        squares = functional.avg_pool2d(padded, self._square) * self._square**2
        down = functional.conv2d(squares, self._kernel[None, None, :, None], padding=(self._reach, 0))
        blurred = functional.conv2d(down, self._kernel[None, None, None, :], padding=(0, self._reach))
        if self._square > 1:
            size = (self._size[0] + self._bottom, self._size[1] + self._right)
            blurred = functional.interpolate(blurred, size, mode="bilinear", align_corners=False)
        return blurred[:, 0, : self._size[0], : self._size[1]]
