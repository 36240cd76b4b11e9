"""Source of score maps: what scoring asks of one."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.identity import FileHashes, Numerics
from caos.ood_scores.measuring.inputs import as_scores
from caos.ood_scores.measuring.pixel_counts import ScoreMap
from caos.ood_scores.results import Negatives, ScorerRecord
from caos.scenes.dataset.layout import Dataset, Sample, read_image


@dataclass(frozen=True, eq=False)
class Scored:
    """Score maps of one image.

    Attributes:
        maps: Score map ``(h, w)`` of each column, float32.
        prediction: Predicted class ids ``(h, w)``, or None without classes.
        seconds: Wall time of each column's scorer, and of the forward passes before them (``forward``).
        passes_s: Wall time of the passes through networks that scorers made; it is part of their ``seconds``.
    """

    maps: Mapping[str, ScoreMap]
    prediction: npt.NDArray[np.uint8] | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    passes_s: float = 0.0


def finite(scored: Scored, of: object) -> Scored:
    """Return the score maps in number types that keep their order, all finite; errors call their image ``of``.

    Raises:
        CaosError: If scores are no real numbers, or one is NaN or infinite.
    """
    maps = {}
    for column, given in scored.maps.items():
        maps[column] = scores = as_scores(given, f" ({column!r} for {of})")
        if scores.dtype.kind == "f" and scores.size and not np.isfinite((scores.min(), scores.max())).all():
            bad = int(np.count_nonzero(~np.isfinite(scores)))
            raise CaosError(f"{column!r} gave {bad} NaN or infinite scores of {scores.size} for {of}")
    return replace(scored, maps=maps)


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
    def can_prefetch(self) -> bool:
        """Whether :meth:`begin` may run in another thread while an earlier image is finished."""
        return False

    def begin(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Callable[[], Scored]:
        """Run the forward passes of one image; the returned function computes its score maps from their outputs."""
        return functools.partial(self.score, sample, image)

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
