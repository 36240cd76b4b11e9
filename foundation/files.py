"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from foundation.errors import CaosError


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` to write to; renamed onto ``path`` on success, removed on failure.

    Raises:
        CaosError: If the disk is full or the folder cannot be written; ``path`` is then untouched.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=f".part{path.suffix}", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise CaosError(f"cannot write {path}: {error.strerror or error}") from error
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise CaosError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file."""
    with whole_file(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write a whole UTF-8 file."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON with a stable key order; NaN and infinity are refused."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """The value in a JSON file.

    Raises:
        CaosError: If the file is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CaosError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise CaosError(f"{path} is not valid JSON: {error}") from error


@contextlib.contextmanager
def claimed(folder: Path, marker: str, configuration: Any, what: str) -> Iterator[None]:
    """Mark a folder as the place of some resumable work, or refuse one that belongs to something else.

    Work that fails before it made anything leaves no mark: the folder is free for other work.

    Args:
        folder: New, empty, or claimed by the same work before.
        marker: Name of the file in it that holds the configuration.
        configuration: What the work depends on, JSON-ready.
        what: The work in a word or two, for messages.

    Raises:
        CaosError: If the folder holds other work, or other files.
    """
    wanted, place = json.loads(json.dumps(configuration)), folder / marker
    if place.exists():
        if read_json(place) != wanted:
            raise CaosError(f"{folder} holds a {what} made with other settings (see {place}); choose a new folder")
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CaosError(f"{folder} is not empty and holds no {what} to go on with; choose a new folder")
    was_there = folder.exists()
    if not place.exists():
        write_json(place, wanted)
    try:
        yield
    except BaseException:
        if [path.name for path in folder.iterdir()] == [marker]:
            place.unlink()
            if not was_there:
                folder.rmdir()
        raise


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write one JSON value a line, as a whole file."""
    write_text(path, "".join(json.dumps(row, sort_keys=True, allow_nan=False) + "\n" for row in rows))


def read_jsonl(path: Path) -> list[Any]:
    """The values of a file with one JSON value a line.

    Raises:
        CaosError: If the file is missing or a line is not JSON (the line is named).
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CaosError(f"cannot read {path}: {error.strerror or error}") from error
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise CaosError(f"{path}, line {number}, is not valid JSON: {error}") from error
    return rows


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
