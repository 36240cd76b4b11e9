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

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        return _machine_code(function)(*arguments)

    return cast("Function", call)


@functools.cache
def _machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    from numba import njit

    make = functools.partial(njit, nogil=True, error_model="numpy")
    try:
        made = make(cache=True)(function)
    except RuntimeError:  # there is no folder that may be written for what was compiled
        made = make()(function)
    return cast("Callable[..., Any]", made)
