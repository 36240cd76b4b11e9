"""Lookup table of a slow function of one number, and logits as rows: what the classical outlier detectors share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caos.foundation.errors import unknown
from caos.ood_scores.scorer_interface.scorer import Outputs

Space = Literal["max_logit", "logits"]


@dataclass(frozen=True, eq=False)
class LookupTable:
    """Values of a function at the middles of equal cells; outside, those of the first and last cell."""

    low: float
    scale: float
    values: Tensor

    @staticmethod
    def of(function: Callable[[NDArray[Any]], NDArray[Any]], seen: NDArray[Any], cells: int = 1 << 14) -> LookupTable:
        """Tabulate over the range of ``seen`` and as much again on either side."""
        low, high = float(seen.min()), float(seen.max())
        span = max(high - low, 1e-3)
        edges = np.linspace(low - span, high + span, cells + 1)
        middles = ((edges[1:] + edges[:-1]) / 2).astype(np.float32)
        values = torch.from_numpy(np.asarray(function(middles[:, None]), np.float32))
        return LookupTable(low - span, cells / (high - low + 2 * span), values)

    def __call__(self, numbers: Tensor) -> Tensor:
        """The function of each number, read from the table."""
        cells = ((numbers - self.low) * self.scale).clamp_(0, len(self.values) - 1).to(torch.int32)
        flat = torch.index_select(self.values.to(numbers.device), 0, cells.reshape(-1))
        return flat.reshape(numbers.shape)


def check_space(space: Space) -> Space:
    """The space itself.

    Raises:
        CaosError: If it is neither ``max_logit`` nor ``logits``.
    """
    if space not in ("max_logit", "logits"):
        raise unknown("space", space, ("max_logit", "logits"))
    return space


def logits_as_rows(outputs: Outputs) -> NDArray[Any]:
    """Logits ``(pixels, C)``."""
    return np.asarray(outputs.logits.reshape(len(outputs.logits), -1).T.cpu().numpy())


def rows_as_map(values: NDArray[Any], outputs: Outputs) -> Tensor:
    """One value a pixel, in the shape of the score map."""
    shaped = torch.from_numpy(values.astype(np.float32)).reshape(outputs.logits.shape[1:])
    return shaped.to(outputs.logits.device)
