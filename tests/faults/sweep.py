"""Sweep over every reader and command with damaged files and odd arguments.

    python -m tests.faults.sweep                                all cases
    python -m tests.faults.sweep --needs files --share 0.1      a sample, without networks and renderer
    python -m tests.faults.sweep --only "scenes export" --world /tmp/world

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
import functools
import os
import random
import shutil
import signal
import stat
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from caos.cli import _run as run_command
from caos.foundation.errors import CaosError
from caos.foundation.storage.cache import cache_root
from tests.faults import little_world
from tests.faults.commands import COMMANDS, Command, Needs
from tests.faults.mutations import Mutation, mutations_of
from tests.faults.readers import ReaderCall, ReaderWatch, made_files, opened_files

OUTCOMES = ("clear", "accepted", "traceback", "hang", "wrong")
BAD = OUTCOMES[2:]
PATIENCE_S = 60
LASTING_S = 30
"""When a command that works until it is told to end is told."""
MEMORY_BYTES = 12 << 30
WHOLE = ("results.json", "dataset.json", "run.json", "study.json", "index.html")
"""Files that say that the others beside them are whole."""
ENDLESS = "endless"
"""A link to a device in the folder where the cases run: what is written onto it must not replace it."""
ODD_WORDS = (
    "", "nan", "inf", "-1", "0", "1e30", str(2**70), "²", "x" * 300, "../..", ENDLESS, "\ud800", "[red]", "1,,2",
)  # fmt: skip


class _OutOfTimeError(BaseException):
    """Nobody answered; not an ``Exception``, so that no reader takes it for a damaged file."""


@dataclass
class Tally:
    """How cases ended."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    say: Callable[[str], object] = print

    def add(self, group: str, case: str, outcome: str, told: str) -> None:
        """Count a case; a bad one is told at once, with what it said."""
        self.counts[group, outcome] += 1
        if outcome in BAD:
            self.found.append(f"{outcome}: {group}: {case}: {told[-600:]}")
            self.say(self.found[-1].encode(errors="backslashreplace").decode())

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
def _in_time(seconds: int, error: type[BaseException] = _OutOfTimeError) -> Iterator[None]:
    def end(*_: object) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _time_for(command: Command) -> contextlib.AbstractContextManager[None]:
    return _in_time(LASTING_S, KeyboardInterrupt) if command.lasts else _in_time(PATIENCE_S)


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

    def __init__(
        self,
        root: Path,
        needs: Sequence[Needs] = ("files",),
        *,
        only: str = "",
        seed: int = 0,
        say: Callable[[str], object] = print,
    ) -> None:
        self.root, self.tally, self._rng = root, Tally(say=say), random.Random(seed)
        self._commands = [one for one in COMMANDS if one.needs in needs and one.name.startswith(only)]
        self._number = 0

    def baseline(self) -> list[ReaderCall]:
        """Run every command on whole files; the readers they called.

        Raises:
            AssertionError: If one fails.
        """
        watch = ReaderWatch(self.root)
        for command in self._commands:
            words = self._words(command)
            with watch.watching(), _time_for(command) if command.lasts else contextlib.nullcontext():
                code, said = little_world.quietly(lambda words=words: run_command(words))  # type: ignore[misc]
            if code and not (1 in command.refusals and code == 1):
                raise AssertionError(f"caos {' '.join(words)}: {said}")
            _remove_output(words)
        return watch.calls

    def over_readers(self, calls: Sequence[ReaderCall], most_fields: int, most_files: int) -> None:
        """Every reader with every kind of file it opens, in every way damaged."""
        for call in calls:
            for path in one_of_each(call.files)[:most_files]:
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
            kinds = one_of_each(self._inputs(command))
            for path in self._rng.sample(kinds, min(most_files, len(kinds))):
                for mutation in mutations_of(path, self._rng, most_fields):
                    if self._rng.random() > share * command.share:
                        continue
                    words = self._words(command)
                    with damaged(path, mutation), opened_files(self.root) as opened, made_files() as made:
                        outcome, told = self.command(words, command)
                    if outcome == "accepted" and mutation.destroys and path in opened:
                        outcome, told = "wrong", "accepted"
                    if outside := self._outside(made):
                        outcome, told = "wrong", f"wrote {', '.join(map(str, outside))}"
                    self.tally.add(command.name, f"{path.relative_to(self.root)} {mutation.name}", outcome, told)

    def _outside(self, made: set[Path]) -> list[Path]:
        """What a command made that is neither its output nor in a folder for such things."""
        own = [str(self.root.parent / f"out-{self._number}"), str(self.root.parent / f".out-{self._number}")]
        devices = ["/dev/null", "/dev/shm/", "/proc/", "/sys/"]
        usual = [str(cache_root()), f"{tempfile.gettempdir()}/tmp", str(Path.home() / "."), *devices]
        strange = {path for path in made if not str(path).startswith((*own, *usual)) and path.suffix != ".pyc"}
        # a temporary file without a name is opened by the name of its folder
        return sorted(strange - {self.root.parent, Path(tempfile.gettempdir())})

    def over_arguments(self, share: float = 1.0) -> None:
        """Every command with each of its words, and each of its options, odd."""
        for command in self._commands:
            for words in self._odd_calls(command):
                if self._rng.random() <= share * command.share:
                    outcome, told = self.command(words, command)
                    self.tally.add(f"{command.name}, arguments", " ".join(words), outcome, told)

    def command(self, words: list[str], command: Command) -> tuple[str, str]:
        """How one call of the command line ends."""
        said = ""
        try:
            with _time_for(command):
                code, said = little_world.quietly(lambda: run_command(words))
        except _OutOfTimeError:
            return "hang", said
        except BaseException:  # noqa: BLE001 - any other is what is looked for
            return "traceback", traceback.format_exc()
        out = _output(words)
        left = out is not None and code == 2 and any((out / name).exists() for name in WHOLE)
        _remove_output(words)
        if left:
            return "wrong", f"left a result: {said}"
        if not Path(ENDLESS).is_char_device():
            return "wrong", f"replaced a device: {said}"
        if code == 2 and not _one_line(said):
            return "wrong", f"not one line: {said}"
        if code == 0:
            return "accepted", said
        return ("clear", said) if code in command.refusals else ("wrong", f"{code}: {said}")

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


def _output(words: list[str]) -> Path | None:
    """Where a call puts what it makes."""
    return next((Path(word) for word in words if "out-" in word), None)


def _remove_output(words: list[str]) -> None:
    if (out := _output(words)) is not None:
        shutil.rmtree(out, ignore_errors=True)
        if not out.is_dir():
            out.unlink(missing_ok=True)


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


def one_of_each(files: set[Path]) -> list[Path]:
    """Of each kind of file (its name, or its suffix where names are numbers) the first."""
    kinds: dict[str, Path] = {}
    for path in sorted(files):
        if path.is_file():
            name = path.suffix if path.stem.isdigit() else path.name
            kinds.setdefault(f"{path.parent.parent.parent.name} {name}" if path.stem.isdigit() else name, path)
    return list(kinds.values())


def limit_memory() -> None:
    """Let what takes too much memory fail here, and not the machine."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, hard))


def make_world(root: Path, needs: Sequence[Needs]) -> None:
    """The world at ``root`` with what commands of these costs read."""
    quiet: little_world.Runner = lambda words: little_world.quietly(lambda: run_command(words))[0]  # noqa: E731
    little_world.make_world(root, quiet)
    little_world.write_others(root)
    if set(needs) != {"files"}:
        little_world.write_drive(root, quiet)
    if "network" in needs or "renderer" in needs:
        little_world.write_networks(root, quiet)


def _endless_device(folder: Path) -> Path:
    """A device like ``/dev/zero``; one of our own for whoever could destroy the machine's."""
    if os.geteuid() != 0:
        return Path("/dev/zero")
    device = folder / "zero"
    os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    return device


def sweep(made: Sweep, share: float, say: Callable[[str], object]) -> Tally:
    """So large a share of the cases."""
    calls = made.baseline()
    say(f"{len(calls)} readers: {', '.join(sorted({call.name for call in calls}))}")
    made.over_arguments(0.5 * share)
    say(f"arguments: {made.tally.total} cases")
    made.over_readers(calls, most_fields=max(1, round(60 * share)), most_files=max(1, round(40 * share)))
    say(f"and readers: {made.tally.total} cases")
    made.over_commands(12, 6, 0.5 * share)
    return made.tally


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.sweep")
    parser.add_argument("--needs", default="files,drive,network,renderer", help="commands of these costs")
    parser.add_argument("--only", default="", help="commands whose name begins so")
    parser.add_argument("--share", type=float, default=1.0, help="of the cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--world", type=Path, help="a world to keep, and to use again")
    return parser.parse_args()


def main() -> int:
    """Print the table; 0 if no case ended badly."""
    given = _given()
    limit_memory()
    os.environ["COLUMNS"] = "200"
    say = functools.partial(print, file=sys.__stdout__, flush=True)  # cases look at what is written to the other
    with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
        world = (given.world or Path(folder) / "world").resolve()
        inside = Path(folder) / "one" / "two"  # odd words make odd folders, and lead out of this one
        inside.mkdir(parents=True)
        os.chdir(inside)
        Path(ENDLESS).symlink_to(_endless_device(Path(folder)))
        needs = given.needs.split(",")
        if not world.exists():
            make_world(world, needs)
        tally = sweep(Sweep(world, needs, only=given.only, seed=given.seed, say=say), given.share, say)
    sys.stdout.write(f"{tally.table()}\n{tally.total} cases\n")
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
