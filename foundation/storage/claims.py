"""Claims on output folders: one piece of work a folder, one process at a time, resumed only by the same work."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_json
from caos.foundation.storage.files import is_part_of, remove_parts, write_json

LOCK: Final = ".lock"


@contextlib.contextmanager
def claimed(
    folder: Path,
    marker: str,
    configuration: Any,
    what: str,
    *,
    overwrite: bool = False,
    remedy: str = "choose a new folder",
) -> Iterator[None]:
    """Mark a folder as the place of some resumable work, or refuse one that belongs to something else.

    No other process can claim the folder meanwhile. Work that fails before it made anything leaves no mark: the folder
    is free for other work.

    Args:
        folder: New, empty, or claimed by the same work before.
        marker: Name of the file in it that holds the configuration.
        configuration: Everything the work depends on, JSON-ready; see :mod:`caos.foundation.storage.identity`.
        what: The work in a word or two, for messages.
        overwrite: Remove what other work of this kind left there. A folder that holds no such work is never removed.
        remedy: What to do about other work of this kind, for messages.

    Raises:
        CaosError: If the folder is in use, or holds other work, or other files.
    """
    wanted, place = json.loads(json.dumps(configuration)), folder / marker
    if folder.exists() and not folder.is_dir():
        raise CaosError(f"{folder} is not a folder; choose a new one")
    was_there = folder.exists()
    with locked(folder, what):
        if place.exists():
            difference = first_difference(read_json(place), wanted)
            if difference and not overwrite:
                raise CaosError(
                    f"{folder} holds a {what} made with other settings ({difference}; see {place}); {remedy}"
                )
            if difference:
                empty(folder)
        elif any(path.name != LOCK and not is_part_of(place, path.name) for path in folder.iterdir()):
            raise CaosError(f"{folder} is not empty and holds no {what} to continue; choose a new folder")
        remove_parts(folder)
        if not place.exists():
            write_json(place, wanted)
        try:
            yield
        except BaseException:
            # The folder may have gone with its disk; and Windows keeps a file that is open: it stays then, empty.
            with contextlib.suppress(OSError):
                _leave_no_mark(place, keep_folder=was_there)
            raise


def _leave_no_mark(place: Path, *, keep_folder: bool) -> None:
    folder = place.parent
    if {path.name for path in folder.iterdir()} <= {place.name, LOCK}:
        place.unlink(missing_ok=True)
        (folder / LOCK).unlink(missing_ok=True)
        if not keep_folder:
            folder.rmdir()


@contextlib.contextmanager
def locked(folder: Path, what: str = "result") -> Iterator[None]:
    """Keep every other process out of a folder; it is made if it is not there. A killed process leaves no lock.

    Raises:
        CaosError: If another process is in it, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = _lock(folder / LOCK)
    except FileExistsError as error:
        raise CaosError(f"{folder} is not a folder") from error
    except OSError as error:
        raise CaosError(f"cannot write {folder}: {error.strerror or error}") from error
    if handle is None:
        raise CaosError(f"another process is working on the {what} in {folder}; wait for it, or choose another folder")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            (folder / LOCK).unlink(missing_ok=True)
        os.close(handle)


def empty(folder: Path, but: str = LOCK) -> None:
    """Remove everything in a folder but the lock on it and the file named ``but``."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in (LOCK, but):
            path.unlink()


def first_difference(old: Any, new: Any, where: str = "") -> str | None:
    """The first place where two JSON values differ, in words, or None.

    >>> first_difference({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}, "c": 2})
    'a.b was 1, is 3'
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            inside = first_difference(old.get(key), new.get(key), f"{where}.{key}" if where else str(key))
            if inside:
                return inside
        return None
    return None if old == new else f"{where or 'it'} was {_short(old)}, is {_short(new)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


try:
    import fcntl
except ModuleNotFoundError:  # Windows

    def _lock(path: Path) -> int | None:
        msvcrt: Any = importlib.import_module("msvcrt")
        handle = os.open(path, os.O_RDWR | os.O_CREAT)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(handle)
            return None
        return handle

else:

    def _lock(path: Path) -> int | None:
        """A handle that holds the lock on the file at ``path``, or None if another process does."""
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return None
            # The one who had it before may have removed the file that was opened here: then it locks nobody out.
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(handle).st_ino:
                    return handle
            os.close(handle)
