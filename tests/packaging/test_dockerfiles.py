"""The Dockerfiles by their steps: what they copy is there, what they install is an extra, what they run exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "Dockerfile", ROOT / "Dockerfile.cuda"]


def steps(file: Path) -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", " ", file.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_step_can_be_taken(file: Path) -> None:
    found = steps(file)
    assert found[0][0] == "FROM"
    assert {word for word, _ in found} <= {"FROM", "RUN", "COPY", "WORKDIR", "ENV", "ARG", "USER", "ENTRYPOINT"}
    runs = " && ".join(text for word, text in found if word == "RUN")
    extras = re.findall(r"'\.\[([a-z,]+)\]'", runs)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert extras
    assert set(extras[0].split(",")) <= set(known)
    for script in re.findall(r"sh (\S+)", runs):
        assert (ROOT / script).is_file()
    assert ("ENTRYPOINT", '["caos"]') in found
    # Nothing runs as root, and the cache is the user's.
    assert found.index(("USER", "caos")) < found.index(("ENTRYPOINT", '["caos"]'))


def test_the_images_leave_out_what_is_not_of_the_project() -> None:
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "demo"} <= set(left_out)
    # The package needs its readme and licence to build.
    assert not {"README.md", "LICENSE", "docs"} & set(left_out)
