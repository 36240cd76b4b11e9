"""Free energy of the logits: ``-T log sum_k exp(l_k / T)``, with T = 1.

Liu et al., Energy-based Out-of-distribution Detection, 2020.
"""

from __future__ import annotations

from typing import Annotated

from torch import Tensor

from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class Energy(Scorer):
    """Free energy of the logits.

    Args:
        temperature: T; at 1 the sum is shared with other scorers.
    """

    title = "Energy"

    def __init__(self, temperature: Annotated[float, Limits(1e-6, 1e6)] = 1.0) -> None:
        self.temperature = temperature

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        if self.temperature == 1.0:
            return -outputs.log_partition
        return -self.temperature * (outputs.logits / self.temperature).logsumexp(dim=0)
