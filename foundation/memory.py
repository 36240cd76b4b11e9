"""Memory: what is free goes back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys


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
