"""A run on disk: plain weights, and beside them everything needed to use them again.

    run.json            architecture, label table, normalisation, configuration, results, provenance
    model.safetensors   the best weights
    last.ckpt           where training stands, for ``--resume`` only
    metrics.json        how good the best weights are; curves.csv: how they became so

Nothing here is a pickle: loading never runs code from a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from foundation.errors import CaosError
from foundation.files import read_json, whole_file, write_json
from scenes.labels import LabelTable, table_by_name
from segmentation.config import AUTOENCODER
from segmentation.encoders import Normalisation, read_state
from segmentation.models import Architecture

RUN_SCHEMA: Final = 1
RUN_FILE: Final = "run.json"
WEIGHTS_FILE: Final = "model.safetensors"
LAST_FILE: Final = "last.ckpt"


@dataclass(frozen=True)
class Run:
    """What ``run.json`` says."""

    path: Path
    architecture: Architecture
    labels: LabelTable
    normalisation: Normalisation
    size: tuple[int, int] | None
    record: Mapping[str, Any]


def read_run(path: Path) -> Run:
    """The description of a run.

    Raises:
        CaosError: If there is none, it is of another version, or its label table has changed since.
    """
    if not (path / RUN_FILE).is_file():
        raise CaosError(f"{path} is not a training run (no {RUN_FILE}); make one: caos train DATASET --out {path}")
    record = read_json(path / RUN_FILE)
    if not isinstance(record, dict) or record.get("schema") != RUN_SCHEMA:
        raise CaosError(f"{path / RUN_FILE} is not a run description of schema {RUN_SCHEMA}")
    try:
        labels = record["labels"]
        table = table_by_name(labels["name"])
        normalisation = Normalisation(*(tuple(record["normalisation"][k]) for k in ("mean", "std")))
        architecture = Architecture.from_dict(record["architecture"])
        size = record["size"]
        digest = str(labels["digest"])
    except (KeyError, TypeError) as error:
        raise CaosError(f"{path / RUN_FILE} lacks or garbles {error}; the run must be trained again") from error
    if digest != table.digest:
        raise CaosError(
            f"{path} was trained with another version of label table {table.name!r} (digest {digest}, now "
            f"{table.digest}); train it again"
        )
    return Run(path, architecture, table, normalisation, None if size is None else (size[0], size[1]), record)


def write_run(path: Path, run: Run) -> None:
    """Write ``run.json``."""
    record = {
        **run.record,
        "schema": RUN_SCHEMA,
        "architecture": run.architecture.as_dict(),
        "labels": {"name": run.labels.name, "version": run.labels.version, "digest": run.labels.digest},
        "normalisation": {"mean": list(run.normalisation.mean), "std": list(run.normalisation.std)},
        "size": None if run.size is None else list(run.size),
    }
    write_json(path / RUN_FILE, record)


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
    from safetensors.torch import save_file

    with whole_file(path) as temporary:
        save_file({key: tensor.detach().cpu().contiguous() for key, tensor in state.items()}, temporary)


def load_weights(model: nn.Module, run: Run) -> None:
    """Fill ``model`` with a run's best weights.

    Raises:
        CaosError: If they are missing, damaged or of another architecture.
    """
    path = run.path / WEIGHTS_FILE
    if not path.is_file():
        raise CaosError(f"{run.path} has no {WEIGHTS_FILE}: its training has not finished an epoch; resume it first")
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
        CaosError: If nothing fits.
    """
    run = read_run(source)
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
    from safetensors.torch import save_file

    tensors: dict[str, Tensor] = {}
    plain = json.dumps(_plain(dict(state), tensors))
    with whole_file(path / LAST_FILE) as temporary:
        save_file(tensors, temporary, metadata={"state": plain})


def load_last(path: Path) -> dict[str, Any]:
    """The state of training.

    Raises:
        CaosError: If there is none or it is damaged.
    """
    from safetensors import SafetensorError, safe_open

    if not (path / LAST_FILE).is_file():
        raise CaosError(f"{path} cannot be resumed: it has no {LAST_FILE}")
    try:
        with safe_open(path / LAST_FILE, framework="pt") as stored:
            tensors = {key: stored.get_tensor(key) for key in stored.keys()}  # noqa: SIM118 - not a dict
            state = _restored(json.loads((stored.metadata() or {})["state"]), tensors)
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0][:120]
        raise CaosError(f"{path / LAST_FILE} cannot be read ({reason}); train again with --overwrite") from error
    if not isinstance(state, dict) or "step" not in state:
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


def is_autoencoder(run: Run) -> bool:
    """Whether a run is an autoencoder, not a segmenter."""
    return run.architecture.model == AUTOENCODER
