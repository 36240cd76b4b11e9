"""Softmax of logits, with what scorers read of it besides the probabilities: one look at the logits serves them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from caos.foundation.machine_code import compiled
from caos.ood_scores.elementwise import apply

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
VALUES: Final = 1 << 18
"""Logits at a time: what is computed on the way stays in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Softmax:
    """Softmax over the first axis of logits ``(C, ...)``.

    Attributes:
        maximum: Largest logit.
        log_partition: Logarithm of the sum of the exponentials of the logits.
        entropy: In nats.
        doubt: One minus the largest probability, exact where that is nearly one.
        probabilities: ``(C, ...)``; not to be written to.
    """

    maximum: Tensor
    log_partition: Tensor
    entropy: Tensor
    doubt: Tensor
    probabilities: Tensor

    @staticmethod
    def of(logits: Tensor) -> Softmax:
        """The softmax of logits of any type, as floats of 32 bits."""
        flat = logits.reshape(len(logits), -1).float()
        found = _by_blocks(flat) if flat.device.type == "cpu" else _at_once(flat)
        return Softmax(
            maximum=found.maximum.reshape(logits.shape[1:]),
            log_partition=found.log_partition.reshape(logits.shape[1:]),
            entropy=found.entropy.reshape(logits.shape[1:]),
            doubt=found.doubt.reshape(logits.shape[1:]),
            probabilities=found.probabilities.reshape(logits.shape),
        )


def _at_once(logits: Tensor) -> Softmax:
    maximum = logits.amax(dim=0)
    shifted = logits - maximum
    exponentials = shifted.exp()
    # Double precision keeps what the other classes add to the 1 of the largest; not every device has it.
    total = exponentials.sum(dim=0, dtype=torch.float32 if logits.device.type == "mps" else torch.float64)
    log_total = total.log()
    # -sum p log p = log Z - sum p l, which needs no logarithm of a probability that may be zero.
    entropy = log_total - (shifted * exponentials).sum(dim=0) / total
    probabilities = exponentials / total.float()
    return Softmax(
        maximum, (maximum + log_total).float(), entropy.float(), ((total - 1) / total).float(), probabilities
    )


def _by_blocks(logits: Tensor) -> Softmax:
    """The same in main memory."""
    flat = logits.contiguous().numpy()
    classes, pixels = flat.shape
    maximum, partition, entropy, doubt = (np.empty(pixels, np.float32) for _ in range(4))
    probabilities = np.empty(flat.shape, np.float32)
    size = max(VALUES // classes, 1)
    shifted, powers = np.zeros((2, classes, size), np.float32)  # what a shorter last block leaves is finite, too
    weighted, total = np.empty(size, np.float32), np.empty(size)
    for start in range(0, pixels, size):
        end = min(start + size, pixels)
        _shift(flat, start, end, maximum, shifted)
        apply("exp", torch.from_numpy(shifted), torch.from_numpy(powers))
        _add_up(shifted, powers, total, weighted)
        _finish(
            *(start, end, total, np.log(total), weighted, powers),
            *(maximum, partition, entropy, doubt, probabilities),
        )
    return Softmax(*map(torch.from_numpy, (maximum, partition, entropy, doubt, probabilities)))


@compiled
def _shift(logits: Floats, start: int, end: int, maximum: Floats, shifted: Floats) -> None:
    """Write the largest logits of the pixels from ``start`` to ``end``, and what the others have less."""
    top = maximum[start:end]
    top[:] = logits[0, start:end]
    for k in range(1, len(logits)):
        own = logits[k, start:end]
        for i in range(len(top)):
            # NaN differs from itself, and is not lost.
            top[i] = own[i] if own[i] > top[i] or own[i] != own[i] else top[i]
    for k in range(len(logits)):
        own, less = logits[k, start:end], shifted[k]
        for i in range(len(top)):
            less[i] = own[i] - top[i]


@compiled
def _add_up(shifted: Floats, powers: Floats, total: Doubles, weighted: Floats) -> None:
    """Write the sums of the powers, and of their products with what they are powers of."""
    total[:] = 0
    weighted[:] = 0
    for k in range(len(powers)):
        power, own = powers[k], shifted[k]
        for i in range(len(total)):
            total[i] += np.float64(power[i])
            weighted[i] += power[i] * own[i]


@compiled
def _finish(
    start: int,
    end: int,
    total: Doubles,
    log_total: Doubles,
    weighted: Floats,
    powers: Floats,
    maximum: Floats,
    partition: Floats,
    entropy: Floats,
    doubt: Floats,
    probabilities: Floats,
) -> None:
    """Write what follows from the sums; ``weighted`` is the totals afterwards."""
    top, first, second, third = maximum[start:end], partition[start:end], entropy[start:end], doubt[start:end]
    for i in range(len(top)):
        first[i] = np.float32(np.float64(top[i]) + log_total[i])
        # -sum p log p = log Z - sum p l, which needs no logarithm of a probability that may be zero.
        second[i] = np.float32(log_total[i] - np.float64(weighted[i]) / total[i])
        third[i] = np.float32((total[i] - 1) / total[i])
        weighted[i] = np.float32(total[i])
    for k in range(len(powers)):
        own, share = powers[k], probabilities[k, start:end]
        for i in range(len(top)):
            share[i] = own[i] / weighted[i]
