"""Packing of a run: its weights in 16 bits and its description without the paths of one machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import sha256
from caos.segmentation.models.encoders import read_state
from caos.segmentation.prediction.checkpoint import (
    WEIGHTS_FILE,
    RunRecord,
    check_weights,
    is_no_segmenter,
    read_run,
    save_weights,
    write_run,
)

_ON_ONE_MACHINE: Final = frozenset({"init", "autoencoder", "root", "platform"})
"""What a description says of the machine it was made on, and nobody else can use."""


def pack_run(run: Path, out: Path, scales: Sequence[float] = ()) -> int:
    """Write a finished run to ``out`` in 16 bits: ``run.json`` and ``model.safetensors``; returns bytes of weights.

    With ``scales`` its predictions are the mean over the picture at these factors of its size from then on.

    Convolutions become float16; what has one number a channel (biases, statistics of normalisation) stays as it is,
    for it weighs nothing and its range may exceed 16 bits. Loading gives 32 bits again.

    Raises:
        CaosError: If the run is not finished, is no segmenter, or has weights that were changed or exceed 16 bits.
    """
    source = read_run(run)
    if is_no_segmenter(source):
        raise CaosError(f"{run} is a run of model {source.architecture.model!r}; a segmenter is needed here")
    if source.record.status != "finished":
        raise CaosError(f"the training of {run} is not finished; run the same caos train again")
    check_weights(source)
    packed = {name: _packed(name, tensor, run) for name, tensor in read_state(source.path / WEIGHTS_FILE).items()}
    size = sum(tensor.numel() * tensor.element_size() for tensor in packed.values())
    save_weights(out / WEIGHTS_FILE, packed)
    record = _of_packed_weights(_anywhere(source.record), sha256(out / WEIGHTS_FILE))
    write_run(out, replace(source, record=record, scales=tuple(scales) or source.scales))
    return size


def _packed(name: str, tensor: Tensor, run: Path) -> Tensor:
    if tensor.ndim < 2 or not tensor.is_floating_point():
        return tensor
    half = tensor.half()
    if not torch.isfinite(half).all():
        raise CaosError(f"{run}: tensor {name!r} has values beyond 16 bits ({tensor.abs().max():g})")
    return half


def _of_packed_weights(record: RunRecord, weights_sha256: str) -> RunRecord:
    """The record with the digest of the packed weights in place of that of the weights they were rounded from."""
    packed_from = record.packed_from or record.results.weights_sha256
    results = replace(record.results, weights_sha256=weights_sha256)
    return replace(record, results=results, packed_from=packed_from)


def _anywhere(record: RunRecord) -> RunRecord:
    """The record without what holds on one machine only."""
    config = _without_places(record.config)
    if "encoder_weights" in config:
        config["encoder_weights"] = Path(str(config["encoder_weights"])).name
    return replace(
        record,
        config=config,
        dataset=_without_places(record.dataset),
        provenance=_without_places(record.provenance),
    )


def _without_places(values: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in values.items() if key not in _ON_ONE_MACHINE}
    return {key: _without_places(value) if isinstance(value, Mapping) else value for key, value in kept.items()}
