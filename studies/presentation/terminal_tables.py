"""Study on a terminal: its tables fitted to the width, the best coloured, and at the end what came out and where.

A study keeps its tables as Markdown, which is what a file gets; a terminal gets them drawn from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from caos.foundation.execution.progress import time_spent
from caos.studies.framework.study import Study

BEST: Final = "bold green"
INTERVAL: Final = re.compile(r"(\S+) \[(\S+), (\S+)\]")
NUMBER: Final = re.compile(r"[-+]?\d+(\.\d+)?")


def show_study(study: Study, console: Console | None = None) -> None:
    """Print a finished study: its tables, then its answer, how long it took and where everything is.

    Args:
        study: What to print.
        console: Where to; None for standard output.
    """
    console = console or Console(highlight=False)
    if not console.is_terminal:
        console.file.write(f"{study.markdown()}\nThe page: {study.page}\n")
        return
    for title, notes, lines in sections(study.markdown()):
        console.print()
        console.print(_table(title, lines))
        for note in notes:
            console.print(note, style="dim", markup=False)
    folder = escape(str(study.folder))
    console.print(f"\n[bold]{escape(study.content.title)}[/]")
    console.print(escape(study.content.lead))
    console.print(f"Done after {time_spent()}. The page: [bold]{folder}/index.html[/]", soft_wrap=True)
    console.print(f"All tables: {folder}/table.md; for programs: {folder}/study.json, table.csv.", soft_wrap=True)


def sections(markdown: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Title, notes and cells of each table in the Markdown of a study; its own heading and answer are left out."""
    for part in re.split(r"^## ", markdown, flags=re.MULTILINE)[1:]:
        title, *lines = part.splitlines()
        rows = [_cells(line) for line in lines if line.startswith("|")]
        notes = [line for line in lines if line and not line.startswith("|")]
        yield title, notes, [row for number, row in enumerate(rows) if number != 1]


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _table(title: str, lines: Sequence[Sequence[str]]) -> Table:
    heads, rows = (lines[0], lines[1:]) if lines else ((), ())
    table = Table(title=escape(title), title_justify="left", expand=False)
    for number, head in enumerate(heads):
        table.add_column(escape(head), justify="right" if number else "left", overflow="fold")
    best = [best_of(head, [row[number] for row in rows]) for number, head in enumerate(heads)]
    rows = list(zip(*(aligned(column) for column in zip(*rows, strict=True)), strict=True))
    for row in rows:
        cells = [
            f"[{BEST}]{escape(cell)}[/]" if value is not None and number_in(cell.lstrip()) == value else escape(cell)
            for cell, value in zip(row, best, strict=True)
        ]
        table.add_row(*cells)
    return table


def aligned(cells: Sequence[str]) -> list[str]:
    """A column whose intervals stand under each other.

    >>> aligned(["14.3 [8.5, 20.5]", "5.0 [3.1, 7.3]", "–"])
    ['14.3 [8.5, 20.5]', '5.0 [3.1,  7.3]', '–']
    """
    parts = [INTERVAL.fullmatch(cell) for cell in cells]
    found = [part.groups() for part in parts if part]
    low, high = (max((len(one[place]) for one in found), default=0) for place in (1, 2))
    return [
        cell if part is None else f"{part[1]} [{part[2]:>{low}}, {part[3]:>{high}}]"
        for cell, part in zip(cells, parts, strict=True)
    ]


def best_of(head: str, cells: Sequence[str]) -> float | None:
    """The best number of a column whose head says which way is better; None where it says nothing.

    >>> best_of("FPR95 ↓", ["30.1 [28.0, 33.0]", "12.5", "–"])
    12.5
    """
    numbers = [value for cell in cells if (value := number_in(cell)) is not None]
    if not numbers or not head.endswith(("↑", "↓")):
        return None
    return max(numbers) if head.endswith("↑") else min(numbers)


def number_in(cell: str) -> float | None:
    """The number that a cell begins with."""
    found = NUMBER.match(cell)
    return None if found is None else float(found.group())
