"""The browser of this machine."""

from __future__ import annotations

import shutil
import subprocess

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """The first Chromium on PATH that starts; Ubuntu's ``chromium-browser`` is a stub where the snap is missing."""
    found = (path for name in BROWSERS if (path := shutil.which(name)))
    return next((path for path in found if _starts(path)), None)


def _starts(path: str) -> bool:
    done = subprocess.run([path, "--version"], capture_output=True, check=False, timeout=60)
    return done.returncode == 0
