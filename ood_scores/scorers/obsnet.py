"""Error probability that an observer network sees: it learnt where the segmenter errs, under local attacks.

Besnier et al., Triggering Failures: Out-Of-Distribution detection by learning from local adversarial attacks in
Semantic Segmentation, 2021.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class ObservedError(Scorer):
    """Probability of an error, by the observer."""

    title = "ObsNet"
    needs = frozenset({"observed error"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        return outputs.observed_error
