"""Processor time of what runs here: of the whole process, or of one thread where others work beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from time import process_time, thread_time

_clock: ContextVar[Callable[[], float]] = ContextVar("clock", default=process_time)


def processor_time() -> float:
    """Seconds that this process has used so far, or this thread inside :func:`of_this_thread`."""
    return _clock.get()()


def count_this_thread() -> None:
    """Count what this thread uses, from now on to its end."""
    _clock.set(thread_time)


@contextlib.contextmanager
def of_this_thread() -> Iterator[None]:
    """Count what this thread uses, and nothing of what others use meanwhile."""
    token = _clock.set(thread_time)
    try:
        yield
    finally:
        _clock.reset(token)
