"""Memory that goes back to the system."""

from __future__ import annotations

import platform
import threading

import psutil
import pytest

from caos.foundation.execution.memory import give_back_memory

CHUNKS, CHUNK_BYTES = 60_000, 2_000


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps so much")
def test_what_a_thread_has_freed_goes_back() -> None:
    kept: list[bytearray] = []

    def work() -> None:
        wasted = [bytearray(CHUNK_BYTES) for _ in range(CHUNKS)]
        kept.append(wasted[-1])  # the end of the heap stays in use: nothing goes back by itself

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    before = psutil.Process().memory_info().rss
    give_back_memory()
    assert before - psutil.Process().memory_info().rss > CHUNKS * CHUNK_BYTES / 2
