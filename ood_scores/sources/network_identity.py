"""Identity of a torch network: its weights, its structure and its plain attributes, as one hash.

The weights alone do not tell what a network does: a ReLU in place of a sigmoid, or a temperature kept as a plain
number, has none. So each part's class, printed form, plain attributes and the file of its class count as well.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn

from caos.foundation.files import sha256

DEEPEST: Final = 6
_OWN: Final = frozenset(vars(nn.Module()))
"""What every module keeps for itself: parameters, buffers and parts are hashed through the state and the structure."""
_BYTES: Final = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
"""A type that numpy has, by the bytes of an element."""


def network_digest(network: nn.Module) -> str:
    """Hash of everything a network's outputs depend on, as far as it can be seen."""
    digest = hashlib.sha256(repr(network).encode())
    for name, tensor in network.state_dict().items():
        digest.update(name.encode())
        _add(digest, tensor)
    for file in sorted({file for part in network.modules() for file in _files(type(part))}):
        digest.update(sha256(file).encode())
    for name, part in network.named_modules():
        kind = type(part)
        digest.update(f"{name}:{kind.__module__}.{kind.__qualname__}".encode())
        for line in _described({k: v for k, v in vars(part).items() if k not in _OWN}, DEEPEST):
            digest.update(line)
    return digest.hexdigest()[:16]


def _files(kind: type[Any]) -> Iterator[Path]:
    """The file that defines a class, where it is nobody's library: a library has a version, a script has not."""
    try:
        file = inspect.getsourcefile(kind)
    except (TypeError, OSError):
        return
    if file is not None and "site-packages" not in Path(file).parts and Path(file).is_file():
        yield Path(file)


def _add(digest: Any, tensor: Tensor) -> None:
    values = tensor.detach().cpu().contiguous()
    digest.update(f"{values.dtype}{tuple(values.shape)}".encode())
    if values.numel():
        digest.update(values.reshape(-1).view(dtype=_BYTES[values.element_size()]).numpy().tobytes())


def _described(value: Any, depth: int) -> Iterator[bytes]:
    """Lines that differ when the value does; below ``depth`` only the types count."""
    kind = type(value)
    yield f"{kind.__module__}.{kind.__qualname__}".encode()
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        yield repr(value).encode()
    elif isinstance(value, Tensor | np.ndarray):
        digest = hashlib.sha256()
        _add(digest, value) if isinstance(value, Tensor) else digest.update(np.ascontiguousarray(value).tobytes())
        yield digest.digest()
    elif inspect.isroutine(value) or inspect.isclass(value):
        yield from _function(value, depth)
    elif depth and not isinstance(value, nn.Module):
        yield from _inside(value, depth - 1)


def _function(value: Any, depth: int) -> Iterator[bytes]:
    """Name, instructions, constants, defaults and enclosed values of a function; the name of anything else."""
    yield f"{value.__module__}.{value.__qualname__}".encode()
    code = getattr(value, "__code__", None)
    if code is None or not depth:
        return
    yield code.co_code
    constants = [constant for constant in code.co_consts if not inspect.iscode(constant)]
    enclosed = [cell.cell_contents for cell in value.__closure__ or ()]
    yield from _described([constants, list(code.co_names), value.__defaults__, value.__kwdefaults__, enclosed], depth)


def _inside(value: Any, depth: int) -> Iterator[bytes]:
    if isinstance(value, dict):
        items: Any = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    elif isinstance(value, set | frozenset):
        items = enumerate(sorted(value, key=repr))
    else:
        items = sorted(getattr(value, "__dict__", {}).items())
    for key, item in items:
        yield repr(key).encode()
        yield from _described(item, depth)
