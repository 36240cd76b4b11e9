"""Bundling of a run: packed weights, what its scorers say of ordinary pixels, and a card that says what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import read_text
from caos.foundation.storage.claims import locked
from caos.foundation.storage.files import sha256, write_bytes, write_text
from caos.ood_scores import results as scoring
from caos.ood_scores.bundling.model_card import CARD_FILE, PackedDifference, model_card
from caos.ood_scores.looking.ordinary_scores import ORDINARY_FILE, KnownScores, measure_known, write_known
from caos.ood_scores.results import Results
from caos.ood_scores.scorer_interface.specifications import split_list
from caos.ood_scores.sources.model import ModelSource
from caos.ood_scores.sources.run import RunPaths, RunSource
from caos.ood_scores.sources.source import finite, read_picture, spread
from caos.scenes.dataset.layout import SPLITS, Dataset, Sample, open_dataset

COMPARED: Final = 4
"""Pictures on which the packed run is held against the one it came from."""


@dataclass(frozen=True)
class BundleOptions:
    """What goes into a bundle besides the weights.

    Attributes:
        ordinary: Set whose ordinary pixels say what a score means.
        split: Which of its images.
        scorers: Comma-separated; the first is recommended.
        results: Folders of ``caos score`` with this run, for the card.
        origin: A sentence on what the training images are, for the card.
        failures: Markdown that says where the run fails, for the card.
        scales: Factors of a picture's size that the bundle's predictions are the mean over; empty for those of the run.
        side: Longer side that smaller ordinary pictures are brought to before they are scored; None: as they are.
    """

    ordinary: Path
    split: str = "val"
    scorers: str = "entropy,max_logit,energy"
    results: tuple[Path, ...] = ()
    origin: str = ""
    failures: Path | None = None
    scales: tuple[float, ...] = ()
    side: int | None = None


@dataclass(frozen=True)
class Bundle:
    """What was written."""

    folder: Path
    weight_bytes: int
    known: KnownScores
    difference: PackedDifference


def bundle_run(
    run: Path, out: Path, options: BundleOptions, *, overwrite: bool = False, progress: Progress = SILENT
) -> Bundle:
    """Write a run that can be taken along: weights in 16 bits, ordinary scores and a model card.

    Raises:
        CaosError: If the run, a set or results cannot be used, results are of another run, or ``out`` holds a run.
    """
    from caos.segmentation.prediction.checkpoint import RUN_FILE, WEIGHTS_FILE, read_run
    from caos.segmentation.prediction.packing import pack_run

    if options.split not in SPLITS:
        raise unknown("split", options.split, SPLITS)
    if (out / RUN_FILE).exists() and not overwrite:
        raise CaosError(f"{out} already holds a run; choose another --out, or replace it with --overwrite")
    described = read_run(run)
    failures = None if options.failures is None else read_text(options.failures)
    dataset = open_dataset(options.ordinary, described.labels.name)
    with TemporaryDirectory() as temporary:
        packed = Path(temporary)
        size = pack_run(run, packed, options.scales)
        measured = [_measured(folder, described.path, packed) for folder in options.results]
        scorers = split_list(options.scorers)
        known, difference = _known(described.path, packed, scorers, dataset, options, progress)
        write_known(packed, known)
        card = model_card(read_run(packed), size, known, difference, measured, origin=options.origin, failures=failures)
        write_text(packed / CARD_FILE, card)
        with locked(out, "bundle"):
            for name in (WEIGHTS_FILE, ORDINARY_FILE, CARD_FILE, RUN_FILE):
                write_bytes(out / name, (packed / name).read_bytes())
    return Bundle(out, size, known, difference)


def _known(
    run: Path, packed: Path, scorers: Sequence[str], dataset: Dataset, options: BundleOptions, progress: Progress
) -> tuple[KnownScores, PackedDifference]:
    half = RunSource(RunPaths(packed), scorers, device="cpu")
    split = next(name for name in SPLITS if name == options.split)
    known = measure_known(half, dataset, split, progress, options.side)
    whole = RunSource(RunPaths(run), scorers[:1], device="cpu", scales=options.scales)
    return known, _difference(whole, half, spread(dataset.samples(split), COMPARED))


def _difference(whole: ModelSource, half: ModelSource, samples: Sequence[Sample]) -> PackedDifference:
    """How far the scores of two sources are apart on some pictures."""
    column = whole.columns[0]
    differences, spans = [], []
    for sample in samples:
        picture = read_picture(sample.image)
        first, second = (
            finite(source.score_picture(sample.key, picture), sample.key).maps[column] for source in (whole, half)
        )
        differences.append(np.abs(first - second))
        spans.append(first)
    apart, scores = np.concatenate([d.ravel() for d in differences]), np.concatenate([s.ravel() for s in spans])
    return PackedDifference(column, len(samples), float(apart.mean()), float(apart.max()), float(np.ptp(scores)))


def _measured(folder: Path, run: Path, packed: Path) -> Results:
    """Results of this run, whole or packed.

    Raises:
        CaosError: If they are of something else.
    """
    from caos.segmentation.prediction.checkpoint import WEIGHTS_FILE

    found = scoring.read(folder)
    weights = found.content.source.get("weights")
    if weights not in {sha256(place / WEIGHTS_FILE)[:16] for place in (run, packed)}:
        raise CaosError(f"{folder} holds results of other weights ({weights}) than those of {run}; score it again")
    return found
