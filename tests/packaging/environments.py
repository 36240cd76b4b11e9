"""Fresh environments to install into, alone or sharing the heavy packages of the one that runs the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path


def run(command: list[str | Path], cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command without the ``PYTHON...`` variables of this process."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | variables
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=1200
    )


def share_packages(environment: Path, folder: Path) -> None:
    """Let ``environment`` import every package installed here except this project's, through links in ``folder``."""
    code = "import site; print(site.getsitepackages()[0])"
    own = Path(run([environment / "bin/python", "-c", code], environment).stdout.strip())
    here = Path(metadata.distribution("numpy").locate_file(""))
    for item in here.iterdir():
        if "caos" not in item.name.lower() and item.suffix != ".pth" and item.name != "__pycache__":
            (folder / item.name).symlink_to(item)
    (own / "borrowed.pth").write_text(f"{folder}\n")


def build_release(out: Path, source: Path) -> None:
    """Build wheel and sdist of ``source`` into ``out``."""
    done = run([sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source], out)
    assert done.returncode == 0, done.stdout + done.stderr


def create(place: Path, with_pip: bool = False) -> Path:
    """Create an empty environment at ``place``; return its folder of programs."""
    venv.create(place, symlinks=True, with_pip=with_pip)
    return place / "bin"
