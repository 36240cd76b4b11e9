"""The base package (metrics, scoring of maps, pages) without what Windows lacks; on Windows, as it is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.ood_scores.little import write_set

LIKE_WINDOWS = Path(__file__).with_name("like_windows")
BASE_MODULES = "caos.cli", "caos.simulator.guardian", "caos.ood_scores.command", "caos.ood_scores.report.build"


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    first = [] if sys.platform == "win32" else [str(LIKE_WINDOWS)]
    path = os.pathsep.join([*first, *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_what_windows_lacks_is_taken_away_in_children_too(tmp_path: Path) -> None:
    look = (
        "import os, signal; print(hasattr(signal, 'SIGHUP'), hasattr(os, 'fork'))\n"
        "try: import fcntl\nexcept ImportError: print('no')"
    )
    assert python("-c", look, cwd=tmp_path).stdout.split() == ["False", "False", "no"]
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {look!r}])"
    assert python("-c", inner, cwd=tmp_path).stdout.split() == ["False", "False", "no"]


@pytest.mark.parametrize("module", BASE_MODULES)
def test_a_module_is_imported(module: str, tmp_path: Path) -> None:
    done = python("-c", f"import {module}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_guardian_of_a_session_ends_in_order(tmp_path: Path) -> None:
    pytest.importorskip("carla")
    done = python("-m", "caos.simulator.guardian", "127.0.0.1", "9", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_two_arrays_are_measured(tmp_path: Path) -> None:
    code = "import caos; m = caos.measure([0.1, 0.9, 0.4, 0.8], [0, 1, 1, 0]); print(m.auroc, m.fpr95)"
    done = python("-c", code, cwd=tmp_path)
    assert done.stdout.split() == ["0.75", "0.5"], done.stderr


def test_maps_are_scored_by_two_processes_and_shown(tmp_path: Path) -> None:
    write_set(tmp_path / "set")
    for file in (tmp_path / "set/test/annotations").rglob("*.png"):
        scores = tmp_path / "maps" / f"test/{file.parent.name}/{file.stem}.npy"
        scores.parent.mkdir(parents=True, exist_ok=True)
        np.save(scores, (np.asarray(Image.open(file)) == 14).astype(np.float32))
    words = ["score", "set", "--maps", "maps", "--out", "results", "--workers", "2"]
    scored = python("-m", "caos", *words, cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    results = json.loads((tmp_path / "results/results.json").read_text(encoding="utf-8"))
    assert results["dataset"]["images"] == 6
    row = next(line for line in scored.stdout.splitlines() if line.startswith("| maps |"))
    assert [cell.split()[0] for cell in row.split("|")[2:5]] == ["0.0", "100.0", "100.0"]
    shown = python("-m", "caos", "report", "results", "--out", "site", "--workers", "2", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert '"maps"' in (tmp_path / "site/data.js").read_text(encoding="utf-8")
