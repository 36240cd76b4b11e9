"""Tables of a study: rows of typed cells, as Markdown for people and CSV for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from caos.foundation.errors import CaosError
from caos.foundation.storage.csv_text import csv_text
from caos.studies.presentation.names import scorer_title

Unit = Literal["text", "number", "percent"]
Better = Literal["higher", "lower", "neither"]
Where = Literal["markdown", "csv", "page"]
EVERYWHERE: Final[tuple[Where, ...]] = ("markdown", "csv", "page")
ARROWS: Final[Mapping[Better, str]] = {"higher": " ↑", "lower": " ↓", "neither": ""}


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


Cell = str | int | float | Estimate | None


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    Attributes:
        key: Its name in CSV.
        title: Its name for people.
        unit: ``percent`` for fractions of one that are printed times 100.
        digits: Digits after the point.
        better: Which values are better.
    """

    key: str
    title: str
    unit: Unit = "text"
    digits: int = 1
    better: Better = "neither"

    def text(self, cell: Cell) -> str:
        """A cell as a person reads it.

        >>> TableColumn("auroc", "AUROC", "percent").text(Estimate(0.9, 0.85, 0.931))
        '90.0 [85.0, 93.1]'
        """
        if cell is None:
            return "–"
        if isinstance(cell, Estimate):
            value, low, high = (self._number(part) for part in (cell.value, cell.low, cell.high))
            return f"{value} [{low}, {high}]"
        return str(self.shown(cell)).replace("|", "\\|") if isinstance(cell, str) else self._number(cell)

    def shown(self, cell: Cell) -> Cell:
        """What a person is shown in place of a name for programs: the title of a scorer."""
        return scorer_title(cell) if self.key == "scorer" and isinstance(cell, str) else cell

    def _number(self, value: float) -> str:
        if isinstance(value, int) and self.unit != "percent":
            return str(value)
        text = f"{100 * value if self.unit == 'percent' else value:.{self.digits}f}"
        return text if float(text) else text.removeprefix("-")


@dataclass(frozen=True)
class StudyTable:
    """A table of a study.

    Attributes:
        name: Of its CSV file; that of the study's first table is ``table``.
        title: Its heading.
        note: What to know to read it.
        columns: Its columns.
        rows: Cells in the order of the columns.
        shown_in: Where it appears: long tables are for programs, wide ones for people.
    """

    name: str
    title: str
    note: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    shown_in: tuple[Where, ...] = EVERYWHERE

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise CaosError(f"table {self.name!r}: a row has {len(row)} cells for {len(self.columns)} columns")

    def markdown(self) -> str:
        """Heading, note and table."""
        titles = [column.title + ARROWS[column.better] for column in self.columns]
        sides = ["---" if column.unit == "text" else "---:" for column in self.columns]
        body = [[column.text(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]
        lines = [f"| {' | '.join(cells)} |" for cells in (titles, sides, *body)]
        note = [self.note, ""] if self.note else []
        return "\n".join([f"## {self.title}", "", *note, *lines]) + "\n"

    def csv(self) -> str:
        """One line a row; an estimate takes three columns: ``key``, ``key_low``, ``key_high``."""
        split = [any(isinstance(row[i], Estimate) for row in self.rows) for i in range(len(self.columns))]
        heads = [name for c, wide in zip(self.columns, split, strict=True) for name in _names(c.key, wide=wide)]
        rows = (
            [v for cell, wide in zip(row, split, strict=True) for v in _values(cell, wide=wide)] for row in self.rows
        )
        return csv_text([heads, *rows])


def _names(key: str, *, wide: bool) -> list[str]:
    return [key, f"{key}_low", f"{key}_high"] if wide else [key]


def _values(cell: Cell, *, wide: bool) -> Sequence[Any]:
    if isinstance(cell, Estimate):
        return [f"{value:.8g}" for value in (cell.value, cell.low, cell.high)]
    value = "" if cell is None else f"{cell:.8g}" if isinstance(cell, float) else cell
    return [value, "", ""] if wide else [value]
