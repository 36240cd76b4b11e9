"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.settings import parse_json, read_text

DEVICES: Final = Path("/dev")
"""Where nothing is a file of ours, not even what a link such as ``/dev/stdout`` leads to."""
_BINARY: Final = getattr(os, "O_BINARY", 0)
"""On Windows, that line ends stay as they are."""


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` to write to; renamed onto ``path`` on success, removed on failure.

    Raises:
        CaosError: If the disk is full, the folder cannot be written, or a device, a pipe or a folder is at ``path``
            (renaming would replace even ``/dev/null`` for a user who may); ``path`` is then untouched.
    """
    with _replacing(path) as (temporary, descriptor):
        os.close(descriptor)
        yield temporary


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[tuple[Path, int]]:
    """The temporary path of :func:`whole_file`, and a descriptor of the empty file there, which the caller closes."""
    try:
        if (path.exists() and not path.is_file()) or _is_devices(path.parent):
            raise CaosError(f"cannot write {path}: it is not a file")
        try:
            temporary, descriptor = _made_beside(path)
        except FileNotFoundError:  # mostly the folder is there
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary, descriptor = _made_beside(path)
    except OSError as error:
        raise CaosError(f"cannot write {path}: {error.strerror or error}") from error
    try:
        yield temporary, descriptor
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise CaosError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _made_beside(path: Path) -> tuple[Path, int]:
    """A new, empty file beside ``path`` that nobody else has, and its descriptor; `is_part_of` knows it by its name."""
    while True:
        temporary = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")
        with contextlib.suppress(FileExistsError):
            return temporary, os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, 0o600)


def _is_devices(folder: Path) -> bool:
    """Whether a folder is that of devices, by whatever path."""
    try:
        own, devices = folder.stat(), _devices()
    except FileNotFoundError:
        return False
    return devices is not None and os.path.samestat(own, devices)


@functools.cache
def _devices() -> os.stat_result | None:
    return DEVICES.stat() if DEVICES.is_dir() else None


def check_ending(path: Path, *endings: str) -> None:
    """Refuse a file to be written that is named as something else: a mistyped name must not cost a user's own file.

    Raises:
        CaosError: If the name ends in none of ``endings``.
    """
    if path.suffix.lower() not in endings:
        raise CaosError(f"cannot write {path}: give it a name that ends in {' or '.join(endings)}")


def real_path(path: str | Path) -> Path:
    """The path without links and dots; of links that lead in a circle the path itself, where ``resolve`` raises."""
    return Path(os.path.realpath(path))


def paths_below(folder: Path, pattern: str = "*") -> Iterator[Path]:
    """Everything below a folder whose name matches; nothing where there is no folder. Links are not followed.

    Raises:
        CaosError: If a folder goes away while it is searched, or may not be looked into: what is in it would be missed.
    """

    def tell(error: OSError) -> None:
        gone = isinstance(error, FileNotFoundError)
        reason = f"went away while {folder} was searched" if gone else f"cannot be searched: {error.strerror}"
        raise CaosError(f"{error.filename} {reason}") from error

    if folder.is_dir():
        for place, folders, files in os.walk(folder, onerror=tell):
            yield from (Path(place, name) for name in (*folders, *files) if fnmatch.fnmatchcase(name, pattern))


def is_part_of(path: Path, name: str) -> bool:
    """Whether a file of that name is what a killed process left of writing ``path``."""
    return name.startswith(f".{path.stem}.") and name.endswith(f".part{path.suffix}")


def remove_parts(folder: Path) -> None:
    """Remove the temporary files below a folder that a killed process left; nobody else may be at work there."""
    for left in paths_below(folder, ".*.part*"):
        left.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file."""
    # By the descriptor that is open: to open the file again takes as long as to write a small one.
    with _replacing(path) as (_, descriptor), open(descriptor, "wb", buffering=0) as stream:  # noqa: PTH123
        left = memoryview(data)
        while left:
            left = left[stream.write(left) :]


def write_text(path: Path, text: str) -> None:
    """Write a whole UTF-8 file."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON with a stable key order; NaN and infinity are refused. Dataclasses are written as tables."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, allow_nan=False, default=_table) + "\n")


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write one JSON value a line, as a whole file; see :func:`json_line`."""
    write_text(path, "".join(map(json_line, rows)))


def json_line(value: Any) -> str:
    """A JSON value in one line, with a stable key order; dataclasses are tables, NaN and infinity are refused."""
    return json.dumps(value, sort_keys=True, allow_nan=False, default=_table) + "\n"


def _table(record: Any) -> dict[str, Any]:
    """The fields of a dataclass as they are: the encoder asks again for those inside, where ``asdict`` copies all."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def read_jsonl(path: Path) -> list[Any]:
    """The values of a file with one JSON value a line.

    Raises:
        CaosError: If the file is missing or a line is not JSON (the line is named).
    """
    lines = enumerate(read_text(path).removesuffix("\n").split("\n"), 1)
    return [parse_json(line, f"{path}, line {n},") for n, line in lines if line or n > 1]


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes.

    Raises:
        CaosError: If something else than a file is there: a pipe or a device would be read without end.
    """
    if path.exists() and not path.is_file():
        raise CaosError(f"{path} is not a file")
    with path.open("rb") as stream:
        digest = hashlib.sha256()
        while block := stream.read(1 << 20):
            digest.update(block)
        return digest.hexdigest()
