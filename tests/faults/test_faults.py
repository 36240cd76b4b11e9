"""The short form of ``make faults``: a sample of the sweep, and one fault of each kind that needs no server."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caos.cli import _run as run_command
from caos.simulator.embedded.launch import serve
from tests.faults import commands, little_world, server_storm
from tests.faults.storm import RUN_WORKS, WORKS, Row, Storm
from tests.ood_scores import little
from tests.simulator.server.street import STREET


def test_every_command_that_reads_files_is_in_the_sweep() -> None:
    assert commands.not_covered() == set()


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Storm:
    world = tmp_path_factory.mktemp("storm") / "world"
    little_world.make_world(world, lambda words: little_world.quietly(lambda: run_command(words))[0])
    little.write_run(world / "run")
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


def test_killed_scoring_of_a_run_goes_on_as_if_nothing_had_been(storm: Storm) -> None:
    row = Row("killed")
    storm.interrupted(row, RUN_WORKS[0], signal.SIGKILL)
    assert (row.tried, row.notes) == (1, [])


@pytest.mark.slow
def test_no_reader_lets_a_damaged_file_through_to_the_user_as_a_traceback(tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    command = [sys.executable, "-m", "tests.faults.fuzz", "--seconds", "60", "--seed", "1"]
    command += ["--keep", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    found = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert (found, done.returncode) == ([], 0), done.stdout + done.stderr[-3000:]
    assert "Done" in done.stderr


@pytest.mark.slow
def test_fuzzed_messages_and_idle_connections_stop_nobody(tmp_path: Path) -> None:
    (tmp_path / "street.xodr").write_text(STREET)
    with serve(quality="draft", opendrive=tmp_path / "street.xodr") as server:
        went_on, _ = server_storm.crowd(server, 500)
        found = server_storm.fuzz(server, 4_000, lambda: True)
        assert (went_on, server.is_running) == (True, True)
    assert (found.sent, found.answered, found.well, found.found) == (4_000, 4_000, 4_000, frozenset())
