"""Whose threads may have the cores."""

from __future__ import annotations


def spare_the_cores() -> None:
    """Let linear algebra in this process run on one thread, for good.

    A renderer keeps every core busy. The threads of a matrix library that wait for each other beside it turn half a
    millisecond for the directions of a lidar into a third of a second.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, user_api="blas")
