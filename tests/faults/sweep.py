"""Sweep over every reader and command with damaged files and odd arguments.

    python -m tests.faults.sweep              all cases, with networks
    python -m tests.faults.sweep --short      a sample, without networks

Readers are found by watching the commands (see :mod:`tests.faults.readers`), commands and their options by asking the
command line: what is added to either is covered without an edit. Each case ends in one of five ways:

    clear      one line that says what is wrong
    accepted   the work was done
    traceback  an error that nobody foresaw
    hang       no answer in time
    wrong      something destroyed was accepted, or a refusal in more than a line, or half a result was left
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from caos.cli import COMMANDS as COMMAND_TABLE
from caos.cli import _run as run_command
from caos.foundation.errors import CaosError
from tests.faults import little_world
from tests.faults.little_world import Command
from tests.faults.mutations import Mutation, mutations_of
from tests.faults.readers import ReaderCall, ReaderWatch, opened_files

OUTCOMES = ("clear", "accepted", "traceback", "hang", "wrong")
BAD = OUTCOMES[2:]
PATIENCE_S = 60
MEMORY_BYTES = 12 << 30
WHOLE = ("results.json", "dataset.json", "run.json", "study.json", "index.html")
"""Files that say that the others beside them are whole."""
ODD_WORDS = (
    "", "nan", "inf", "-1", "0", "1e30", str(2**70), "²", "x" * 300, "../..", "/dev/zero", "\ud800", "[red]", "1,,2",
)  # fmt: skip


class _OutOfTimeError(BaseException):
    """Nobody answered; not an ``Exception``, so that no reader takes it for a damaged file."""


@dataclass
class Tally:
    """How cases ended."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)

    def add(self, group: str, case: str, outcome: str, told: str) -> None:
        """Count a case; a bad one is kept with what it said."""
        self.counts[group, outcome] += 1
        if outcome in BAD:
            self.found.append(f"{outcome}: {group}: {case}: {told[-600:]}")

    def number(self, outcome: str) -> int:
        """Cases that ended so."""
        return sum(count for (_, how), count in self.counts.items() if how == outcome)

    @property
    def total(self) -> int:
        """All cases."""
        return sum(self.counts.values())

    def table(self) -> str:
        """One line a group, and their sum."""
        groups = sorted({group for group, _ in self.counts})
        rows = [(group, [self.counts[group, how] for how in OUTCOMES]) for group in groups]
        rows.append(("all", [self.number(how) for how in OUTCOMES]))
        wide = max(len(group) for group, _ in rows)
        head = f"{'':<{wide}}" + "".join(f"{how:>11}" for how in OUTCOMES)
        return "\n".join([head, *(f"{group:<{wide}}" + "".join(f"{n:>11}" for n in row) for group, row in rows)])


@contextlib.contextmanager
def _in_time(seconds: int) -> Iterator[None]:
    def end(*_: object) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _one_line(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.startswith("error: ")]
    return len(lines) == 1 and "Traceback" not in text


@contextlib.contextmanager
def damaged(path: Path, mutation: Mutation) -> Iterator[None]:
    """The file changed; it is put back afterwards."""
    kept = path.read_bytes()
    try:
        mutation.apply(path)
        yield
    finally:
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
        else:
            path.rmdir()
        path.write_bytes(kept)


class Sweep:
    """The cases over one little world."""

    def __init__(self, root: Path, seed: int = 0, *, heavy: bool = True) -> None:
        self.root, self.tally, self._rng = root, Tally(), random.Random(seed)
        self._commands = [command for command in little_world.COMMANDS if heavy or not command.is_heavy]
        self._number = 0

    def baseline(self) -> list[ReaderCall]:
        """Run every command on whole files; the readers they called.

        Raises:
            AssertionError: If one fails.
        """
        watch = ReaderWatch(self.root)
        for command in self._commands:
            words = self._words(command)
            with watch.watching():
                code, said = little_world.quietly(lambda words=words: run_command(words))  # type: ignore[misc]
            if code and not (1 in command.refusals and code == 1):
                raise AssertionError(f"caos {' '.join(words)}: {said}")
        return watch.calls

    def over_readers(self, calls: Sequence[ReaderCall], most_fields: int, most_files: int) -> None:
        """Every reader with every kind of file it opens, in every way damaged."""
        for call in calls:
            for path in _one_of_each(call.files, most_files):
                for mutation in mutations_of(path, self._rng, most_fields):
                    with damaged(path, mutation):
                        outcome, told = self._read(call, path, mutation)
                    self.tally.add(
                        "readers", f"{call.name} {path.relative_to(self.root)} {mutation.name}", outcome, told
                    )

    def _read(self, call: ReaderCall, path: Path, mutation: Mutation) -> tuple[str, str]:
        try:
            with opened_files(self.root) as opened, _in_time(PATIENCE_S):
                call.function(**call.arguments)
        except CaosError as error:
            return ("clear", "") if "\n" not in str(error) else ("wrong", f"more than a line: {error}")
        except _OutOfTimeError:
            return "hang", ""
        except Exception:  # noqa: BLE001 - any other is what is looked for
            return "traceback", traceback.format_exc()
        # Those of the foundation read any value; what it has to be is said by whoever calls them.
        is_wrong = mutation.destroys and path in opened and not call.name.startswith("foundation.")
        return ("wrong", "accepted") if is_wrong else ("accepted", "")

    def over_commands(self, most_files: int, most_fields: int, share: float = 1.0) -> None:
        """Every command with every kind of file below what it is given, in every way damaged."""
        for command in self._commands:
            for path in _one_of_each(self._inputs(command), most_files):
                for mutation in mutations_of(path, self._rng, most_fields):
                    if self._rng.random() > share:
                        continue
                    with damaged(path, mutation), opened_files(self.root) as opened:
                        outcome, told = self.command(self._words(command), command.refusals)
                    if outcome == "accepted" and mutation.destroys and path in opened:
                        outcome, told = "wrong", "accepted"
                    self.tally.add(command.name, f"{path.relative_to(self.root)} {mutation.name}", outcome, told)

    def over_arguments(self, share: float = 1.0) -> None:
        """Every command with each of its words, and each of its options, odd."""
        for command in self._commands:
            for words in self._odd_calls(command):
                if self._rng.random() <= share:
                    outcome, told = self.command(words, command.refusals)
                    self.tally.add(f"{command.name}, arguments", " ".join(words), outcome, told)

    def command(self, words: list[str], refusals: Sequence[int] = (2,)) -> tuple[str, str]:
        """How one call of the command line ends."""
        said = ""
        try:
            with _in_time(PATIENCE_S):
                code, said = little_world.quietly(lambda: run_command(words))
        except _OutOfTimeError:
            return "hang", said
        except BaseException:  # noqa: BLE001 - any other is what is looked for
            return "traceback", traceback.format_exc()
        out = next((Path(word) for word in words if "out-" in word), None)
        left = out is not None and code == 2 and any((out / name).exists() for name in WHOLE)
        if out is not None:
            shutil.rmtree(out, ignore_errors=True)
            out.unlink(missing_ok=True)
        if left:
            return "wrong", f"left a result: {said}"
        if code == 2 and not _one_line(said):
            return "wrong", f"not one line: {said}"
        return (
            ("accepted", said) if code == 0 else ("clear", said) if code in refusals else ("wrong", f"{code}: {said}")
        )

    def _words(self, command: Command) -> list[str]:
        self._number += 1
        out = str(self.root.parent / f"out-{self._number}")
        words = [word.replace("{out}", out) for word in command.words]
        return [str(self.root / word) if (self.root / word).exists() else word for word in words]

    def _inputs(self, command: Command) -> set[Path]:
        places = [self.root / word for word in command.words if (self.root / word).exists()]
        files = {path for place in places for path in ([place] if place.is_file() else place.rglob("*"))}
        return {path for path in files if path.is_file()}

    def _odd_calls(self, command: Command) -> Iterator[list[str]]:
        words = self._words(command)
        fixed = len(command.name.split())
        for place in range(fixed, len(words)):
            if not words[place].startswith("--"):
                for odd in ODD_WORDS:
                    yield [*words[:place], odd, *words[place + 1 :]]
        for option in _options(command):
            for odd in ODD_WORDS:
                yield [*self._words(command), option, odd]


def _options(command: Command) -> list[str]:
    """The options of a command that take a value, as its help lists them."""
    found: Any = typer.main.get_command(_app())
    context = found.make_context("caos", list(command.words), resilient_parsing=True)
    for word in command.name.split():
        _, found, _ = found.resolve_command(context, [word])
    heavy = ("--ray", "--workers", "--simulator", "--seeds", "--epochs", "--scorers", "--device")
    named = [parameter.opts[0] for parameter in found.params if parameter.opts[0].startswith("--")]
    flags = [parameter.opts[0] for parameter in found.params if getattr(parameter, "is_flag", False)]
    return [name for name in named if name not in flags and name not in heavy and name != "--out"]


def _app() -> Any:
    from caos.cli import app

    return app


def _one_of_each(files: set[Path], most: int) -> list[Path]:
    """Of each kind of file (its name, or its suffix where names are numbers) the first, and at most so many kinds."""
    kinds: dict[str, Path] = {}
    for path in sorted(files):
        if path.is_file():
            name = path.suffix if path.stem.isdigit() else path.name
            kinds.setdefault(f"{path.parent.parent.parent.name} {name}" if path.stem.isdigit() else name, path)
    return list(kinds.values())[:most]


def not_covered() -> set[str]:
    """Commands of the table that the little world has no call of, and that are neither servers nor the machine's."""
    elsewhere = {"demo", "serve", "doctor", "export"}
    return set(COMMAND_TABLE) - {command.words[0] for command in little_world.COMMANDS} - elsewhere


def limit_memory() -> None:
    """Let what takes too much memory fail here, and not the machine."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, hard))


def sweep(root: Path, *, short: bool, say: Callable[[str], object] = print) -> Tally:
    """All cases, or a sample of them, over a world made at ``root``."""
    quiet: Callable[[list[str]], int] = lambda words: little_world.quietly(lambda: run_command(words))[0]  # noqa: E731
    little_world.make_world(root, quiet)
    if not short:
        little_world.write_run(root)
    made = Sweep(root, heavy=not short)
    calls = made.baseline()
    say(f"{len(calls)} readers: {', '.join(sorted({call.name for call in calls}))}")
    made.over_readers(calls, most_fields=12 if short else 60, most_files=6 if short else 40)
    say(f"readers: {made.tally.total} cases")
    made.over_commands(3 if short else 12, 2 if short else 6, 0.1 if short else 0.5)
    made.over_arguments(0.05 if short else 0.5)
    return made.tally


def main() -> int:
    """Print the table; 0 if no case ended badly."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.sweep")
    parser.add_argument("--short", action="store_true")
    limit_memory()
    os.environ["COLUMNS"] = "200"
    with tempfile.TemporaryDirectory() as folder:
        tally = sweep(Path(folder).resolve() / "world", short=parser.parse_args().short)
    for line in tally.found:
        sys.stdout.write(f"{line.encode(errors='backslashreplace').decode()}\n\n")
    sys.stdout.write(f"{tally.table()}\n{tally.total} cases\n")
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
