"""Whose threads may have the cores."""

from __future__ import annotations

from collections.abc import Callable


def spare_the_cores() -> Callable[[], None]:
    """Let linear algebra in this process run on one thread, until what comes back is called.

    A renderer keeps every core busy. The threads of a matrix library that wait for each other beside it turn half a
    millisecond for the directions of a lidar into a third of a second.
    """
    from threadpoolctl import threadpool_limits

    give_back: Callable[[], None] = threadpool_limits(1, user_api="blas").restore_original_limits
    return give_back
