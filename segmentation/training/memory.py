"""Memory a training step keeps, counted on ghosts of its tensors before any of it is taken."""

from __future__ import annotations

import copy
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.multiprocessing.reductions import StorageWeakRef

from caos.foundation.errors import CaosError
from caos.segmentation.training.config import TrainConfig

_MEMINFO = Path("/proc/meminfo")
_GB = 1e9


def check_memory(model: nn.Module, config: TrainConfig, batch: int, device: torch.device) -> None:
    """Refuse a step that keeps more for its backward pass than there is; what it needs besides is not counted.

    Raises:
        CaosError: If it cannot fit.
    """
    free = free_bytes(device)
    if free is None or "crop" not in config.augment:
        return
    width, height = config.crop
    needed = kept_bytes(model, (batch, 3, height, width))
    if needed is not None and config.precision != "32":
        needed //= 2
    if needed is not None and needed > free:
        raise CaosError(
            f"a step keeps {needed / _GB:.1f} GB for its backward pass ({batch} windows of {width}x{height}) and "
            f"{free / _GB:.1f} GB are free; lower --batch-size (and raise --accumulate instead) or --crop"
        )


def kept_bytes(model: nn.Module, shape: tuple[int, ...]) -> int | None:
    """Bytes that a forward pass of ``model`` keeps for the backward pass, or None where it cannot run on ghosts."""
    ghost = copy.deepcopy(model).to("meta").train()
    kept: dict[StorageWeakRef, torch.UntypedStorage] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[StorageWeakRef(storage)] = storage  # type: ignore[no-untyped-call]
        return tensor

    try:
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            ghost(torch.empty(shape, device="meta"))
    except (RuntimeError, NotImplementedError, TypeError):  # an operation without ghosts, or more than pictures to take
        return None
    own = {StorageWeakRef(parameter.untyped_storage()) for parameter in ghost.parameters()}  # type: ignore[no-untyped-call]
    return sum(storage.nbytes() for reference, storage in kept.items() if reference not in own)


def free_bytes(device: torch.device) -> int | None:
    """Memory of a device that can still be taken; None where the system does not say."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type != "cpu" or not _MEMINFO.is_file():
        return None
    lines = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines())
    return int(lines["MemAvailable"].split()[0]) * 1024
