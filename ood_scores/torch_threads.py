"""Threads of torch: as many as pay.

To wake another thread costs about as much as a hundred thousand values take to be added up. So one thread does what a
scorer does to a picture of usual size in less processor time, and hardly later.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final

VALUES_A_THREAD: Final = 1 << 22
_had: ContextVar[int | None] = ContextVar("threads that torch had outside", default=None)


@contextlib.contextmanager
def threads_for(values: int) -> Iterator[None]:
    """Let torch use a thread for every so many values that an operation reads, at least one, at most those it has."""
    import torch

    before = torch.get_num_threads()
    had = _had.get() or before
    token = _had.set(had)
    torch.set_num_threads(min(had, max(1, values // VALUES_A_THREAD)))
    try:
        yield
    finally:
        torch.set_num_threads(before)
        _had.reset(token)
