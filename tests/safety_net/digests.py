"""Digests of what commands wrote: label maps, images and records, without what changes from run to run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

VOLATILE: Final = frozenset(
    {"clock_s", "commit", "cost", "finished", "platform", "provenance", "python", "root", "run", "seconds", "source"}
    | {"spent", "started", "time", "versions", "wall_s", "weights", "identity", "fingerprint", "code"}
)
"""Keys of records that hold times, paths, versions and identities: no numbers that a reader cites."""
FOLDERS: Final = ("annotations", "instances", "images", "twins", "depth", "normals", "flow", "lidar", "cameras")
"""The folders of a set, each of which has a digest of its own."""


def of_set(root: Path) -> dict[str, str]:
    """The digest of each kind of file of a set, and of its manifest without the hashes of files."""
    found = {}
    for folder in FOLDERS:
        files = sorted(p for top in ("train", "test") for p in (root / top / folder).rglob("*") if p.is_file())
        if files:
            found[folder] = _digest(f"{p.relative_to(root)} ".encode() + p.read_bytes() for p in files)
    return found | {"manifest": of_record(root / "manifest.jsonl", but=frozenset({"files", *VOLATILE}))}


def of_record(path: Path, but: frozenset[str] = VOLATILE) -> str:
    """The digest of a JSON or JSONL file, without some keys at any depth."""
    lines = path.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in lines.splitlines()] if path.suffix == ".jsonl" else [json.loads(lines)]
    return _digest(json.dumps(_without(row, but), sort_keys=True).encode() for row in rows)


def _without(value: Any, but: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(inner, but) for key, inner in value.items() if key not in but}
    if isinstance(value, list):
        return [_without(inner, but) for inner in value]
    return value


def _digest(parts: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]
