"""Products of matrices with the features of all places of a picture, by the library that is faster.

Torch asks MKL, which on processors of other makers than its own leaves half of their registers unused; oneDNN, which
torch runs networks with, does not.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def product(matrix: Tensor, columns: Tensor) -> Tensor:
    """``matrix @ columns`` ``(m, n)``; quickest where columns lie side by side, as networks leave features.

    Args:
        matrix: ``(m, D)``.
        columns: ``(D, n)``.
    """
    linear = _linear_of_onednn()
    if linear is None or not all(_is_for_onednn(part) for part in (matrix, columns)):
        return matrix @ columns
    made: Tensor = linear(matrix.contiguous(), columns.T.contiguous(), None, "none", [], "")
    return made


def _linear_of_onednn() -> Any:
    """Of two matrices ``(m, D)`` and ``(n, D)``; None where this torch has none."""
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return None
    return getattr(torch.ops.mkldnn, "_linear_pointwise", None)


def _is_for_onednn(values: Tensor) -> bool:
    is_plain = values.device.type == "cpu" and values.dtype == torch.float32
    return is_plain and values.numel() > 0 and not values.requires_grad
