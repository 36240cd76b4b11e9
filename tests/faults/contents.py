"""Hashes of what commands make, by which two runs of a command are compared."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

TIMED = ("seconds", "cost", "provenance", "spent", "clock_s", "time")
"""Keys of results that say how long something took."""


def contents(folder: Path, patterns: tuple[str, ...]) -> str:
    """A hash of what some files hold, without the times in them."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in folder.rglob(pattern)}):
        data = path.read_bytes()
        if path.suffix == ".jsonl":
            data = "".join(_timeless(line) for line in data.decode().splitlines()).encode()
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + data.replace(str(folder).encode(), b""))
    return digest.hexdigest()


def _timeless(line: str) -> str:
    return json.dumps({key: value for key, value in json.loads(line).items() if key not in TIMED})
