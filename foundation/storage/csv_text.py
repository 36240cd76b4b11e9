"""CSV text whose cells are data: a spreadsheet that opens it runs none of them as a formula.

Names of scorers, sets and classes come from files and command lines of others. Spreadsheets run a cell that begins with
``=``, ``+``, ``-`` or ``@`` as a formula, even where the cell is quoted; OWASP ("CSV Injection") advises a single quote
before it. Numbers, negative ones too, are written as they are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

FORMULA_STARTS: Final = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""First characters of formulas: ASCII, the full-width forms of the same, and white space that hides them."""
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)")


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """The rows as CSV, one line each; None is an empty cell, and text that would be a formula begins with a quote."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([harmless_cell(cell) for cell in row] for row in rows)
    return stream.getvalue()


def harmless_cell(cell: Any) -> Any:
    """The cell, with a single quote before text that a spreadsheet would run.

    >>> [harmless_cell(cell) for cell in ("=1+1", "-@SUM(1)", "-0.25", -0.25, "knn")]
    ["'=1+1", "'-@SUM(1)", '-0.25', -0.25, 'knn']
    """
    if cell is None or isinstance(cell, int | float):
        return cell
    text = (
        str(cell).replace("\r\n", "\n").replace("\r", "\n")
    )  # csv does not quote a lone \\r, which readers end rows at
    is_formula = text.lstrip(" ")[:1] in FORMULA_STARTS and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text
