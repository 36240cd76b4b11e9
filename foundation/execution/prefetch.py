"""Prefetching: the next results are computed in another thread while the caller works on the current one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def begun_ahead(items: Iterable[Item], begin: Callable[[Item], Result], threads: int = 1) -> Generator[Result]:
    """Yield ``begin(item)`` for each item, in order; each thread is at most one item ahead of the caller.

    An exception of ``begin`` is raised where the result of its item is due. When the caller stops early, running calls
    are waited for and the rest is not started.

    Args:
        items: Iterated in the caller's thread.
        begin: Called in other threads.
        threads: Number of threads, and of results that are computed ahead.
    """
    with ThreadPoolExecutor(threads, thread_name_prefix="ahead") as pool:
        pending: deque[Future[Result]] = deque()
        try:
            for item in items:
                pending.append(pool.submit(begin, item))
                if len(pending) > threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
