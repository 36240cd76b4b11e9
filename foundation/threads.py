"""Threads: whose may have the cores, and how they wait."""

from __future__ import annotations

import os
from collections.abc import Callable


def spare_the_cores() -> Callable[[], None]:
    """Let linear algebra in this process run on one thread, until what comes back is called.

    A renderer keeps every core busy. The threads of a matrix library that wait for each other beside it turn half a
    millisecond for the directions of a lidar into a third of a second.
    """
    from threadpoolctl import threadpool_limits

    give_back: Callable[[], None] = threadpool_limits(1, user_api="blas").restore_original_limits
    return give_back


def wait_passively() -> None:
    """Let the threads of OpenMP libraries that are loaded from now on sleep while they wait, here and in children.

    Threads that spin for their turn take the cores from whoever has work: a training run beside one busy process fell
    from 0.75 to 0.05 steps a second. Torch reads this when it is loaded, so call it before. What the user has set
    stays.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
