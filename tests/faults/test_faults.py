"""The short form of ``make faults``: a sample of the sweep, and one fault of each kind that needs no server."""

from __future__ import annotations

import signal
import time

import pytest

from caos.cli import _run as run_command
from tests.faults import little_world, sweep
from tests.faults.storm import WORKS, Row, Storm


def test_every_command_that_reads_files_is_in_the_sweep() -> None:
    assert sweep.not_covered() == set()


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Storm:
    world = tmp_path_factory.mktemp("storm") / "world"
    little_world.make_world(world, lambda words: little_world.quietly(lambda: run_command(words))[0])
    return Storm(world, time.monotonic() + 600)


@pytest.mark.parametrize("fault", ["killed", "stopped", "full disk", "nowhere", "two at once"])
def test_work_goes_on_after_a_fault_and_loses_nothing(storm: Storm, fault: str) -> None:
    scoring, row = WORKS[0], Row(fault)
    if fault == "killed":
        storm.interrupted(row, scoring, signal.SIGKILL)
    elif fault == "stopped":
        storm.interrupted(row, scoring, signal.SIGINT)
    elif fault == "full disk":
        storm.full_disk(row, scoring)
    elif fault == "nowhere":
        storm.nowhere(row, scoring)
    else:
        storm.two_at_once(row, scoring)
    assert (row.tried, row.notes) == (1, [])
