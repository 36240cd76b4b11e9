"""Memory that goes back to the system."""

from __future__ import annotations

import platform
import subprocess
import sys
import threading

import psutil
import pytest

from caos.foundation.memory import give_back_memory, share_arenas

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


def test_threads_share_arenas_where_there_are_some() -> None:
    share_arenas()
    done: list[int] = []
    threads = [threading.Thread(target=lambda: done.append(len(bytes(10**6)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [10**6] * 4


FAULTS = """
import resource, sys
import numpy as np
from caos.foundation.memory import keep_memory
if sys.argv[1] == "keep":
    keep_memory()
def fill():
    return [np.ones(1 << 20) for _ in range(4)]
fill()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(8):
    fill()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told to keep it")
def test_kept_memory_is_used_again_without_asking_the_system() -> None:
    faults = [
        int(subprocess.run([sys.executable, "-c", FAULTS, word], check=True, capture_output=True, text=True).stdout)
        for word in ("keep", "give back")
    ]
    assert faults[0] < faults[1] / 10
