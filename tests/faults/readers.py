"""Readers found by watching: which functions of ours were called with which files while commands ran.

A reader is a function of the package called ``read_...``, ``open_...`` or ``load_...`` that is given a path. Its calls
are written down with their arguments, and with the files that were opened meanwhile. A new reader is found when a
command calls it.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import caos
from caos.foundation.storage.files import sha256

PREFIXES = ("read_", "open_", "load_")
NAMES = ("read",)
_OPENED: list[str] = []
_WATCHED: dict[str, Path] = {}
_ROOMS = tuple(str(Path(place).resolve().parent) for place in caos.__path__)
_MOST_CALLS = 3
"""Calls of one reader that are kept: each with files of another kind."""


@dataclass
class ReaderCall:
    """A reader, the arguments of one of its calls, and the files it opened."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    files: set[Path] = field(default_factory=set)

    @property
    def name(self) -> str:
        """Module and name."""
        return f"{self.function.__module__.removeprefix('caos.')}.{self.function.__name__}"


_MADE: list[str] = []
_MAKERS = {"os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1, "os.truncate": 0}
"""Calls that make or change a file, and which of their arguments names it."""


def _note_open(event: str, arguments: tuple[Any, ...]) -> None:
    if not _WATCHED:
        return
    if event == "open" and isinstance(arguments[0], str):
        if not _hashes(sys._getframe(1)):
            _OPENED.append(arguments[0])
        if isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            _MADE.append(arguments[0])
    elif event in _MAKERS:
        _MADE.append(os.fsdecode(arguments[_MAKERS[event]]))


def _hashes(frame: FrameType | None) -> bool:
    """Whether a file is opened for the hash of its bytes only: whatever they are, they have one."""
    callers = [frame, frame.f_back] if frame is not None else []
    return any(one is not None and one.f_code is sha256.__code__ for one in callers)


sys.addaudithook(_note_open)


@contextlib.contextmanager
def opened_files(root: Path) -> Iterator[set[Path]]:
    """The files below ``root`` that Python opens inside."""
    found: set[Path] = set()
    _WATCHED["root"] = root
    start = len(_OPENED)
    try:
        yield found
    finally:
        found |= {Path(name) for name in _OPENED[start:] if name.startswith(str(root))}


@contextlib.contextmanager
def made_files() -> Iterator[set[Path]]:
    """The files and folders, anywhere, that Python makes or changes inside."""
    found: set[Path] = set()
    _WATCHED.setdefault("root", Path())
    start = len(_MADE)
    try:
        yield found
    finally:
        found |= {Path(os.path.abspath(name)) for name in _MADE[start:]}  # noqa: PTH100 - a link is not followed


class ReaderWatch:
    """Writes down the calls of readers, as a profile function."""

    def __init__(self, root: Path) -> None:
        self.calls: list[ReaderCall] = []
        self._root, self._open = root, list[tuple[FrameType, ReaderCall, int]]()
        self._seen: dict[str, list[str]] = {}

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what runs inside."""
        _WATCHED["root"] = self._root
        sys.setprofile(self._notice)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _notice(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            name = frame.f_code.co_name
            if name.startswith(PREFIXES) or name in NAMES:
                self._begin(frame)
        elif event == "return" and self._open and self._open[-1][0] is frame:
            _, call, start = self._open.pop()
            call.files |= {Path(name) for name in _OPENED[start:] if name.startswith(str(self._root))}
            kinds = sorted({path.suffix for path in call.files})
            seen = self._seen.setdefault(call.name, [])
            if call.files and str(kinds) not in seen and len(seen) < _MOST_CALLS:
                seen.append(str(kinds))
                self.calls.append(call)

    def _begin(self, frame: FrameType) -> None:
        code = frame.f_code
        function = frame.f_globals.get(code.co_name)
        if not inspect.isfunction(function) or function.__code__ is not code:
            return
        if not str(Path(code.co_filename).resolve()).startswith(_ROOMS):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        arguments = {name: frame.f_locals[name] for name in names}
        if any(isinstance(value, Path) for value in arguments.values()):
            self._open.append((frame, ReaderCall(function, arguments), len(_OPENED)))
