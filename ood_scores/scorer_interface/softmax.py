"""Softmax of logits, with its log-partition, entropy and one minus the largest probability, computed once for all."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Softmax:
    """Softmax over the first axis of logits ``(C, ...)``; all parts are float32.

    Attributes:
        maximum: Largest logit.
        prediction: Index of the largest logit, the first of equals, uint8.
        log_partition: Logarithm of the sum of the exponentials of the logits.
        entropy: In nats.
        doubt: One minus the largest probability, exact where that is nearly one.
        probabilities: ``(C, ...)``; not to be written to.
    """

    maximum: Tensor
    prediction: Tensor
    log_partition: Tensor
    entropy: Tensor
    doubt: Tensor
    probabilities: Tensor

    @staticmethod
    def of(logits: Tensor) -> Softmax:
        """Compute the softmax of floating-point logits ``(C, ...)`` with at most 256 classes."""
        logits = logits.float()
        maximum, prediction = logits.max(dim=0)
        shifted = logits - maximum
        exponentials = shifted.exp()
        # In float64 (not on MPS) the other classes' share survives beside the 1 of the largest, however small.
        total = exponentials.sum(dim=0, dtype=torch.float32 if logits.device.type == "mps" else torch.float64)
        log_total = total.log()
        # -sum p log p = log Z - sum p l, which needs no logarithm of a probability that may be zero.
        entropy = log_total - shifted.mul_(exponentials).sum(dim=0) / total
        return Softmax(
            maximum=maximum,
            prediction=prediction.to(torch.uint8),
            log_partition=(maximum + log_total).float(),
            entropy=entropy.float(),
            doubt=((total - 1) / total).float(),
            probabilities=exponentials.div_(total.float()),
        )
