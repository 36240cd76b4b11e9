"""Loops over pixels as machine code, for what array operations would do in many passes over all pixels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """A function of arrays and numbers that is compiled at its first call and kept on disk for the next process.

    It calls no other compiled function, and other threads run beside it. Numba is loaded at the first call.
    """
    code: Callable[..., Any] | None = None

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal code
        if code is None:
            code = _machine_code(function)
        try:
            return code(*arguments)
        except OSError:  # a full disk, say: before the loop began, what was compiled for it could not be kept
            code = _machine_code(function, is_kept=False)
            return code(*arguments)

    return cast("Function", call)


def _machine_code(function: Callable[..., Any], *, is_kept: bool = True) -> Callable[..., Any]:
    from numba import njit

    make = functools.partial(njit, nogil=True, error_model="numpy")
    try:
        return cast("Callable[..., Any]", make(cache=is_kept)(function))
    except RuntimeError:  # there is no folder that may be written for what was compiled
        return cast("Callable[..., Any]", make()(function))
