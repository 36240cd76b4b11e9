"""Products of matrices with the features of all places of a picture, by the library that is faster.

Torch asks MKL, which on processors of other makers than its own leaves half of their registers unused; oneDNN, which
torch runs networks with, does not.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from caos.segmentation.predicting_layers import is_for_onednn


def product(matrix: Tensor, columns: Tensor) -> Tensor:
    """``matrix @ columns`` ``(m, n)``; quickest where columns lie side by side, as networks leave features.

    Args:
        matrix: ``(m, D)``.
        columns: ``(D, n)``.
    """
    linear: Any = getattr(torch.ops.mkldnn, "_linear_pointwise", None)  # of two matrices (m, D) and (n, D)
    if linear is None or not all(is_for_onednn(part) and not part.requires_grad for part in (matrix, columns)):
        return matrix @ columns
    made: Tensor = linear(matrix.contiguous(), columns.T.contiguous(), None, "none", [], "")
    return made
