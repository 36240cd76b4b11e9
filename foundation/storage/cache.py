"""Cache of what can be made again: where it lies, and the digest of the code that made it."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

from caos.foundation.execution.home import home


def cache_root() -> Path:
    """``$CAOS_CACHE``, or ``~/.cache/caos``."""
    base = os.environ.get("CAOS_CACHE")
    return Path(base) if base else home() / ".cache" / "caos"


@functools.cache
def code_digest(*places: Path, without: tuple[str, ...] = ()) -> str:
    """Hash of the Python files at or below ``places``, by their paths and bytes, but for folders named ``without``.

    What is cached under this digest is made anew whenever the code that shapes it changes.
    """
    digest = hashlib.sha256()
    for place in places:
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        for file in files:
            inside = file.relative_to(place if place.is_dir() else place.parent)
            if not set(inside.parts[:-1]) & set(without):
                digest.update(inside.as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
