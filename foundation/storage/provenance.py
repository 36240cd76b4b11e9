"""What made a thing: versions, commit, seed and configuration, saved beside everything produced."""

from __future__ import annotations

import functools
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any, Final

PACKAGES = (
    "caos-bench",
    "carla",
    "mitsuba",
    "embreex",
    "pyoidn",
    "open3d",
    "numpy",
    "torch",
    "segmentation-models-pytorch",
)

NOT_INSTALLED: Final = "not installed"


def package_version(name: str) -> str:
    """Return the installed version of a distribution, or ``NOT_INSTALLED``."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED


@functools.cache
def git_commit() -> str | None:
    """The commit of the checkout this code runs from (with ``+`` when it has changes), or None outside one."""
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():
        return None  # an installed package may lie in somebody else's checkout, whose settings would run programs
    git = ["git", "-C", str(here), "-c", "core.fsmonitor=false"]
    try:
        commit = subprocess.run(
            [*git, "rev-parse", "--short=12", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
            timeout=5,
        ).stdout.strip()
        changed = subprocess.run(
            [*git, "status", "--porcelain", "-uno"],
            capture_output=True,
            text=True,
            check=True,
            timeout=5,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return commit + ("+" if changed else "")


def provenance(configuration: dict[str, Any], seed: int | None = None) -> dict[str, Any]:
    """A JSON-ready record of versions, commit, seed and resolved configuration."""
    return {
        "versions": {name: package_version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "commit": git_commit(),
        "seed": seed,
        "configuration": configuration,
    }
