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


def apply(function: Function, values: Tensor) -> Tensor:
    """The values themselves, each replaced by the function of it."""
    if values.device.type != "cpu" or values.dtype != torch.float32 or not _numpy_is_faster():
        result: Tensor = getattr(values, f"{function}_")()
        return result
    array = values.numpy()
    with np.errstate(all="ignore"):  # the logarithm of nothing is minus infinity, with no words lost
        getattr(np, function)(array, out=array)
    return values


@functools.cache
def _numpy_is_faster() -> bool:
    return sys.platform == "linux" and torch.backends.cpu.get_cpu_capability() == "AVX512"
