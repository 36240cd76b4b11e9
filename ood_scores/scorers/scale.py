"""Energy after scaling the features of a pixel by ``exp(sum of all / sum of the largest)``, by default 15 % of them.

Sums of what is positive: features that have passed a ReLU have nothing else. At feature resolution; the energy map is
enlarged to the picture.

Xu et al., Scaling for Training Time and Post-hoc Out-of-distribution Detection Enhancement, 2024.
"""

from __future__ import annotations

from typing import Annotated

from torch import Tensor

from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Scale(Scorer):
    """Energy with scaled activations.

    Args:
        percentile: Where the largest activations begin.
    """

    title = "SCALE"
    needs = frozenset({"features", "classify"})

    def __init__(self, percentile: Annotated[float, Limits(0, 95)] = 85.0) -> None:
        self.percentile = percentile

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        features = outputs.features
        positive = features.clamp_min(0)
        largest = max(len(features) - round(len(features) * self.percentile / 100), 1)
        # Nothing positive, nothing to scale: 0 / tiny is 0, and the factor 1.
        top = positive.topk(largest, dim=0, sorted=False).values.sum(dim=0).clamp_min_(1e-12)
        factor = (positive.sum(dim=0) / top).exp_()
        return outputs.enlarge(-outputs.classify(features * factor).logsumexp(dim=0))
