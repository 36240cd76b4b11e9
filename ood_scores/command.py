"""From the words of the command line to a scoring run: names looked up, contradictions refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from foundation.errors import CaosError, unknown
from foundation.progress import SILENT, Progress
from ood_scores.components import TRACKS
from ood_scores.evaluate import score_dataset
from ood_scores.found import FoundOptions
from ood_scores.job import Options
from ood_scores.maps import find_detectors
from ood_scores.protocols import protocols_by_name
from ood_scores.results import Results
from ood_scores.run_source import RunPaths, RunSource
from ood_scores.scorer import FittedScorer, parse_names, scorer_class
from ood_scores.smoothing import SUFFIX
from ood_scores.sources import MapSource, Source, fit_samples
from scenes.labels import LabelTable
from scenes.layout import SPLITS, Dataset, open_dataset


@dataclass(frozen=True)
class Request:
    """The options of ``caos score``, as given."""

    dataset: Path | None
    run: Path | None
    out: Path | None
    scorers: str = "all"
    protocols: str = "caos"
    maps: Path | None = None
    autoencoder: Path | None = None
    confidence: Path | None = None
    ensemble: tuple[Path, ...] = ()
    split: str = "test"
    save_maps: bool = False
    components: bool = True
    track: str = "obstacle"
    false_alarms: str = "0.01,0.05"
    workers: int = 1
    device: str = "auto"
    seed: int = 0


def run_request(request: Request, progress: Progress = SILENT) -> Results:
    """Do what the command line asks for.

    Raises:
        CaosError: If an option is missing, unknown or contradicts another, or scoring fails.
    """
    if request.dataset is None:
        raise CaosError("no dataset: caos score DATASET --run RUN --out RESULTS (or --maps DIR instead of --run)")
    if request.out is None:
        raise CaosError("no folder for the results; give --out RESULTS")
    if (request.run is None) == (request.maps is None):
        raise CaosError("give either --run RUN (our scorers) or --maps DIR (score maps of another detector)")
    options = _options(request)
    dataset = open_dataset(request.dataset)
    if request.maps is not None:
        detectors = find_detectors(request.maps, dataset.samples(options.split))
        source: Source = MapSource(detectors)
        make: Callable[[], Source] = functools.partial(MapSource, detectors)
    else:
        make, dataset = _run_source(request, dataset)
        source = make()
    return score_dataset(dataset, source, request.out, options, progress=progress, make_source=make)


def _options(request: Request) -> Options:
    if request.split not in SPLITS:
        raise unknown("split", request.split, SPLITS)
    if request.track not in TRACKS:
        raise unknown("track", request.track, TRACKS)
    found = FoundOptions(TRACKS[request.track], _rates(request.false_alarms)) if request.components else None
    return Options(
        protocols=protocols_by_name(request.protocols),
        split=request.split,
        workers=request.workers,
        seed=request.seed,
        save_maps=request.save_maps,
        found=found,
    )


def _rates(text: str) -> tuple[float, ...]:
    try:
        rates = tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise CaosError(f"--false-alarms {text!r} is not a list of numbers such as 0.01,0.05") from error
    if any(not 0 < rate < 1 for rate in rates):
        raise CaosError(f"--false-alarms {text!r}: each share must lie between 0 and 1")
    return rates


def parse_columns(names: str) -> tuple[str, ...]:
    """Scorer names, each perhaps with ``+crf``.

    Raises:
        CaosError: If a name is unknown.
    """
    if names.strip() == "all":
        return parse_names("all")
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    parse_names(",".join(name.removesuffix(SUFFIX) for name in wanted))
    return tuple(dict.fromkeys(wanted))


def _run_source(request: Request, dataset: Dataset) -> tuple[Callable[[], RunSource], Dataset]:
    from segmentation.checkpoint import read_run

    assert request.run is not None
    names, explicit = parse_columns(request.scorers), request.scorers.strip() != "all"
    dataset = _with_labels_of(read_run(request.run).labels, request.run, dataset)
    left_out = {} if explicit or fit_samples(dataset) else _unfitted(names, dataset)
    names = tuple(name for name in names if name not in left_out)
    paths = RunPaths.around(request.run, request.autoencoder, request.confidence, request.ensemble)
    make = functools.partial(
        RunSource, paths, names, explicit=explicit, left_out=left_out, seed=request.seed, device=request.device
    )
    return make, dataset


def _unfitted(names: tuple[str, ...], dataset: Dataset) -> dict[str, str]:
    """The scorers that would have to be fitted, and why they cannot be."""
    reason = f"{dataset.root} has neither 'val' nor 'train' images to fit it on"
    return {name: reason for name in names if issubclass(scorer_class(name), FittedScorer)}


def _with_labels_of(labels: LabelTable, run: Path, dataset: Dataset) -> Dataset:
    """The set, read with the label table the run was trained with.

    Raises:
        CaosError: If the two tables belong to different families of sets.
    """
    if labels.digest == dataset.labels.digest:
        return dataset
    family, own = (table.name.partition(":")[0].removesuffix("-12") for table in (labels, dataset.labels))
    if family != own:
        raise CaosError(
            f"{run} was trained with label table {labels.name!r}, but {dataset.root} is labelled with "
            f"{dataset.labels.name!r}; score a set of the same kind"
        )
    return open_dataset(dataset.root, labels.name)
