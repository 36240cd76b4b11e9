"""Energy after clipping the features at a high percentile of what ordinary data shows.

At feature resolution; the energy map is enlarged to the picture.

Sun et al., ReAct: Out-of-distribution Detection With Rectified Activations, 2021.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from torch import Tensor

from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs


class React(FittedScorer):
    """Energy with rectified activations.

    Args:
        percentile: Where the activations are clipped.
    """

    title = "ReAct"
    needs = frozenset({"features", "classify"})

    def __init__(self, percentile: Annotated[float, Limits(0, 100)] = 90.0) -> None:
        self.percentile = percentile

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        assert data.features is not None
        self._ceiling = float(np.percentile(data.features.cpu().numpy(), self.percentile))

    def _score(self, outputs: Outputs) -> Tensor:
        logits = outputs.classify(outputs.features.clamp(max=self._ceiling))
        return outputs.enlarge(-logits.logsumexp(dim=0))
