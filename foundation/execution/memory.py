"""Memory: freed pages are returned to the operating system."""

from __future__ import annotations

import ctypes
import gc
import sys


def give_back_memory() -> None:
    """Collect garbage and return the allocator's free pages to the system, where it can be told to (glibc).

    glibc keeps one heap per thread, and a server that loads towns in one thread after another grows without this: after
    140 loads it held 236 MB in place of 173.
    """
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # missing in other C libraries, which keep less
        if trim is not None:
            trim(0)
