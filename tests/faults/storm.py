"""Faults, counted: work that is killed, starved, crowded and lied to, and what is left of it.

    python -m tests.faults.storm                     make faults: at most twenty minutes
    python -m tests.faults.storm --minutes 2 --only kills --kills 10
    python -m tests.faults.storm --minutes 5 --only server --messages 100000

Work is done in child processes on a little world. After each fault the same command is given again, and what it leaves
is compared, byte by byte, with what undisturbed work leaves. The table says how often that was tried, how often the
command went on (or refused in one line, where going on is impossible), and how often nothing was lost.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from caos.cli import _run as run_command
from caos.foundation.execution.children import module_command
from caos.simulator.embedded.launch import serve
from tests.faults import little_world, server_storm
from tests.faults.changes import BUNDLE, CHANGES, CONVERT, FILTER, LOOK, RUN, SHIFT, TRAIN, Change, Changes
from tests.faults.contents import contents
from tests.simulator.server.street import STREET

MINUTES = 20.0
KILLS = 100
KILLS_IN_A_ROW = 5
"""Of one piece of work, before it is let end."""
MESSAGES = 1_000_000
IDLE_CONNECTIONS = 500
IDLE_CROWDS = 3


@dataclass(frozen=True)
class Work:
    """A command that is disturbed: its words, with ``{out}`` for its folder, and the files that say what it made."""

    name: str
    words: tuple[str, ...]
    made: tuple[str, ...]
    refuses_again: bool = False
    """Whether it refuses to begin where its work is done."""


def _work(name: str, words: str, *made: str, refuses_again: bool = False) -> Work:
    return Work(name, tuple(words.split()), made, refuses_again)


WORKS = (
    _work("scoring", "score set --maps maps --out {out}", "results.csv", "images.jsonl", "groups.npz"),
    _work("conversion", CONVERT, "*.png", "*.odgt", "manifest.jsonl"),
    _work("export", "scenes export set --format coco-panoptic --out {out}", "*.png", "panoptic*.json"),
    _work("generation", "scenes generate little.toml --out {out} --quality draft --workers 1", "*.png", "*.odgt"),
    _work("training", TRAIN, "model.safetensors"),
    _work("pages", "report results --out {out}", "*.webp", "*.html", "*.js"),
    _work("study", "study transfer --results results --results others --out {out}", "table.md"),
)
RUN_WORKS = (
    _work("scoring of a run", RUN, "results.csv", "images.jsonl"),
    _work("looking", LOOK, "*.png", "look.json", "index.html"),
    _work("filtering", FILTER, "*.png", "*.odgt", "manifest.jsonl"),
    _work("shifting", SHIFT, "*.png", "*.odgt"),
    _work("bundling", BUNDLE, "*.json", "*.md", "*.safetensors", refuses_again=True),
)
"""Work with a network or a renderer, on a world with a run and a drive."""


@dataclass
class Row:
    """A line of the table."""

    fault: str
    tried: int = 0
    survived: int = 0
    nothing_lost: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, survived: bool, kept: bool, note: str = "") -> None:
        """Count one try."""
        self.tried += 1
        self.survived += survived
        self.nothing_lost += kept
        if note and not (survived and kept):
            self.notes.append(f"{self.fault}: {note[-400:]}")

    @property
    def is_whole(self) -> bool:
        """Whether it was tried, and every try went well."""
        return 0 < self.tried == self.survived == self.nothing_lost


def table(rows: list[Row]) -> str:
    """The table."""
    wide = max(len(row.fault) for row in rows)
    head = f"{'fault':<{wide}}{'tried':>10}{'survived':>10}{'nothing lost':>14}"
    return "\n".join([head, *(f"{r.fault:<{wide}}{r.tried:>10}{r.survived:>10}{r.nothing_lost:>14}" for r in rows)])


class Storm:
    """Faults over a world; ``until`` is when no new one is begun."""

    def __init__(self, world: Path, until: float, seed: int = 0) -> None:
        self.world, self.until, self._rng = world, until, random.Random(seed)
        self._whole: dict[str, str] = {}
        self._seconds: dict[str, float] = {}
        self._number = 0

    def has_time(self) -> bool:
        """Whether another fault may be tried."""
        return time.monotonic() < self.until

    def start(self, work: Work, out: Path) -> subprocess.Popen[str]:
        """The command as a child process, with a group of its own as a terminal gives it."""
        words = [word.replace("{out}", str(out)) for word in work.words]
        words = [str(self.world / word) if (self.world / word).exists() else word for word in words]
        command = module_command("caos", *words)
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def out(self) -> Path:
        """A folder that is not there yet."""
        self._number += 1
        return self.world.parent / f"made-{self._number}"

    def whole(self, work: Work) -> str:
        """What undisturbed work leaves, as a hash; and how long it takes is noted."""
        if work.name not in self._whole:
            out, begun = self.out(), time.monotonic()
            child = self.start(work, out)
            said = child.communicate()[1]
            if child.returncode:
                raise AssertionError(f"{work.name} fails undisturbed: {said}")
            self._seconds[work.name] = time.monotonic() - begun
            self._whole[work.name] = contents(out, work.made)
            shutil.rmtree(out)
        return self._whole[work.name]

    def interrupted(self, row: Row, work: Work, number: signal.Signals) -> None:
        """Stop a command at a random moment, give it again, and compare."""
        wanted, out = self.whole(work), self.out()
        child = self.start(work, out)
        time.sleep(self._rng.uniform(0.0, self._seconds[work.name]))
        if number == signal.SIGINT:
            os.killpg(child.pid, number)  # a terminal sends it to the children, too
        else:
            child.send_signal(number)
        first = child.communicate()[1]
        self._again(row, work, out, wanted, first)

    def killed(self, row: Row, work: Work) -> None:
        """Kill a command at a random moment, and again each time it goes on; then let it end, and compare."""
        wanted, out = self.whole(work), self.out()
        kills, broken = 0, ""
        for _ in range(KILLS_IN_A_ROW):
            child = self.start(work, out)
            time.sleep(self._rng.uniform(0.0, self._seconds[work.name]))
            child.kill()
            said = child.communicate()[1]
            kills += child.returncode == -signal.SIGKILL
            expected = (0, -signal.SIGKILL, *([2] if work.refuses_again else []))
            broken = broken or ("" if child.returncode in expected else f"did not go on: {said}")
        self._again(row, work, out, wanted, broken, kills)

    def child_killed(self, row: Row, work: Work) -> None:
        """Kill the simulator that a command works with; it starts another and goes on by itself."""
        wanted, out = self.whole(work), self.out()
        child = self.start(work, out)
        time.sleep(self._rng.uniform(0.3, 0.9) * self._seconds[work.name])
        with contextlib.suppress(psutil.Error):
            for process in psutil.Process(child.pid).children(recursive=True):
                if "caos.simulator.embedded" in process.cmdline():
                    process.kill()
        self._again(row, work, out, wanted, child.communicate()[1])

    def _again(self, row: Row, work: Work, out: Path, wanted: str, first: str, faults: int = 1) -> None:
        """Give the command again after so many faults, and compare; ``first`` is what was said before."""
        child = self.start(work, out)
        said = child.communicate()[1]
        clean = "Traceback" not in first + said and "did not go on" not in first
        same = contents(out, work.made) == wanted
        went_on = child.returncode == 0 or (work.refuses_again and child.returncode == 2 and same)
        for _ in range(faults):
            row.add(went_on and clean, same, f"{work.name}: {first}{said}")
        shutil.rmtree(out, ignore_errors=True)

    def full_disk(self, row: Row, work: Work) -> None:
        """Let no file grow beyond a size, then give the command again without that."""
        wanted, out, most_bytes = self.whole(work), self.out(), self._rng.choice([1, 500, 5000])
        child = self.start(work, out)
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))  # long before it writes
        said = child.communicate()[1]
        refused = child.returncode == 0 or (child.returncode == 2 and "error: " in said)
        self._again(row, work, out, wanted, "" if refused else f"Traceback? {said}")

    def nowhere(self, row: Row, work: Work) -> None:
        """A place where nothing can be written."""
        child = self.start(work, Path("/proc/caos"))
        said = child.communicate()[1]
        row.add(child.returncode == 2 and said.count("error: ") == 1 and "Traceback" not in said, True, said)

    def vanished(self, row: Row, work: Work) -> None:
        """What the command reads goes away while it works, and comes back."""
        wanted, out = self.whole(work), self.out()
        source = self.world / next(word for word in work.words if (self.world / word).is_dir())
        child = self.start(work, out)
        time.sleep(self._rng.uniform(0.2, 0.9) * self._seconds[work.name])
        away = source.with_name("away")
        source.rename(away)
        try:
            said = child.communicate()[1]
        finally:
            away.rename(source)
        refused = child.returncode == 0 or (child.returncode == 2 and "Traceback" not in said)
        self._again(row, work, out, wanted, "" if refused else f"Traceback? {said}")

    def changed(self, row: Row, change: Change) -> None:
        """Change an input between two identical commands, its size and time kept."""
        wrong = Changes(self.world).wrong(change)
        row.add(not wrong, not wrong, f"{change.name}: {wrong}")

    def two_at_once(self, row: Row, work: Work) -> None:
        """Two processes on one folder: one does the work, the other refuses or finds it done."""
        wanted, out = self.whole(work), self.out()
        children = [self.start(work, out) for _ in range(2)]
        said = "".join(child.communicate()[1] for child in children)
        codes = sorted(int(child.returncode) for child in children)
        fine = codes in ([0, 0], [0, 2]) and "Traceback" not in said
        row.add(fine, contents(out, work.made) == wanted, f"{work.name} {codes}: {said}")
        shutil.rmtree(out, ignore_errors=True)


Fault = tuple[str, float, int, Sequence[Any], Callable[[Row, Any], None]]
"""Its name, its share of the time, how often it is tried, on what, and one try."""


def faults_of(made: Storm, kills: int) -> list[Fault]:
    """The faults of work; kills come last, and have all the time that is left."""
    drawing = tuple(work for work in WORKS if work.name == "generation")
    return [
        ("SIGTERM", 0.1, 14, WORKS, lambda row, work: made.interrupted(row, work, signal.SIGTERM)),
        ("SIGINT", 0.1, 14, WORKS, lambda row, work: made.interrupted(row, work, signal.SIGINT)),
        ("full disk", 0.1, 14, WORKS, made.full_disk),
        ("nowhere to write", 0.03, 7, WORKS, made.nowhere),
        ("input vanishes", 0.06, 9, WORKS[:3], made.vanished),
        ("two processes", 0.06, 7, WORKS, made.two_at_once),
        ("simulator killed", 0.05, 4, drawing, made.child_killed),
        ("changed inputs", 0.2, len(CHANGES), CHANGES, made.changed),
        ("kills", 0.5, kills, WORKS, made.killed),
        ("kills of network work", 1.0, kills, RUN_WORKS, made.killed),
    ]


def storm(world: Path, given: argparse.Namespace, say: Callable[[str], object] = print) -> list[Row]:
    """Every fault, within so many minutes; those of the server beside those of work."""
    end = time.monotonic() + 60 * given.minutes
    with ThreadPoolExecutor(1) as beside:
        server = given.only in (None, "server")
        ahead = beside.submit(server_rows, given.messages, lambda: time.monotonic() < end, say) if server else None
        return [*work_rows(world, end, given, say), *(ahead.result() if ahead else ())]


def work_rows(world: Path, end: float, given: argparse.Namespace, say: Callable[[str], object]) -> list[Row]:
    """Faults of work; what one leaves of its time, the next ones have."""
    made, rows = Storm(world, end, given.seed), list[Row]()
    for fault, share, tries, works, one in faults_of(made, given.kills):
        if given.only in (None, fault):
            rows.append(Row(fault))
            made.until = end if given.only else min(end, time.monotonic() + share * 60 * given.minutes)
            for work in itertools.cycle(works):
                if rows[-1].tried >= tries or not made.has_time():
                    break
                one(rows[-1], work)
            _tell(rows[-1], say)
    return rows


def _tell(row: Row, say: Callable[[str], object]) -> None:
    for line in (table([row]).splitlines()[1], *row.notes):
        say(line)


def server_rows(messages: int, has_time: Callable[[], bool], say: Callable[[str], object]) -> list[Row]:
    """Faults of clients: messages that nobody would send, and connections that say nothing."""
    fuzzed, memory, idle = Row("fuzzed messages"), Row("memory flat"), Row("idle connections")
    with tempfile.TemporaryDirectory() as folder:
        street = Path(folder) / "street.xodr"
        street.write_text(STREET)
        with serve(quality="draft", opendrive=street) as server:
            for _ in range(IDLE_CROWDS):
                went_on, seconds = server_storm.crowd(server, IDLE_CONNECTIONS)
                idle.add(went_on, server.is_running, f"{seconds:.1f} s")
            found = server_storm.fuzz(server, messages, has_time)
    fuzzed.tried, fuzzed.survived, fuzzed.nothing_lost = found.sent, found.answered, found.well
    fuzzed.notes += sorted(found.found)
    flat = found.growth_mb < server_storm.GROWTH_MB
    memory.add(flat, flat, f"grew by {found.growth_mb:.0f} MB")
    for row in (idle, fuzzed, memory):
        _tell(row, say)
    return [idle, fuzzed, memory]


def main() -> int:
    """Print the table; 0 if nothing was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.storm")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="one fault, or: server")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder).resolve() / "world"

        def run(words: list[str]) -> int:
            return little_world.quietly(lambda: run_command(words))[0]

        little_world.make_world(world, run)
        if given.only in (None, "changed inputs", "kills of network work"):
            little_world.write_drive(world, run)
            little_world.write_run_and_findings(world, run)
        rows = storm(world, given, functools.partial(print, flush=True))
    sys.stdout.write(f"{table(rows)}\n")
    return 0 if all(row.is_whole for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
