"""Evidence for a hypothesis: paired differences over images and seeds, their interval, and how sure the sign is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.studies.presentation.tables import Estimate

LEVEL: Final = 0.95
FEWEST_IMAGES: Final = 6
"""With fewer, differences of one sign are no evidence: five coins show the same side once in sixteen throws."""


@dataclass(frozen=True)
class Evidence:
    """What speaks for a hypothesis under one shift, by one measure.

    Attributes:
        base: Mean without.
        changed: Mean with.
        difference: Of the two, with its 95 % interval over images and seeds drawn anew.
        sure: Share of the draws in which it is positive.
        images: How many were measured.
    """

    base: float
    changed: float
    difference: Estimate
    sure: float
    images: int

    @property
    def sign(self) -> str:
        """``+`` where the whole interval is above 0; ``-`` for no evidence, or evidence against, as in the thesis.

        An interval over a handful of images is none.
        """
        return "+" if self.difference.low > 0 and self.images >= FEWEST_IMAGES else "-"


def weigh(
    base: npt.NDArray[np.float64], changed: npt.NDArray[np.float64], rng: np.random.Generator, draws: int
) -> Evidence:
    """The evidence of two tables ``(seeds, images)`` of a measure that is better where it is higher.

    The same images are drawn for both, so that what is hard for both cancels out. Two trainings with the same seed have
    nothing else in common, so seeds are drawn apart.
    """
    differences = np.empty(draws)
    seeds, images = base.shape
    for number in range(draws):
        chosen = rng.integers(images, size=images)
        mine, theirs = (table[rng.integers(len(table), size=seeds)][:, chosen].mean() for table in (changed, base))
        differences[number] = mine - theirs
    low, high = np.quantile(differences, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    value = float(changed.mean() - base.mean())
    estimate = Estimate(value, float(low), float(high))
    return Evidence(float(base.mean()), float(changed.mean()), estimate, float(np.mean(differences > 0)), images)
