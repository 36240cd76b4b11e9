"""Apply each mutation to a copy of the package, and run the reference tests against it: every one must fail somewhere.

python -m tests.reference.mutate
python -m tests.reference.mutate --only trapezoid,blocks
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.reference.mutations import MUTATIONS, Mutation

ROOT: Final = Path(__file__).parents[2]
MUTATED_ROOMS: Final = ("foundation", "ood_scores", "segmentation")
"""Rooms that are copied; the others are linked."""
LIST: Final = "tests/reference/test_mutations.py"
_NO_CACHE: Final = shutil.ignore_patterns("__pycache__", "corpus")


@dataclass(frozen=True)
class Outcome:
    """How the tests ended: the first that failed, or None; what they said; how long they took."""

    failed: str | None
    said: str
    seconds: float


def copy_of_package(folder: Path) -> Path:
    """Copy the tests and the package, with links to the rooms that no mutation changes."""
    package = folder / "caos"
    package.mkdir()
    for entry in sorted((ROOT / "caos").iterdir()):
        target = package / entry.name
        if entry.is_dir() and entry.name in MUTATED_ROOMS:
            shutil.copytree(entry, target, ignore=_NO_CACHE)
        elif entry.is_dir():
            target.symlink_to(entry.resolve())
        else:
            shutil.copy(entry, target)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=_NO_CACHE)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return package


def run_tests(folder: Path) -> Outcome:
    """The reference tests against the package in the folder, up to the first that fails."""
    words = [sys.executable, "-m", "pytest", "tests/reference", "-x", "-q", "--tb=line", "-p", "no:cacheprovider"]
    begun = time.monotonic()
    done = subprocess.run(
        [*words, "-m", "not slow", f"--ignore={LIST}"],  # which fails wherever a text was replaced
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"^(?:FAILED|ERROR) tests/reference/(\S+)", done.stdout, re.MULTILINE)
    failed = found[1] if found else None
    if done.returncode and failed is None:
        failed = f"exit code {done.returncode}"
    return Outcome(failed, done.stdout + done.stderr, time.monotonic() - begun)


def tried(mutation: Mutation, folder: Path, package: Path) -> Outcome:
    """The tests with one mutation, which is taken back afterwards."""
    path = package / mutation.file
    kept, changed = path.read_text(), mutation.applied(package)
    path.write_text(changed)
    try:
        return run_tests(folder)
    finally:
        path.write_text(kept)


def main() -> int:
    """Print which test catches each mutation; 0 if all are caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.reference.mutate")
    parser.add_argument("--only", default="", help="mutations whose name holds one of these, with commas between")
    only = parser.parse_args().only.split(",")
    wide, missed = max(len(mutation.name) for mutation in MUTATIONS), 0
    with tempfile.TemporaryDirectory(prefix="mutate-") as name:
        folder = Path(name).resolve()
        package = copy_of_package(folder)
        whole = run_tests(folder)
        if whole.failed:
            sys.stdout.write(f"{whole.said[-3000:]}\nthe tests fail without a mutation: {whole.failed}\n")
            return 2
        sys.stdout.write(f"{'none':<{wide}}  {whole.seconds:5.0f} s  all pass\n")
        for mutation in (one for one in MUTATIONS if any(part in one.name for part in only)):
            outcome = tried(mutation, folder, package)
            missed += outcome.failed is None
            sys.stdout.write(f"{mutation.name:<{wide}}  {outcome.seconds:5.0f} s  {outcome.failed or 'NOT CAUGHT'}\n")
            sys.stdout.flush()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
