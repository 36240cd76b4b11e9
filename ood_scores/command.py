"""Command ``caos score``: from its words to a scoring run, names looked up and contradictions refused."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.files import real_path
from caos.ood_scores.evaluation.options import JudgingOptions, ScoringOptions
from caos.ood_scores.evaluation.scoring import score_dataset
from caos.ood_scores.measuring.components import TRACKS
from caos.ood_scores.measuring.noticing import stopping_rules
from caos.ood_scores.measuring.protocols import family_of, protocols_by_name
from caos.ood_scores.results import Results
from caos.ood_scores.scorer_interface.scorer import FittedScorer
from caos.ood_scores.scorer_interface.specifications import ScorerColumn, columns_of, split_list
from caos.ood_scores.sources.encoder import EncoderSource
from caos.ood_scores.sources.map_files import MapSource
from caos.ood_scores.sources.model import fit_samples
from caos.ood_scores.sources.run import RunPaths, RunSource
from caos.ood_scores.sources.score_maps import find_detectors
from caos.ood_scores.sources.source import Source
from caos.scenes.dataset.layout import SPLITS, Dataset, open_dataset
from caos.scenes.labels import PHOTOGRAPHS, LabelTable

if TYPE_CHECKING:
    from caos.segmentation.prediction.checkpoint import Run


@dataclass(frozen=True)
class Request:
    """The options of ``caos score``, as given."""

    dataset: Path | None
    run: Path | None
    out: Path | None
    scorers: str = "all"
    protocols: str | None = None
    maps: Path | None = None
    encoder: str | None = None
    encoder_weights: Path | None = None
    autoencoder: Path | None = None
    confidence: Path | None = None
    observer: Path | None = None
    ensemble: tuple[Path, ...] = ()
    split: str = "test"
    save_maps: bool = False
    components: bool = True
    track: str = "obstacle"
    false_alarms: str = "0.01,0.05"
    workers: int = 1
    device: str = "auto"
    seed: int = 0
    ray: str | None = None
    fit_on: Path | None = None
    overwrite: bool = False
    scales: str = ""
    flips: bool = False
    stopping: str = ""


def run_request(request: Request, progress: Progress = SILENT) -> Results:
    """Do what the command line asks for.

    Raises:
        CaosError: If an option is missing, unknown or contradicts another, or scoring fails.
    """
    if request.dataset is None:
        raise CaosError(
            "no dataset: caos score DATASET --run RUN --out RESULTS (or --maps DIR or --encoder NAME instead of --run)"
        )
    if request.out is None:
        raise CaosError("no folder for the results; give --out RESULTS")
    if sum(given is not None for given in (request.run, request.maps, request.encoder)) != 1:
        raise CaosError(
            "give either --run RUN (our scorers) or --maps DIR (score maps of another detector) or --encoder NAME "
            "(features of a frozen encoder)"
        )
    if request.encoder is None and request.encoder_weights is not None:
        raise CaosError("--encoder-weights needs an encoder; name it with --encoder")
    if request.run is None and (request.scales or request.flips):
        raise CaosError("--scales and --flips average the predictions of a run; add --run RUN")
    options = _options(request)
    dataset = open_dataset(request.dataset)
    if request.maps is not None:
        detectors = find_detectors(request.maps, dataset.samples(options.split))
        source: Source = MapSource(detectors)
        make: Callable[[], Source] = functools.partial(MapSource, detectors)
    elif request.encoder is not None:
        make = _encoder_source(request, dataset)
        source = make()
    else:
        make, dataset = run_source(request, dataset)
        source = make()
    return score_dataset(
        dataset, source, request.out, options, overwrite=request.overwrite, progress=progress, make_source=make
    )


def _options(request: Request) -> ScoringOptions:
    if request.split not in SPLITS:
        raise unknown("split", request.split, SPLITS)
    if request.track not in TRACKS:
        raise unknown("track", request.track, TRACKS)
    judging = None
    if request.components:
        rules = stopping_rules(request.stopping)
        judging = JudgingOptions(TRACKS[request.track], _rates(request.false_alarms), rules)
    return ScoringOptions(
        protocols=() if request.protocols is None else protocols_by_name(request.protocols),
        split=request.split,
        workers=request.workers,
        ray=request.ray,
        seed=request.seed,
        save_maps=request.save_maps,
        judging=judging,
    )


def numbers(text: str, option: str, example: str) -> tuple[float, ...]:
    """The numbers of an option, with commas between them.

    Raises:
        CaosError: If one is none.
    """
    try:
        return tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise CaosError(f"{option} {text!r} is not a list of numbers such as {example}") from error


def _rates(text: str) -> tuple[float, ...]:
    rates = numbers(text, "--false-alarms", "0.01,0.05")
    if any(not 0 < rate < 1 for rate in rates):
        raise CaosError(f"--false-alarms {text!r}: each share must lie between 0 and 1")
    return rates


def run_source(request: Request, dataset: Dataset) -> tuple[Callable[[], RunSource], Dataset]:
    """The maker of a run's source, and the set read with the run's label table.

    Raises:
        CaosError: If the run cannot be read, a scorer is unknown, or the two label tables do not go together.
    """
    from caos.segmentation.prediction.checkpoint import read_run

    assert request.run is not None
    columns, explicit = columns_of(request.scorers), request.scorers.strip() != "all"
    run = read_run(request.run)
    dataset = _with_labels_of(run.labels, request.run, dataset)
    fit_on = request.fit_on or (None if fit_samples(dataset) else training_set(run))
    left_out: dict[str, str] = {}
    if not explicit and fit_on is None and not fit_samples(dataset):
        reason = f"{dataset.root} has neither 'val' nor 'train' images to fit it on (name a set with --fit-on)"
        left_out = {column.name: reason for column in columns if isinstance(column.scorer, FittedScorer)}
    wanted = [_absolute(part) for part in split_list(request.scorers)] if explicit else _without(columns, left_out)
    paths = RunPaths.around(request.run, request.autoencoder, request.confidence, request.ensemble, request.observer)
    make = functools.partial(
        RunSource,
        paths,
        tuple(wanted),
        explicit=explicit,
        left_out=left_out,
        fit_on=fit_on,
        seed=request.seed,
        device=request.device,
        scales=numbers(request.scales, "--scales", "0.5,1,1.5"),
        flips=request.flips,
    )
    return make, dataset


def _encoder_source(request: Request, dataset: Dataset) -> Callable[[], EncoderSource]:
    assert request.encoder is not None
    scorers = ",".join(_absolute(part) for part in split_list(request.scorers))
    return functools.partial(
        EncoderSource,
        request.encoder,
        request.encoder_weights,
        scorers,
        dataset,
        fit_on=request.fit_on,
        device=request.device,
    )


def training_set(run: Run) -> Path | None:
    """The folder of the set a run was trained on, if it is still there."""
    root = run.record.dataset.get("root")
    return Path(root) if isinstance(root, str) and Path(root).is_dir() else None


def _without(columns: Sequence[ScorerColumn], left_out: Mapping[str, str]) -> list[str]:
    return [column.name for column in columns if column.name not in left_out]


def _absolute(scorer: str) -> str:
    """The same scorer for a process that works in another folder."""
    path, suffix, settings = scorer.partition(".py")
    return f"{real_path(path + suffix)}{settings}" if suffix else scorer


def _with_labels_of(labels: LabelTable, run: Path, dataset: Dataset) -> Dataset:
    """The set, read with the label table the run was trained with.

    Raises:
        CaosError: If the two tables belong to different families of sets.
    """
    if dataset.labels == PHOTOGRAPHS or labels.digest == dataset.labels.digest:
        return dataset
    if family_of(labels.name) != family_of(dataset.labels.name):
        raise CaosError(
            f"{run} was trained with label table {labels.name!r}, but {dataset.root} is labelled with "
            f"{dataset.labels.name!r}; score a set of the same kind"
        )
    return open_dataset(dataset.root, labels.name)
