"""Entries of a transfer study: one run on one set each, scored here or elsewhere, under names a reader tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caos.foundation.settings import read_json, read_record
from caos.foundation.storage.identity import FileHashes, digest_of
from caos.ood_scores.evaluation.dependencies import PLAN
from caos.ood_scores.evaluation.image_groups import FILE, read_groups
from caos.ood_scores.measuring.pooled import METRICS as POOLED
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.statistics import pooled_draws, resample
from caos.ood_scores.results import METRICS, Results

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Entry:
    """The results of one run on one set."""

    run: str
    set: str
    results: Results

    @property
    def name(self) -> str:
        """How it is called."""
        return f"{self.run} on {self.set}"

    @property
    def protocols(self) -> dict[str, Protocol]:
        """The definitions it was measured by, by name."""
        return {protocol.name: protocol for protocol in self.results.content.protocols}

    def identity(self, hashes: FileHashes) -> Any:
        """What its numbers follow from."""
        paths = (self.results.folder / name for name in ("results.json", "images.jsonl", FILE))
        return [self.name, hashes.digest(path if path.is_file() else None for path in paths)]

    def images_digest(self) -> str:
        """Equal for two entries that measured the same images, whatever network they are of."""
        plan = self.results.folder / PLAN
        pictures = _pictures(plan) if plan.is_file() else None
        return digest_of([pictures, [[row.key, row.anomalous] for row in self.results.images()]])

    def draws(self, protocol: Protocol, seed: int, number: int) -> dict[str, dict[str, Float64]]:
        """Each scorer's metrics on resampled images, ``{metric: {scorer: (number,)}}``; empty where none can be drawn.

        Entries of the same images draw the same ones.
        """
        rng = np.random.default_rng([seed, int(self.images_digest(), 16)])
        if protocol.is_pooled:
            return self._pooled_draws(protocol, rng, number)
        rows = [row.measures for row in self.results.images()]
        columns = self.results.content.columns
        rows = [row for row in rows if all(protocol.name in row.get(column, {}) for column in columns)]
        if not rows:
            return {}
        weights = resample(len(rows), rng, number)

        def drawn(column: str, metric: str) -> Float64:
            return weights @ np.array([getattr(row[column][protocol.name], metric) for row in rows], np.float64)

        return {metric: {column: drawn(column, metric) for column in columns} for metric in METRICS}

    def _pooled_draws(self, protocol: Protocol, rng: np.random.Generator, number: int) -> dict[str, dict[str, Float64]]:
        groups = read_groups(self.results.folder, protocol.name)
        count = min((found.shape[1] - 1 for found in groups.values()), default=0)
        if not count:
            return {}
        weights = resample(count, rng, number)
        drawn = {column: pooled_draws(found, weights) for column, found in groups.items()}
        return {metric: {column: drawn[column][place] for column in groups} for place, metric in enumerate(POOLED)}


def _pictures(plan: Path) -> str:
    """The digest of the pictures that were scored."""
    dataset = read_record(dict[str, Any], read_json(plan), plan).get("dataset")
    return read_record(str, read_record(dict[str, Any], dataset, plan).get("pictures"), plan)
