"""The user's home folder, also for a process without HOME or an entry in the user database (containers, services)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def home() -> Path:
    """The home folder; the folder for temporary files where the system knows of none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(tempfile.gettempdir())


def ensure_home() -> None:
    """Set HOME for this process and its children where it is not set."""
    os.environ.setdefault("HOME", str(home()))
