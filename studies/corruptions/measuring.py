"""Condition of a corruption study: a corruption at one severity, or clean pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from caos.scenes.dataset.layout import Sample
from caos.scenes.labels import LabelTable
from caos.studies.corruptions.corruption import make_corruption
from caos.studies.framework.measuring import ShownPictures, as_it_is
from caos.studies.framework.seeding import generator_for


@dataclass(frozen=True)
class Condition:
    """A corruption at one severity, or clean pictures: no corruption, severity 0."""

    corruption: str | None = None
    severity: int = 0

    @property
    def name(self) -> str:
        """For files."""
        return "clean" if self.corruption is None else f"{self.corruption}-{self.severity}"

    def of(self, samples: Sequence[Sample], seed: int) -> ShownPictures:
        """The pictures under this condition; ``seed`` is that of what the corruption draws."""
        return ShownPictures(self.name, asdict(self), samples, lambda sample, table: spoil(sample, table, self, seed))


def spoil(
    sample: Sample, table: LabelTable, condition: Condition, seed: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """A picture and its class ids under a condition; the same for every run."""
    picture, ids = as_it_is(sample, table)
    if condition.corruption is None:
        return picture, ids
    rng = generator_for(seed, sample.key, condition.corruption, condition.severity)
    return make_corruption(condition.corruption).corrupt_pair(picture, ids, condition.severity, rng)
