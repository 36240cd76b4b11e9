"""The install commands of the README, extracted from it and run as they stand, each in an environment of its own.

The heavy packages (torch, transformers) are shared with the environment that runs the tests, so that pip
finds them installed. With ``CAOS_FRESH_INSTALLS=1`` nothing is shared.
"""

from __future__ import annotations

import os
import re
import tarfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.pages import PAGES, ROOT
from tests.packaging.environments import build_release, create, run, share_packages

INSTALL = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Install\n")[2].partition("\n## ")[0]
LINES = [line.partition(" #")[0].strip() for line in re.findall(r"^    (\S.*)$", INSTALL, re.MULTILINE)]
MAKE_LINES = [line for line in LINES if line.startswith("make ")]
PIP_LINES = [line for line in LINES if line.startswith("pip install ")]
BUILD_LINES = [line for line in LINES if line.startswith("pip wheel ")]
SHARED_EXTRAS = {"learn", "masks"}
MEASURE = "import caos; print(round(caos.measure([0.1, 0.2, 0.9, 0.8], [0, 0, 1, 1]).auroc, 3))"


class Environment(NamedTuple):
    """An environment into which a line was run, in a copy of the checkout."""

    programs: Path
    checkout: Path
    extras: set[str]


def shell(line: str, programs: Path, checkout: Path) -> None:
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    # Compiling 20,000 files takes longer than the rest and shows nothing.
    done = run(["sh", "-ec", line], checkout, PATH=path, PIP_NO_COMPILE="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}{done.stderr[-3000:]}"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources as they are released, so that no build writes into this checkout."""
    out = tmp_path_factory.mktemp("dist")
    build_release(out, ROOT)
    with tarfile.open(next(out.glob("*.tar.gz"))) as archive:
        archive.extractall(out, filter="data")
    return next(folder for folder in out.iterdir() if folder.is_dir())


@pytest.fixture(params=PIP_LINES)
def environment(request: pytest.FixtureRequest, checkout: Path, tmp_path: Path) -> Environment:
    line = request.param
    extras = set("".join(re.findall(r"\[([a-z,]+)\]", line)).split(",")) - {""}
    programs = create(tmp_path / "venv", with_pip=True)
    if extras & SHARED_EXTRAS and not os.environ.get("CAOS_FRESH_INSTALLS"):
        (tmp_path / "shared").mkdir()
        share_packages(tmp_path / "venv", tmp_path / "shared")
    if "dist/" in line and not (checkout / "dist").is_dir():
        for build in BUILD_LINES:
            shell(build, programs, checkout)
    shell(line, programs, checkout)
    return Environment(programs, checkout, extras)


def test_the_readme_begins_with_make_and_shows_lines_of_each_kind() -> None:
    assert LINES[:2] == ["make demo", "make test"]
    assert "pip install '.[learn]'" in PIP_LINES
    assert any(".whl)[learn]" in line for line in PIP_LINES)
    assert len(BUILD_LINES) == 1
    assert sorted(LINES, key=(MAKE_LINES + PIP_LINES + BUILD_LINES).index) == MAKE_LINES + PIP_LINES + BUILD_LINES


@pytest.mark.parametrize("line", MAKE_LINES)
def test_make_knows_the_target(line: str) -> None:
    done = run(["sh", "-ec", f"{line} --dry-run"], ROOT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "file", [*PAGES, *sorted((ROOT / "docs/notebooks").glob("*.ipynb"))], ids=lambda file: file.name
)
def test_no_page_installs_from_the_index(file: Path) -> None:
    """The name is not on the package index."""
    assert re.findall(r"pip install [^\n`]*caos-bench[^\n`]*", file.read_text(encoding="utf-8")) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_line_installs_what_it_says(environment: Environment, tmp_path: Path) -> None:
    python = environment.programs / "python"
    measured = run([python, "-c", MEASURE], tmp_path)
    assert measured.stdout.strip() == "1.0", measured.stderr
    package = run([python, "-c", "import caos; print(caos.__file__)"], tmp_path)
    assert Path(package.stdout.strip()).is_relative_to(environment.programs.parent)
    assert run([environment.programs / "caos", "--version"], tmp_path).returncode == 0
    for extra in environment.extras:
        needed = run(
            [python, "-c", f"from caos.foundation.command_line.extras import require_extra; require_extra('{extra}')"],
            tmp_path,
        )
        assert needed.returncode == 0, needed.stderr
    if not environment.extras:
        assert_the_hint_installs(environment, tmp_path)


def assert_the_hint_installs(environment: Environment, cwd: Path) -> None:
    """The command in the error about a missing extra is one that pip can follow from any folder."""
    refused = run([environment.programs / "caos", "serve"], cwd)
    assert refused.returncode == 2
    hint = refused.stderr.strip().rpartition(": ")[2]
    assert hint == f"pip install '{environment.checkout}[simulator]'"
    (cwd / "elsewhere").mkdir()
    path = f"{environment.programs}{os.pathsep}{os.environ['PATH']}"
    done = run(["sh", "-ec", f"{hint} --dry-run --no-deps"], cwd / "elsewhere", PATH=path)
    assert done.returncode == 0, done.stderr
