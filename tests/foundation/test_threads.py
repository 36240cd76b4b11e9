from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from caos.foundation.errors import CaosError
from caos.foundation.execution.executor import run_processes
from caos.foundation.execution.threads import THREADS, threads


def threads_told(_: int) -> Callable[[int], tuple[str | None, str | None]]:
    """What a worker and the simulators it starts find in their environment."""
    return lambda _: (os.environ.get(THREADS), os.environ.get("OIDN_NUM_THREADS"))


def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (THREADS, "OIDN_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    cores = len(os.sched_getaffinity(0))
    share = str(max(1, cores // 2))
    assert list(run_processes([1, 2, 3, 4], threads_told, workers=2)) == [(share, share)] * 4
    assert THREADS not in os.environ
    assert threads() == cores


def test_what_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, "3")
    monkeypatch.delenv("OIDN_NUM_THREADS", raising=False)
    assert list(run_processes([1], threads_told, workers=2)) == [("3", "3")]
    assert threads() == 3


@pytest.mark.parametrize("said", ["0", "-1", "many", "²", "", str(10**6)])
def test_no_number_of_threads(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv(THREADS, said)
    with pytest.raises(CaosError, match="CAOS_THREADS is"):
        threads()
