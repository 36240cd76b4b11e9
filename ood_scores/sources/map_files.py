"""Source of score maps that another detector wrote to files, one folder per detector."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caos.foundation.storage.identity import FileHashes
from caos.ood_scores.results import ScorerRecord
from caos.ood_scores.sources.score_maps import read_map
from caos.ood_scores.sources.source import Scored, Source
from caos.scenes.dataset.layout import Sample


class MapSource(Source):
    """Score maps from files.

    Args:
        detectors: For each detector, the file of every sample by its key.
    """

    def __init__(self, detectors: Mapping[str, Mapping[str, Path]]) -> None:
        self._detectors = detectors

    @property
    def columns(self) -> tuple[str, ...]:
        """See :class:`Source`."""
        return tuple(self._detectors)

    def describe(self) -> dict[str, Any]:
        """See :class:`Source`."""
        folders = {name: str(next(iter(maps.values())).parent) for name, maps in self._detectors.items()}
        return {"kind": "score maps", "detectors": folders}

    def identity(self, hashes: FileHashes) -> Any:
        """See :class:`Source`."""
        # The kind of file is part of how it is read.
        return {
            name: {"maps": hashes.digest(maps.values()), "kinds": sorted({path.suffix for path in maps.values()})}
            for name, maps in self._detectors.items()
        }

    def records(self) -> tuple[ScorerRecord, ...]:
        """See :class:`Source`."""
        return tuple(ScorerRecord(name, name, name, {}, "score maps from files", "") for name in self._detectors)

    def score(self, sample: Sample, image: npt.NDArray[np.uint8]) -> Scored:
        """See :class:`Source`."""
        height, width = image.shape[:2]
        return Scored({name: read_map(maps[sample.key], (height, width)) for name, maps in self._detectors.items()})
