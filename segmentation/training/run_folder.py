"""The folder of a run: who may write there, what is replaced, and when a stopped run may go on.

A run goes on only if everything its weights depend on is as it was: settings, images, labels, label table, the weights
it starts from, the packages and the numerics versions. ``run.json`` holds that as ``identity``; ``inputs.json`` caches
the hashes of files, so that unchanged ones are read once.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, cast

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import Progress
from caos.foundation.storage.claims import LOCK, first_difference, locked
from caos.foundation.storage.identity import FileHashes, Fingerprint, digest_of
from caos.scenes import numerics as scenes
from caos.scenes.dataset.layout import Dataset, Sample, Split
from caos.segmentation.bundled import run_folder
from caos.segmentation.data.loading import prefetch
from caos.segmentation.data.pasting import cutouts_digest
from caos.segmentation.numerics import NUMERICS
from caos.segmentation.prediction.checkpoint import (
    LAST_FILE,
    RUN_FILE,
    WEIGHTS_FILE,
    TrainResults,
    check_weights,
    read_run,
)
from caos.segmentation.training.config import TrainConfig
from caos.segmentation.training.negatives import NegativesUsed

INPUTS_FILE: Final = "inputs.json"
PRODUCTS: Final = (WEIGHTS_FILE, LAST_FILE, INPUTS_FILE, "metrics.json", "curves.csv", "curves.png",
                   "confusion-val.png", "confusion-test.png", "predictions-val.png", "predictions-test.png",
                   "reconstructions-val.png", "reconstructions-test.png", "model.onnx", RUN_FILE)  # fmt: skip
"""Files of a run. ``run.json`` is removed last: without it the rest would be files of nobody."""
MOVABLE: Final = frozenset({"device", "workers", "checkpoint_steps"})
"""Settings that may change when a run goes on: they do not change what is learnt."""
_BY_CONTENT: Final = frozenset({"init", "autoencoder", "super_resolution", "watches", "paste"})
"""Settings that name runs and cut-outs: what is in them counts, not where they lie."""


@dataclass(frozen=True)
class Opening:
    """What is found out before a run starts.

    Attributes:
        identity: Everything its weights depend on.
        hashes: Of its files.
        goes_on: Whether a stopped run of this identity is to be continued.
        negatives: Those it learns from.
        results: Those of a finished run of this identity.
    """

    identity: Mapping[str, Any]
    hashes: FileHashes
    goes_on: bool = False
    negatives: NegativesUsed | None = None
    results: TrainResults | None = None


@contextlib.contextmanager
def held(out: Path) -> Iterator[None]:
    """Keep other processes out of a run's folder; one that is empty at the end, and was not there, is removed.

    Raises:
        CaosError: If another process trains there, or it is not a folder that may be written.
    """
    if out.exists() and not out.is_dir():
        raise CaosError(f"{out} is a file; give a folder to --out")
    was_there = out.exists()
    try:
        with locked(out, "training run"):
            yield
    finally:
        if not was_there:
            with contextlib.suppress(OSError):  # it is not empty
                out.rmdir()


def find_opening(
    dataset: Dataset,
    out: Path,
    config: TrainConfig,
    negatives: NegativesUsed | None,
    *,
    overwrite: bool,
    progress: Progress,
) -> Opening:
    """Whether a run starts anew, goes on, or is finished already; nothing is written.

    Raises:
        CaosError: If ``out`` holds other files, a run that depends on something else, or a finished run whose weights
            were changed.
    """
    check_out(out)
    hashes = FileHashes(out / INPUTS_FILE)
    identity = identity_of(dataset, config, hashes, progress)
    learnt = any((out / name).exists() for name in (LAST_FILE, WEIGHTS_FILE))
    if overwrite or not ((out / RUN_FILE).exists() and learnt):
        return Opening(identity, hashes, negatives=negatives)
    run = read_run(out)
    record = run.record
    difference = first_difference(record.identity, identity) if record.identity else "it does not say which"
    if difference:
        raise CaosError(
            f"{out} holds a run made from other inputs ({difference}); choose another --out, or replace it with "
            "--overwrite"
        )
    is_finished = record.status == "finished"
    if is_finished:
        check_weights(run)
    goes_on = (out / LAST_FILE).exists()
    known = record.negatives if goes_on else negatives
    return Opening(identity, hashes, goes_on, known, record.results if is_finished else None)


def finished(out: Path) -> TrainResults | None:
    """The results of a finished run at ``out``, if there is one."""
    if not (out / RUN_FILE).exists():
        return None
    record = read_run(out).record
    return record.results if record.status == "finished" else None


def check_out(out: Path) -> None:
    """Refuse a folder that holds something other than a run.

    Raises:
        CaosError: Naming the folder.
    """
    if (out / RUN_FILE).is_file() or not out.exists():
        return
    if any(path.is_file() and path.name != LOCK for path in out.iterdir()):
        raise CaosError(f"{out} is not empty and not a training run; choose another --out")


def identity_of(dataset: Dataset, config: TrainConfig, hashes: FileHashes, progress: Progress) -> dict[str, Any]:
    """Everything that the weights and measures of a run depend on, JSON-ready.

    Raises:
        CaosError: If a file cannot be read.
    """
    splits = {name: dataset.splits.get(cast("Split", name), ()) for name in ("train", "val", *config.evaluate)}
    settings = {k: v for k, v in config.as_dict().items() if k not in MOVABLE | _BY_CONTENT}
    with progress.task("hashing the set", sum(map(len, splits.values()))) as bar:
        digests = {}
        for name, samples in splits.items():
            digests[name] = _digest_of_split(samples, hashes, config.workers)
            bar.advance(len(samples))
    inputs = {
        "labels": dataset.labels.digest,
        "splits": digests,
        "weights": {name: _hash_of(path, hashes) for name, path in _weights_used(config).items()},
        "cutouts": None if config.paste is None else cutouts_digest(config.paste, hashes),
    }
    return Fingerprint(inputs, {"config": settings}, (NUMERICS, scenes.NUMERICS)).plan()


def _digest_of_split(samples: Sequence[Sample], hashes: FileHashes, workers: int) -> str:
    def row(sample: Sample) -> list[str]:
        return [sample.key, hashes.of(sample.image), hashes.of(sample.annotation)]

    return digest_of(list(prefetch(row, samples, workers, 4 * workers)))


def _weights_used(config: TrainConfig) -> dict[str, Path | None]:
    file = Path(config.encoder_weights)
    return {
        "init": None if config.init is None else run_folder(config.init) / WEIGHTS_FILE,
        "autoencoder": None if config.autoencoder is None else config.autoencoder / WEIGHTS_FILE,
        "super_resolution": None if config.super_resolution is None else config.super_resolution / WEIGHTS_FILE,
        "watches": None if config.watches is None else config.watches / WEIGHTS_FILE,
        "encoder": file if file.is_file() else None,
    }


def _hash_of(path: Path | None, hashes: FileHashes) -> str | None:
    # A run that is not there is named later, when it is read, with what to do about it.
    return None if path is None or not path.is_file() else hashes.of(path)


def clear(out: Path) -> None:
    """Remove what training leaves in a folder, other members of its ensemble included, and nothing else."""
    for name in PRODUCTS:
        (out / name).unlink(missing_ok=True)
    shutil.rmtree(out / "tensorboard", ignore_errors=True)
    for member in out.glob("seed*"):
        if re.fullmatch(r"seed\d+", member.name) and (member / RUN_FILE).is_file():
            clear(member)
            with contextlib.suppress(OSError):  # it holds something else, too
                member.rmdir()


def as_results(results: TrainResults) -> dict[str, Any]:
    """Results as ``run.json`` holds them, without measures that were not taken."""
    return {name: value for name, value in asdict(results).items() if value is not None}
