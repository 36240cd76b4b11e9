"""Devices: which one is meant by a name, and the processes that train on them (Lightning Fabric)."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import torch

from caos.foundation.errors import CaosError
from caos.segmentation.training.config import TrainConfig

_FABRIC_PRECISION: Final[dict[str, Any]] = {"32": "32-true", "bf16": "bf16-mixed", "16": "16-mixed"}
_KINDS: Final = ("cpu", "cuda", "mps")


def choose_device(name: str) -> torch.device:
    """The device of that name; ``auto`` takes the first GPU, or the CPU where there is none.

    Raises:
        CaosError: If the device does not exist here.
    """
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
    except (RuntimeError, ValueError) as error:
        raise _unknown(name) from error
    if device.type not in _KINDS:
        raise _unknown(name)
    present = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if (device.index or 0) >= present[device.type]:
        raise CaosError(f"device {name!r} is not available on this machine; use --device cpu")
    return device


def _unknown(name: str) -> CaosError:
    return CaosError(f"device {name!r} is not one of auto, cpu, cuda, cuda:1, mps")


def make_fabric(config: TrainConfig) -> Any:
    """Lightning's Fabric for the wanted device, precision and number of processes.

    Raises:
        CaosError: If the device does not exist or cannot do this.
    """
    from lightning.fabric import Fabric

    device = choose_device(config.device)
    if config.precision == "16" and device.type == "cpu":
        raise CaosError("precision 16 needs a GPU; use --precision bf16 or 32 on a CPU")
    if device.type == "cuda" and config.devices > torch.cuda.device_count():
        raise CaosError(f"devices is {config.devices} but this machine has {torch.cuda.device_count()} GPUs")
    many = config.devices * config.nodes > 1
    own_parts_only = config.model in {"pspnet", "autoencoder"} and config.encoder_depth == 5 and config.freeze == "none"
    with _quiet():
        return Fabric(
            accelerator=device.type,
            devices=[device.index] if device.type == "cuda" and device.index is not None else config.devices,
            num_nodes=config.nodes,
            strategy=("ddp" if own_parts_only else "ddp_find_unused_parameters_true") if many else "auto",
            precision=_FABRIC_PRECISION[config.precision],
        )


@contextmanager
def _quiet() -> Iterator[None]:
    logging.getLogger("lightning.fabric").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
