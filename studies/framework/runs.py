"""Runs that a study measures itself: loaded with their scorers, the set as each reads it, what it all depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caos.foundation.errors import CaosError, unknown
from caos.foundation.storage.files import real_path
from caos.foundation.storage.identity import FileHashes, Fingerprint
from caos.ood_scores.command import Request, run_source
from caos.ood_scores.evaluation.dependencies import dependencies
from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.sources.run import RunSource
from caos.ood_scores.sources.source import spread
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample
from caos.scenes.labels import PHOTOGRAPHS
from caos.studies.framework.named_folders import Named
from caos.studies.numerics import NUMERICS


@dataclass(frozen=True, eq=False)
class StudiedRun:
    """A run that is studied: its name, its scorers, and the set as its label table reads it."""

    name: str
    source: RunSource
    dataset: Dataset


def load_run(run: Named, dataset: Dataset, scorers: str, fit_on: Path | None, device: str, seed: int) -> StudiedRun:
    """A run with its scorers; those that have to be fitted are not yet.

    Raises:
        CaosError: If the run cannot be read, a scorer cannot run, or the label tables do not go together.
    """
    request = Request(
        dataset=dataset.root, run=run.path, out=None, scorers=scorers, fit_on=fit_on, device=device, seed=seed
    )
    make, labelled = run_source(request, dataset)
    return StudiedRun(run.name, make(), labelled)


def choose_baseline(places: Sequence[Named], wanted: str | Path | None) -> str:
    """The name of the run that was asked for by name or folder; the first where none was.

    Raises:
        CaosError: If it is none of them.
    """
    if wanted is None:
        return places[0].name
    for place in places:
        if str(wanted) == place.name or real_path(wanted) == real_path(place.path):
            return place.name
    raise CaosError(f"the baseline {str(wanted)!r} is not one of the runs: {', '.join(place.name for place in places)}")


def labelled_samples(dataset: Dataset, split: str) -> tuple[Sample, ...]:
    """The samples of a split, whose labels are of classes.

    Raises:
        CaosError: If the split is unknown or empty, or the set says only what is anomalous.
    """
    if dataset.labels == PHOTOGRAPHS:
        raise CaosError(f"{dataset.root} labels anomalies but no classes: there is no mIoU to measure")
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    return dataset.samples(split)


def some_of(samples: Sequence[Sample], images: int | None) -> tuple[Sample, ...]:
    """At most so many of the samples, evenly spread; all of them for None.

    Raises:
        CaosError: If the number is below one.
    """
    if images is None:
        return tuple(samples)
    if images < 1:
        raise CaosError(f"images is {images!r}; it must be at least 1")
    return spread(samples, images)


def plans_of(runs: Sequence[StudiedRun], folder: Path, split: str, seed: int) -> dict[str, Any]:
    """Everything the numbers of each run depend on, JSON-ready: set, fits, weights, scorers, and what computes them."""
    hashes = FileHashes(folder / "inputs.json")
    options = ScoringOptions(split=split, seed=seed)  # type: ignore[arg-type]
    own = Fingerprint({}, {}, (NUMERICS,)).plan()
    plans = {run.name: [dependencies(run.dataset, run.source, options, hashes).plan, own] for run in runs}
    hashes.save()
    return plans
