"""Memory: what is free goes back to the system, or stays."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
"""Numbers of mallopt's parameters, from malloc.h."""
_LARGE, _LARGE_ONCE = 1 << 30, 32 << 20
"""Bytes; what is asked for, and what older releases of the C library allow at most."""


def give_back_memory() -> None:
    """Return to the system what this process has freed.

    The C library keeps what each thread has freed for that thread: a server that loads towns in one thread after
    another would hold the memory of several. Elsewhere than on Linux only Python's own garbage is collected.
    """
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, others need it less
        if trim is not None:
            trim(0)


def share_arenas(most: int = 2) -> None:
    """Let all threads take memory from a few common pools, on systems with such pools; the first to call decides.

    With a pool for every thread, what one frees lies in pieces that another cannot use, and a server that makes a
    thread for each load of a town grows with the loads.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_ARENA_MAX, most)


def keep_memory() -> None:
    """Let this process keep what it frees for what it needs next, on systems where it would go back each time.

    A network makes and frees maps of many megabytes, layer by layer. Each that comes anew from the system is cleared
    page by page first: a tenth of the time of scoring a picture. All threads share one pool, if none was made before:
    those of single threads go back to the system whenever they are empty, whatever is asked for here.
    """
    share_arenas(1)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            set_to = ctypes.CDLL(None).mallopt
            set_to(_TRIM_THRESHOLD, _LARGE)
            if not set_to(_MMAP_THRESHOLD, _LARGE):
                set_to(_MMAP_THRESHOLD, _LARGE_ONCE)
