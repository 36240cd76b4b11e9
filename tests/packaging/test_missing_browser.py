"""A machine without Chromium: the browser tests are skipped, and pytest's summary says why."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

REASON = "no Chromium on PATH; install it with: apt-get install chromium"


def run_browser_tests(folder_on_path: Path) -> subprocess.CompletedProcess[str]:
    """Run the browser tests as ``make test`` does, in two processes, with one folder on PATH."""
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider", "tests/browser"]
    environment = os.environ | {"PATH": str(folder_on_path)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=240)


def assert_all_skipped(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    last = done.stdout.strip().splitlines()[-1]
    skipped = re.fullmatch(r"=+ (\d+) skipped in .*=+", last)
    assert skipped, last
    counts = re.findall(rf"^SKIPPED \[(\d+)\] tests/browser/\S+ {re.escape(REASON)}$", done.stdout, re.MULTILINE)
    assert sum(map(int, counts)) == int(skipped[1]) > 20


def test_browser_tests_are_skipped_with_a_reason_where_path_has_no_browser(tmp_path: Path) -> None:
    assert_all_skipped(run_browser_tests(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script as a program")
def test_a_browser_that_does_not_start_counts_as_none(tmp_path: Path) -> None:
    stub = tmp_path / "chromium-browser"
    stub.write_text("#!/bin/sh\necho 'requires the chromium snap to be installed'\nexit 1\n", encoding="utf-8")
    stub.chmod(0o755)
    assert_all_skipped(run_browser_tests(tmp_path))
