"""Progress of long work: a live bar with rate and time left on a terminal, plain lines elsewhere.

Code below a ``cli.py`` takes a :class:`Progress` and never prints; ``SILENT`` is the default there.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final, Protocol

from rich.console import Console

BEGAN: Final = time.monotonic()
"""When a command began: this module is among the first that it imports."""
QUIET: ContextVar[bool] = ContextVar("QUIET", default=False)
"""Whether a :class:`Terminal` shows nothing (``caos -q``)."""


class Task(Protocol):
    """One piece of counted work."""

    def advance(self, count: int = 1, note: str = "") -> None:
        """Count ``count`` more units as done; ``note`` replaces the text shown at the end of the line."""


class Progress(Protocol):
    """Where progress is shown."""

    def task(self, description: str, total: int | None, done: int = 0) -> contextlib.AbstractContextManager[Task]:
        """Open a piece of work of ``total`` units (None: unknown), of which ``done`` were finished earlier."""

    def say(self, text: str) -> None:
        """Show one line of text."""


class _SilentTask:
    def advance(self, count: int = 1, note: str = "") -> None:
        pass


class Silent:
    """Shows nothing."""

    @contextlib.contextmanager
    def task(self, description: str, total: int | None, done: int = 0) -> Iterator[Task]:
        """See :class:`Progress`."""
        yield _SilentTask()

    def say(self, text: str) -> None:
        """See :class:`Progress`."""


SILENT = Silent()


class _PlainTask:
    """Prints a line at most every ``EVERY_S`` seconds, and one at the end unless the last line said it all."""

    EVERY_S = 10.0

    def __init__(self, console: Console, description: str, total: int | None, done: int) -> None:
        self._console, self._description, self._total = console, description, total
        self._done, self._first, self._note = done, done, ""
        self._start = self._last = time.monotonic()
        self._said: int | None = None

    def advance(self, count: int = 1, note: str = "") -> None:
        self._done += count
        self._note = note or self._note
        if time.monotonic() - self._last >= self.EVERY_S:
            self._last = time.monotonic()
            self.line()

    def end(self) -> None:
        if self._said != self._done:
            self.line()

    def line(self) -> None:
        self._said = self._done
        elapsed = time.monotonic() - self._start
        rate = (self._done - self._first) / elapsed if elapsed > 0 else 0.0
        total = "" if self._total is None else f"/{self._total}"
        is_finished = self._done == self._total
        left = f", {duration((self._total - self._done) / rate)} left" if self._total and rate > 0 else ""
        told = f", {duration(elapsed)} in all" if is_finished else left
        note = f"  {self._note}" if self._note else ""
        self._console.print(
            f"{self._description}: {self._done}{total}, {rate:.2f}/s{told}{note}", soft_wrap=True, markup=False
        )


def time_spent() -> str:
    """How long the command has been at work, in words."""
    return duration(time.monotonic() - BEGAN)


def duration(seconds: float) -> str:
    """A duration as a person says it.

    >>> duration(8.34), duration(75), duration(3 * 3600 + 130)
    ('8.3 s', '1 min 15 s', '3 h 2 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


class Terminal:
    """Shows progress on standard error, so that standard output stays data."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, quiet=QUIET.get(), highlight=False)

    def say(self, text: str) -> None:
        """See :class:`Progress`."""
        self._console.print(text, soft_wrap=True, markup=False)

    @contextlib.contextmanager
    def task(self, description: str, total: int | None, done: int = 0) -> Iterator[Task]:
        """See :class:`Progress`."""
        if self._console.is_terminal:
            with self._live(description, total, done) as task:
                yield task
            return
        plain = _PlainTask(self._console, description, total, done)
        try:
            yield plain
        finally:
            plain.end()

    @contextlib.contextmanager
    def _live(self, description: str, total: int | None, done: int) -> Iterator[Task]:
        from rich import progress as bars

        columns = (
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TextColumn("{task.fields[rate]}"),
            bars.TimeRemainingColumn(),
            bars.TextColumn("{task.fields[note]}", markup=False),
        )
        with bars.Progress(*columns, console=self._console) as shown:
            number = shown.add_task(description, total=total, completed=done, rate="", note="")
            start = time.monotonic()
            count_done = 0

            class _Live:
                def advance(self, count: int = 1, note: str = "") -> None:
                    nonlocal count_done
                    count_done += count
                    rate = f"{count_done / max(time.monotonic() - start, 1e-6):.2f}/s"
                    shown.update(number, advance=count, rate=rate)
                    if note:
                        shown.update(number, note=note)

            yield _Live()
