"""One version of the project: package, citation and changelog name the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def found(name: str, pattern: str) -> str:
    match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert match is not None, f"{name} has no version"
    return match[1]


def test_the_package_the_citation_and_the_newest_release_agree() -> None:
    version = found("pyproject.toml", r'^version = "(.+)"$')
    assert found("CITATION.cff", r"^version: (.+)$") == version
    assert found("CHANGELOG.md", r"^## \[(\d.+?)\]") == version


def test_every_entry_of_the_changelog_is_one_line_under_a_heading() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(" ")] == []
    headings = {line for line in lines if line.startswith("### ")}
    assert headings <= {f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")}


@pytest.mark.parametrize(
    ("subject", "is_accepted"),
    [
        ("measuring: rank float64 score maps exactly", True),
        ("scenes, render: split rooms\n\nThe body says why.", True),
        ("Say both counts of what scoring costs", False),
        ("measuring: rank float64 score maps exactly.", False),
        ("measuring: " + "x" * 80, False),
    ],
)
def test_the_hook_checks_commit_subjects(subject: str, is_accepted: bool, tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    import yaml

    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    hook = next(hook for hook in hooks if hook["id"] == "commit-subject")
    (tmp_path / "message").write_text(subject + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pre_commit.languages.pygrep", *hook["args"], hook["entry"], "message"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == is_accepted, done.stdout + done.stderr
