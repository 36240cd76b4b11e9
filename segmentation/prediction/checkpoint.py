"""A run on disk: plain weights, and beside them everything needed to use them again.

    run.json            architecture, label table, normalisation, configuration, results, provenance, digests
    model.safetensors   the best weights
    inputs.json         hashes of the pictures and labels it learnt from
    last.ckpt           where training stands, to go on with
    metrics.json        how good the best weights are; curves.csv: how they became so

Nothing here is a pickle: loading never runs code from a file.

``run.json`` holds a digest of each setting that defines the network (``settings_digests``) and, once the run has
finished, the SHA-256 of the weights (``results.weights_sha256``). Both are checked on loading: weights or settings that
were changed or belong to another run are refused, and so is a run whose training has not finished.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import torch
from torch import Tensor, nn

from caos.foundation.errors import CaosError, first_line
from caos.foundation.settings import Limits, parse_json, read_json, read_record
from caos.foundation.storage.files import sha256, whole_file, write_json
from caos.foundation.storage.identity import digest_of
from caos.scenes.labels import LabelsUsed, LabelTable, table_by_name
from caos.segmentation.bundled import run_folder
from caos.segmentation.models.encoders import Normalisation, read_state
from caos.segmentation.models.networks import Architecture
from caos.segmentation.training.config import PAINTERS, WHOLE_IMAGES
from caos.segmentation.training.negatives import NegativesUsed

RUN_SCHEMA: Final = 1
RUN_FILE: Final = "run.json"
WEIGHTS_FILE: Final = "model.safetensors"
LAST_FILE: Final = "last.ckpt"
SETTINGS: Final = ("architecture", "labels", "normalisation", "size", "sides", "longest_side", "scales")
"""Keys of ``run.json`` that decide what the weights compute."""


@dataclass(frozen=True)
class SegmenterMeasures:
    """How good a segmenter is on a split, as :mod:`caos.segmentation.training.evaluate` measures it."""

    miou_present: float
    miou_all: float
    pixel_accuracy: float
    calibration_rms: float | None
    aurra: float | None
    class_iou: dict[str, float | None]
    pixels: int
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class AutoencoderMeasures:
    """How far an autoencoder's reconstructions are from the pictures of a split."""

    difference: float


@dataclass(frozen=True)
class ObserverMeasures:
    """How well an observer tells a segmenter's errors from what it has right; None where it makes none, or only."""

    error_auroc: float | None = None


@dataclass(frozen=True)
class WholeImageMeasures:
    """How well a classifier of whole pictures answers; None where no picture could be judged.

    Attributes:
        f1: Of a multi-label one, mean over classes.
        accuracy: Of a multi-class one.
    """

    f1: float | None = None
    accuracy: float | None = None


@dataclass(frozen=True)
class TrainResults:
    """What came of a training; the watched measure stands under its own name."""

    best_epoch: int = 0
    epochs: int = 0
    watched: str = ""
    miou_present: float | None = None
    difference: float | None = None
    error_auroc: float | None = None
    f1: float | None = None
    accuracy: float | None = None
    training_seconds: float = 0.0
    weights_sha256: str = ""
    splits: dict[str, SegmenterMeasures | AutoencoderMeasures | ObserverMeasures | WholeImageMeasures] = field(
        default_factory=dict
    )


@dataclass(frozen=True)
class RunRecord:
    """How a run came to be and what came of it: what ``run.json`` holds besides the use of its weights."""

    status: Literal["training", "finished"] = "training"
    config: dict[str, Any] = field(default_factory=dict)
    dataset: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    identity: dict[str, Any] = field(default_factory=dict)
    """Everything the weights depend on; see :mod:`caos.segmentation.training.run_folder`."""
    negatives: NegativesUsed | None = None
    results: TrainResults = field(default_factory=TrainResults)
    packed_from: str = ""
    """SHA-256 of the weights that these were rounded from, for a packed run."""


@dataclass(frozen=True)
class Run:
    """What ``run.json`` says."""

    path: Path
    architecture: Architecture
    labels: LabelTable
    normalisation: Normalisation
    size: tuple[int, int] | None
    record: RunRecord = field(default_factory=RunRecord)
    sides: tuple[int, ...] = ()
    longest_side: int = 1000
    scales: tuple[float, ...] = ()
    """Factors of a picture's size that predictions are the mean over where no others are asked for."""
    settings_digests: dict[str, str] = field(default_factory=dict)
    """Digest of each of ``SETTINGS``, as ``run.json`` stores them; empty for a run of an earlier version."""

    @property
    def settings_digest(self) -> str:
        """One digest of all settings that decide what the weights compute."""
        return digest_of(self.settings_digests)


@dataclass(frozen=True)
class RunFile(RunRecord):
    """``run.json`` as it stands on disk."""

    schema: int = 0
    architecture: Architecture = field(kw_only=True)
    labels: LabelsUsed = field(kw_only=True)
    normalisation: Normalisation = field(kw_only=True)
    size: Annotated[tuple[int, int], Limits(16, 8192)] | None = None
    sides: Annotated[tuple[int, ...], Limits(16, 8192)] = ()
    longest_side: Annotated[int, Limits(16, 8192)] = 1000
    scales: Annotated[tuple[float, ...], Limits(0.05, 8)] = ()
    settings_digests: dict[str, str] = field(default_factory=dict)


def read_run(path: Path) -> Run:
    """The description of a run; ``bundled`` is the one that comes with the package.

    Raises:
        CaosError: If there is none, it is of another version, its label table has changed since, or a setting that
            decides what the weights compute is not the one that was written.
    """
    path = run_folder(path)
    if not (path / RUN_FILE).is_file():
        raise CaosError(f"{path} is not a training run (no {RUN_FILE}); make one: caos train DATASET --out {path}")
    stored = read_json(path / RUN_FILE)
    if not isinstance(stored, dict) or stored.get("schema") != RUN_SCHEMA:
        raise CaosError(f"{path / RUN_FILE} is not a run description of schema {RUN_SCHEMA}")
    read = read_record(RunFile, stored, path / RUN_FILE)
    table = table_by_name(read.labels.name)
    if read.labels.digest != table.digest:
        raise CaosError(
            f"{path} was trained with another version of label table {table.name!r} (digest {read.labels.digest}, now "
            f"{table.digest}); train it again"
        )
    for key, digest in read.settings_digests.items():
        if key in SETTINGS and digest_of(stored.get(key)) != digest:
            raise CaosError(
                f"{path / RUN_FILE}: {key!r} was changed after the run was written (digest {digest}, now "
                f"{digest_of(stored.get(key))}): the weights do not belong to it; restore the file, or train again"
            )
    record = RunRecord(**{each.name: getattr(read, each.name) for each in fields(RunRecord)})
    return Run(
        path,
        read.architecture,
        table,
        read.normalisation,
        read.size,
        record,
        sides=read.sides,
        longest_side=read.longest_side,
        scales=read.scales,
        settings_digests=read.settings_digests,
    )


def write_run(path: Path, run: Run) -> None:
    """Write ``run.json``, with a digest of each setting that decides what the weights compute."""
    file = RunFile(
        **{each.name: getattr(run.record, each.name) for each in fields(RunRecord)},
        schema=RUN_SCHEMA,
        architecture=run.architecture,
        labels=run.labels.used,
        normalisation=run.normalisation,
        size=run.size,
        sides=run.sides,
        longest_side=run.longest_side,
        scales=run.scales,
    )
    stored = asdict(file)
    stored["settings_digests"] = {key: digest_of(stored[key]) for key in SETTINGS}
    write_json(path / RUN_FILE, stored)


def check_labels(run: Run, table: LabelTable) -> None:
    """Refuse to use a run on a set whose ids mean something else.

    Raises:
        CaosError: Naming both tables.
    """
    if run.labels.digest != table.digest:
        raise CaosError(
            f"{run.path} was trained with label table {run.labels.name!r} ({run.labels.num_classes} classes), the "
            f"dataset uses {table.name!r} ({table.num_classes} classes); use a run and a set with the same table"
        )


def save_weights(path: Path, state: Mapping[str, Tensor]) -> None:
    """Write named tensors as safetensors."""
    _save_tensors(path, {key: tensor.detach().cpu().contiguous() for key, tensor in state.items()})


def _save_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str] | None = None) -> None:
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    with whole_file(path) as temporary:
        try:
            save_file(dict(tensors), temporary, metadata=metadata)
        except SafetensorError as error:
            reason = first_line(error)
            raise CaosError(f"cannot write {path}: {reason}") from error


def check_weights(run: Run) -> None:
    """Refuse weights that are not the ones that ``run.json`` describes.

    Raises:
        CaosError: If they are missing or were changed, or the run has not finished.
    """
    path, recorded = run.path / WEIGHTS_FILE, run.record.results.weights_sha256
    if not path.is_file():
        raise CaosError(
            f"{run.path} has no {WEIGHTS_FILE}: its training has not finished an epoch; run the same caos train again"
        )
    if run.record.status != "finished":
        raise CaosError(
            f"{run.path} is not finished (status {run.record.status!r} in {RUN_FILE}): its weights are not final; run "
            "the same caos train again"
        )
    if (found := sha256(path)) != recorded:
        raise CaosError(
            f"{path}: weights do not match {RUN_FILE}: their SHA-256 is {found[:16]}, recorded is "
            f"{recorded[:16] or 'none'}; restore the file, or train or export the run again"
        )


def load_weights(model: nn.Module, run: Run) -> None:
    """Fill ``model`` with the weights of a finished run.

    Raises:
        CaosError: If they are missing, damaged, changed or of another architecture, or the run has not finished.
    """
    check_weights(run)
    fill_with_weights(model, run)


def fill_with_weights(model: nn.Module, run: Run) -> None:
    """Fill ``model`` with the best weights of a run so far, finished or not.

    Raises:
        CaosError: If they are missing, damaged or of another architecture.
    """
    path = run.path / WEIGHTS_FILE
    stored, wanted = read_state(path), model.state_dict()
    wrong = [key for key in {**wanted, **stored} if key not in stored or key not in wanted]
    wrong += [key for key in wanted if key in stored and stored[key].shape != wanted[key].shape]
    if wrong:
        raise CaosError(
            f"{path} does not fit the architecture in {RUN_FILE} ({run.architecture.model}, "
            f"{run.architecture.encoder}): {len(wrong)} tensors differ, first {wrong[0]!r}"
        )
    model.load_state_dict(stored)


def copy_weights(model: nn.Module, source: Path) -> int:
    """Start ``model`` from a finished run: every tensor of the same name and shape; returns how many.

    Raises:
        CaosError: If nothing fits, the run has not finished, or its weights were changed.
    """
    run = read_run(source)
    check_weights(run)
    stored, wanted = read_state(run.path / WEIGHTS_FILE), model.state_dict()
    fitting = {k: t for k, t in stored.items() if k in wanted and wanted[k].shape == t.shape}
    if len(fitting) < len(wanted) // 2:
        raise CaosError(
            f"{source} ({run.architecture.model}, {run.architecture.encoder}) does not fit this model: only "
            f"{len(fitting)} of {len(wanted)} tensors do"
        )
    model.load_state_dict(fitting, strict=False)
    return len(fitting)


def save_last(path: Path, state: Mapping[str, Any]) -> None:
    """Write the state of training, whole or not at all: safetensors whose header holds the rest as JSON."""
    tensors: dict[str, Tensor] = {}
    plain = json.dumps(_plain(dict(state), tensors))
    _save_tensors(path / LAST_FILE, tensors, {"state": plain})


def load_last(path: Path) -> dict[str, Any]:
    """The state of training.

    Raises:
        CaosError: If there is none or it is damaged.
    """
    from safetensors import SafetensorError, safe_open

    if not (path / LAST_FILE).is_file():
        raise CaosError(f"{path} cannot continue: it has no {LAST_FILE}")
    try:
        with safe_open(path / LAST_FILE, framework="pt") as stored:
            tensors = {key: stored.get_tensor(key) for key in stored.keys()}  # noqa: SIM118 - not a dict
            state = _restored(parse_json((stored.metadata() or {})["state"], path / LAST_FILE), tensors)
    except (SafetensorError, OSError, KeyError, ValueError, TypeError, RecursionError) as error:
        reason = first_line(error)
        raise CaosError(f"{path / LAST_FILE} cannot be read ({reason}); train again with --overwrite") from error
    if not isinstance(state, dict) or "standing" not in state:
        raise CaosError(f"{path / LAST_FILE} is not a training state")
    return state


def _plain(value: Any, tensors: dict[str, Tensor]) -> Any:
    """``value`` as JSON can hold it; its tensors move to ``tensors``."""
    if isinstance(value, Tensor):
        name = str(len(tensors))
        # safetensors forgets the order of memory; an update in another order may round differently.
        last = value.ndim == 4 and not value.is_contiguous()
        tensors[name] = value.detach().cpu().contiguous().clone()
        return {"tensor": name, "channels_last": last}
    if isinstance(value, Mapping):
        return {"pairs": [[key, _plain(inner, tensors)] for key, inner in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_plain(inner, tensors) for inner in value]
    return value


def _restored(value: Any, tensors: Mapping[str, Tensor]) -> Any:
    """The inverse of :func:`_plain`; tuples come back as lists."""
    if isinstance(value, list):
        return [_restored(inner, tensors) for inner in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        found = tensors[value["tensor"]]
        return found.contiguous(memory_format=torch.channels_last) if value["channels_last"] else found
    return {key: _restored(inner, tensors) for key, inner in value["pairs"]}


def is_no_segmenter(run: Run) -> bool:
    """Whether a run is from picture to picture, or of whole pictures: not a segmenter."""
    return run.architecture.model in (*PAINTERS, *WHOLE_IMAGES)
