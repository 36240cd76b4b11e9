"""Queries of a mask transformer: what each says, and what they add up to.

Such a network does not say a class for each pixel. Each of its Q queries has class logits, the last for "no object",
and a map of mask logits. With p the softmax of the class logits and s the sigmoid of the mask logits,
``sum_q p[q, k] s[q]`` is the semantic map: it takes the place of logits, and every rule here is a weighted sum of the
masks like it.

Cheng et al. 2022, Masked-attention Mask Transformer for Universal Image Segmentation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from caos.foundation.errors import CaosError

if TYPE_CHECKING:
    from torch import Tensor

TOGETHER: Final = 16
"""Queries whose masks are in memory at the size of the picture at once."""


@dataclass(frozen=True, eq=False)
class Queries:
    """What the queries say about one picture.

    Attributes:
        class_logits: ``(Q, K + 1)``: the ordinary classes, then "no object"; or ``(Q, K + 2)`` with the class of
            outliers between them.
        mask_logits: ``(Q, ...)``, at any resolution.
        num_classes: K.
        enlarge: Some of the mask logits to the size of the picture; None where they have it.
    """

    class_logits: Tensor
    mask_logits: Tensor
    num_classes: int
    enlarge: Callable[[Tensor], Tensor] | None = None

    def __post_init__(self) -> None:
        """Refuse outputs that do not belong together."""
        shape = tuple(self.class_logits.shape)
        if shape[1:] not in {(self.num_classes + 1,), (self.num_classes + 2,)} or shape[0] != len(self.mask_logits):
            raise CaosError(
                f"queries with class logits {shape} and {len(self.mask_logits)} masks are not those of "
                f"{self.num_classes} classes: (Q, {self.num_classes + 1}) and Q are needed, or one more class"
            )

    @cached_property
    def probabilities(self) -> Tensor:
        """Softmax of the class logits, ``(Q, K + 1)`` or ``(Q, K + 2)``."""
        return self.class_logits.float().softmax(dim=1)

    @property
    def ordinary(self) -> Tensor:
        """Probabilities ``(Q, K)`` of the ordinary classes."""
        return self.probabilities[:, : self.num_classes]

    @property
    def outlier(self) -> Tensor | None:
        """Probability ``(Q,)`` of the class of outliers, or None without one."""
        has_outlier = self.class_logits.shape[1] == self.num_classes + 2
        return self.probabilities[:, self.num_classes] if has_outlier else None

    def summed(self, weights: Tensor) -> Tensor:
        """Sums ``(n, ...)`` of the masks' probabilities over the queries, weighted by ``(Q, n)``."""
        import torch

        total: Tensor | None = None
        for start in range(0, len(self.mask_logits), TOGETHER):
            logits = self.mask_logits[start : start + TOGETHER].float()
            masks = torch.sigmoid(logits if self.enlarge is None else self.enlarge(logits))
            part = torch.tensordot(weights[start : start + TOGETHER].T, masks, dims=1)
            total = part if total is None else total.add_(part)
        assert total is not None
        return total

    @cached_property
    def semantic(self) -> Tensor:
        """``sum_q p[q, k] s[q]`` of each ordinary class, ``(K, ...)``."""
        return self.summed(self.ordinary)


def semantic_maps(class_logits: Tensor, mask_logits: Tensor, classes: slice) -> Tensor:
    """``sum_q p[q, k] s[q]`` of some classes, ``(n, k, h, w)``, from ``(n, Q, C)`` and ``(n, Q, h, w)``."""
    import torch

    chosen = class_logits.float().softmax(dim=-1)[..., classes]
    return torch.einsum("nqk,nqhw->nkhw", chosen, torch.sigmoid(mask_logits.float()))
