"""Exponentials and logarithms of many values, in place, by the library that is faster.

Numpy has its own for wide registers (AVX-512) on Linux, in a third of torch's time, as exact to a few units in the last
place; elsewhere, and on other devices, torch's are taken.
"""

from __future__ import annotations

import functools
import sys
from typing import Literal

import numpy as np
import torch
from torch import Tensor

Function = Literal["exp", "expm1", "exp2", "log2"]


def apply(function: Function, values: Tensor, out: Tensor | None = None) -> Tensor:
    """The function of each value, in their own place or in ``out``."""
    given = values if out is None else out
    if values.device.type != "cpu" or values.dtype != torch.float32 or not _numpy_is_faster():
        return getattr(torch, function)(values, out=given)  # type: ignore[no-any-return]
    with np.errstate(all="ignore"):  # the logarithm of nothing is minus infinity, with no words lost
        getattr(np, function)(values.numpy(), out=given.numpy())
    return given


@functools.cache
def _numpy_is_faster() -> bool:
    return sys.platform == "linux" and torch.backends.cpu.get_cpu_capability() == "AVX512"
