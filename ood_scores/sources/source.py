"""Source of score maps: what scoring asks of one."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.identity import FileHashes, Numerics
from caos.foundation.machine_code import compiled
from caos.foundation.progress import SILENT, Progress
from caos.ood_scores.measuring.pixel_counts import ScoreMap
from caos.ood_scores.results import Negatives, ScorerRecord
from caos.scenes.layout import Dataset, Sample, read_image

INFINITE: Final = 0x7F800000
"""Bits of the exponent of a float, all of which NaN and infinity have."""


@dataclass(frozen=True, eq=False)
class Scored:
    """Score maps of one image by column name, the predicted classes where there are any, and what it cost.

    ``seconds`` is time by column, and ``forward``; ``processor_s`` the processor's by kind of work, but for that of
    scorers and what it took to begin (:class:`Begun`).
    """

    maps: Mapping[str, ScoreMap]
    prediction: npt.NDArray[np.uint8] | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    processor_s: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Begun:
    """The scoring of one image after its forward passes, or after all that may be done in any thread.

    ``finish`` gives the maps; ``processor_s`` is what the processor has done so far, by kind of work.
    """

    finish: Callable[[], Scored]
    processor_s: Mapping[str, float] = field(default_factory=dict)


def finite(scored: Scored, of: object) -> Scored:
    """The same maps, of a picture that messages call ``of``.

    Raises:
        CaosError: If a score is NaN or infinite.
    """
    for column, scores in scored.maps.items():
        bits = np.ascontiguousarray(scores, np.float32).view(np.uint32)
        if _largest_exponent(bits.ravel()) == INFINITE:
            bad = int(np.count_nonzero(~np.isfinite(scores)))
            raise CaosError(f"{column!r} gave {bad} NaN or infinite scores of {scores.size} for {of}")
    return scored


@compiled
def _largest_exponent(bits: npt.NDArray[np.uint32]) -> int:
    """Of floats given by their bits."""
    largest = np.uint32(0)
    for i in range(bits.size):
        largest = max(largest, bits[i] & np.uint32(INFINITE))
    return int(largest)


class Source(ABC):
    """Gives the score maps of an image."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the score maps."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What it is, for the reader of the results, JSON-ready."""

    @abstractmethod
    def identity(self, hashes: FileHashes) -> Any:
        """Everything its maps depend on besides the pictures, JSON-ready; None if that cannot be told.

        Two sources of one identity give the same maps: results of one are reused for the other.
        """

    @property
    def threads_ahead(self) -> int:
        """In how many threads :meth:`begin` may be called at once; 0 if only in the one that finishes."""
        return 0

    def begin(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Begun:
        """Begin to score one image: all of it that may be done in any thread, first of all the forward passes."""
        return Begun(functools.partial(self.score, sample, image))

    @abstractmethod
    def score(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Scored:
        """The maps of one image."""

    @abstractmethod
    def records(self) -> tuple[ScorerRecord, ...]:
        """What is known of each column."""

    def fitted_on(self, dataset: Dataset) -> tuple[Sample, ...]:
        """The images that :meth:`prepare` reads."""
        return ()

    def prepare(self, dataset: Dataset, seed: int, progress: Progress = SILENT) -> None:  # noqa: B027 - most need nothing
        """Fit what has to be fitted on ordinary images of the set."""

    def numerics(self) -> tuple[Numerics, ...]:
        """What computes its maps, besides this room and ``scenes``, which reads the set."""
        return ()

    def negatives(self) -> Negatives:
        """Whether what makes the maps was trained with negatives."""
        return "unknown"

    def skipped(self) -> dict[str, str]:
        """Scorers that were asked for by ``all`` but cannot run, and why."""
        return {}


def read_picture(path: Path) -> npt.NDArray[np.uint8]:
    """Pixels that torch may share: a copy, for what the picture library gives is read-only."""
    return np.array(read_image(path))


def spread(samples: Sequence[Sample], number: int) -> tuple[Sample, ...]:
    """At most ``number`` of the samples, evenly spaced."""
    steps = np.linspace(0, len(samples) - 1, min(number, len(samples)))
    return tuple(samples[i] for i in dict.fromkeys(round(step) for step in steps.tolist()))
