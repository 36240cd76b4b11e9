"""Thread counts of simulators and of BLAS, and how idle threads of OpenMP wait."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from caos.foundation.errors import CaosError

MOST_THREADS: Final = 4096


THREADS: Final = "CAOS_THREADS"
"""Environment variable with the number of threads that a simulator may use; children inherit it."""
_OF_LIBRARIES: Final = ("OIDN_NUM_THREADS",)
"""Environment variables with the same meaning for libraries that simulators load."""


def share_the_cores(workers: int) -> None:
    """Limit the threads of simulators that this process starts to its share of the cores, as one of ``workers``.

    Without a limit N workers on N cores run N times N threads. Environment variables that the user has set stay.
    """
    share = os.environ.setdefault(THREADS, str(max(1, _cores() // workers)))
    for name in _OF_LIBRARIES:
        os.environ.setdefault(name, share)


def threads() -> int:
    """Return the number of threads that a simulator in this process may use.

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
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spare_the_cores() -> Callable[[], None]:
    """Limit BLAS in this process to one thread; the returned function restores the previous limit.

    A renderer keeps every core busy, and BLAS threads that wait for each other beside it turn half a millisecond for
    the directions of a lidar into a third of a second.
    """
    from threadpoolctl import threadpool_limits

    give_back: Callable[[], None] = threadpool_limits(1, user_api="blas").restore_original_limits
    return give_back


def wait_passively() -> None:
    """Let idle threads of OpenMP and OpenBLAS sleep in place of spinning, in this process and its children.

    Spinning threads take the cores from other processes: a training run beside one busy process fell from 0.75 to 0.05
    steps a second. The libraries read these environment variables when they are loaded, so call this before torch is
    imported. Variables that the user has set stay.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # two to this power in cycles, 26 else: tens of milliseconds
