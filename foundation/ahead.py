"""Working ahead: what comes next is begun in other threads, while this one ends what came before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def begun_ahead(
    items: Iterable[Item], begin: Callable[[Item], Result], threads: int, make_ready: Callable[[], None] | None = None
) -> Generator[Result]:
    """What ``begin`` gives for each item, in their order; as many are begun ahead as there are threads.

    An error comes when the item is asked for that it happened with. If the caller stops early, what is being begun is
    waited for and the rest is not begun.

    Args:
        items: In order.
        begin: Called in one of the threads.
        threads: How many.
        make_ready: Called in each thread first.
    """
    left = iter(items)
    with ThreadPoolExecutor(threads, thread_name_prefix="ahead", initializer=make_ready) as pool:
        begun: deque[Future[Result]] = deque(pool.submit(begin, item) for item in islice(left, threads))
        try:
            while begun:
                result = begun.popleft().result()
                begun.extend(pool.submit(begin, item) for item in islice(left, 1))
                yield result
        finally:
            for future in begun:
                future.cancel()
