"""Reconstruction error: mean absolute difference of picture and autoencoder output over the colour channels.

Baur et al., Deep Autoencoding Models for Unsupervised Anomaly Segmentation in Brain MR Images, 2019.
"""

from __future__ import annotations

from torch import Tensor

from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer


class AutoencoderDifference(Scorer):
    """Absolute difference of the picture and its reconstruction."""

    title = "AE"
    needs = frozenset({"image", "reconstruction"})

    def score(self, outputs: Outputs) -> Tensor:
        """See :class:`~caos.ood_scores.scorer_interface.scorer.Scorer`."""
        red, green, blue = (outputs.image - outputs.reconstruction).abs_().unbind(-1)
        return (red + green).add_(blue).div_(3)
