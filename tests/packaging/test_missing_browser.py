"""A machine without Chromium: the browser tests are skipped, and pytest's summary says why."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.finding import BROWSERS, find_browser
from tests.docs.pages import ROOT

REASON = "no Chromium on PATH; install it with: apt-get install chromium"


@pytest.mark.slow
def test_browser_tests_are_skipped_with_a_reason_where_path_has_no_browser(tmp_path: Path) -> None:
    as_make_test_does = ["-n", "2", "--dist", "loadfile"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *as_make_test_does, "-p", "no:cacheprovider", "tests/browser"],
        cwd=ROOT,
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    last = done.stdout.strip().splitlines()[-1]
    skipped = re.fullmatch(r"=+ (\d+) skipped in .*=+", last)
    assert skipped, last
    counts = re.findall(rf"^SKIPPED \[(\d+)\] tests/browser/\S+ {re.escape(REASON)}$", done.stdout, re.MULTILINE)
    assert sum(map(int, counts)) == int(skipped[1]) > 20


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script as a program")
def test_a_browser_that_does_not_start_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    for name in BROWSERS:
        write_program(tmp_path / name, "echo 'requires the chromium snap to be installed'; exit 1")
    assert find_browser() is None
    write_program(tmp_path / "google-chrome", "echo Chromium 137")
    assert find_browser() == str(tmp_path / "google-chrome")


def write_program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)
