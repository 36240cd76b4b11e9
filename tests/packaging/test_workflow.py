"""The workflow runs what exists: its test files, make targets and extras."""

from __future__ import annotations

import re
import subprocess

import pytest
import yaml

from caos.foundation.settings import read_toml
from tests.docs.pages import ROOT

TEXT = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
JOBS = yaml.safe_load(TEXT)["jobs"]
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]


def test_the_gate_installs_nothing_itself() -> None:
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith(("#", "set ", "cd "))]
    assert commands == ["make lint", "make test"]
    assert "bash .ci/run" in COMMANDS


def test_the_test_files_exist() -> None:
    named = re.findall(r"tests/\S+\.py", " ".join(COMMANDS))
    assert "tests/packaging/test_other_systems.py" in named
    assert [file for file in named if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make ")])
def test_make_knows_the_target(command: str) -> None:
    words = re.sub(r"\$\{\{.*?\}\}", "learn", command).split()
    subprocess.run([*words, "--dry-run"], cwd=ROOT, check=True, capture_output=True)


def test_the_lowest_versions_are_tried_of_known_extras() -> None:
    known = read_toml(ROOT / "pyproject.toml")["project"]["optional-dependencies"]
    tried = {extra for extras in JOBS["lowest"]["strategy"]["matrix"]["extras"] for extra in extras.split(",")}
    assert tried == {"simulator", "meshes", "learn", "masks", "ray", "onnx"}
    assert tried <= set(known)
