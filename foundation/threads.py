"""Threads: whose may have the cores, and how they wait."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Final

from caos.foundation.errors import CaosError

MOST_THREADS: Final = 4096


THREADS: Final = "CAOS_THREADS"
"""Threads that a simulator may use, in the environment of a process and its children."""
_OF_LIBRARIES: Final = ("OIDN_NUM_THREADS",)
"""What says the same to libraries that simulators load."""


def share_the_cores(workers: int) -> None:
    """Let what this process starts use its share of the cores, one of so many workers; what the user has set stays.

    Without it every worker's simulator keeps as many threads as there are cores, and they fight: N workers on N cores
    have N times N threads.
    """
    share = os.environ.setdefault(THREADS, str(max(1, _cores() // workers)))
    for name in _OF_LIBRARIES:
        os.environ.setdefault(name, share)


def threads() -> int:
    """Threads that a simulator in this process may use.

    Raises:
        CaosError: If the environment says something else than a number of threads.
    """
    said = os.environ.get(THREADS)
    if said is None:
        return _cores()
    if not (said.isascii() and said.isdigit() and 1 <= int(said) <= MOST_THREADS):
        raise CaosError(f"{THREADS} is {said!r} in the environment; it must be a number from 1 to {MOST_THREADS}")
    return int(said)


def _cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spare_the_cores() -> Callable[[], None]:
    """Let linear algebra in this process run on one thread, until what comes back is called.

    A renderer keeps every core busy. The threads of a matrix library that wait for each other beside it turn half a
    millisecond for the directions of a lidar into a third of a second.
    """
    from threadpoolctl import threadpool_limits

    give_back: Callable[[], None] = threadpool_limits(1, user_api="blas").restore_original_limits
    return give_back


@contextlib.contextmanager
def one_thread_of_opencv() -> Iterator[None]:
    """Let OpenCV in this process use one thread inside.

    What it does to one map takes a tenth of a millisecond; another thread that waits for its part takes as long.
    """
    import cv2

    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def wait_passively() -> None:
    """Let the threads of OpenMP and of OpenBLAS, if loaded from now on, sleep while they wait, here and in children.

    Threads that spin for their turn take the cores from whoever has work: a training run beside one busy process fell
    from 0.75 to 0.05 steps a second. Torch reads this when it is loaded, so call it before. What the user has set
    stays.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # two to this power in cycles, 26 else: tens of milliseconds
