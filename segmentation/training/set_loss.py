"""Set loss of a mask transformer: each query learns the class and the mask it is matched to, or to say "no object".

Costs, matching and weights are the authors'. Two things differ. It looks at every pixel of a grid, not at drawn points.
And void pixels do not count: where they count as outside of every mask, a hazard that a run leaves out as void teaches
it to reject hazards all the same.

Cheng et al. 2022, Masked-attention Mask Transformer for Universal Image Segmentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

CLASS_WEIGHT: Final = 2.0
MASK_WEIGHT: Final = 5.0
DICE_WEIGHT: Final = 5.0
NO_OBJECT_WEIGHT: Final = 0.1
"""Of queries that no mask is matched to, in the cross entropy of the classes."""


@dataclass(frozen=True, eq=False)
class MaskTargets:
    """What there is to find in one picture.

    Attributes:
        classes: ``(m,)`` of each mask.
        masks: ``(m, h, w)``, 0 or 1.
        counted: ``(h, w)``, 0 where nothing is known.
    """

    classes: Tensor
    masks: Tensor
    counted: Tensor


def set_loss(
    class_logits: Tensor, mask_logits: Tensor, targets: Sequence[MaskTargets], class_weights: Tensor
) -> Tensor:
    """Loss of what the queries of one layer say: ``(n, Q, C)`` and ``(n, Q, h, w)`` of n pictures.

    ``class_weights`` are those of the C classes, the last of which is "no object".
    """
    wanted = torch.full(class_logits.shape[:2], class_logits.shape[-1] - 1, device=class_logits.device)
    total = mask_logits.new_zeros(())
    for number, target in enumerate(targets):
        costs = mask_costs(mask_logits[number], target)
        queries, masks = _matched(costs, class_logits[number], target.classes)
        total = total + costs[queries, masks].sum()
        wanted[number, queries] = target.classes[masks]
    said = functional.cross_entropy(class_logits.float().transpose(1, 2), wanted, weight=class_weights)
    return total / max(sum(len(target.classes) for target in targets), 1) + CLASS_WEIGHT * said


def mask_costs(mask_logits: Tensor, target: MaskTargets) -> Tensor:
    """``(Q, m)``: how far each query's mask is from each mask, by cross entropy and dice over counted pixels."""
    counted = target.counted.flatten().float()
    logits, masks = mask_logits.float().flatten(1), target.masks.float().flatten(1) * counted
    # The cross entropy of a logit x and a truth y is softplus(x) - x y.
    apart = ((functional.softplus(logits) * counted).sum(1)[:, None] - logits @ masks.T) / counted.sum().clamp(min=1)
    inside = logits.sigmoid() * counted
    dice = 1 - (2 * inside @ masks.T + 1) / (inside.sum(1)[:, None] + masks.sum(1) + 1)
    return MASK_WEIGHT * apart + DICE_WEIGHT * dice


def _matched(costs: Tensor, class_logits: Tensor, classes: Tensor) -> tuple[Tensor, Tensor]:
    """Numbers of the queries and of the masks that belong together at the least cost."""
    from scipy.optimize import linear_sum_assignment

    with torch.no_grad():
        whole = costs - CLASS_WEIGHT * class_logits.float().softmax(-1)[:, classes]
        queries, masks = linear_sum_assignment(torch.nan_to_num(whole, nan=1e9).cpu().numpy())
    return torch.as_tensor(queries, device=costs.device), torch.as_tensor(masks, device=costs.device)
