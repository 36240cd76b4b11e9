"""Margin between the two largest logits, negated: the smaller the lead of the winner, the more anomalous.

A scorer of your own is a file with one subclass of ``caos.Scorer``; its settings are the constructor's arguments::

    caos score DATASET --run RUN --out RESULTS --scorers msp,./examples/own_scorer.py:temperature=2

Scheffer et al., Active Hidden Markov Models for Information Extraction, 2001 (the margin as a measure of doubt).
"""

from __future__ import annotations

from torch import Tensor

from caos import Outputs, Scorer


class Margin(Scorer):
    """Lead of the best class over the second, negated.

    Args:
        temperature: What the logits are divided by.
    """

    title = "Margin"

    def __init__(self, temperature: float = 1.0) -> None:
        self.temperature = temperature

    def score(self, outputs: Outputs) -> Tensor:
        """One number for each pixel, higher is more anomalous."""
        best, second = outputs.logits.topk(2, dim=0).values
        return (second - best) / self.temperature
