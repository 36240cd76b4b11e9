"""CSV text: what a spreadsheet would run is text, and numbers stay as they are."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from caos.foundation.storage.csv_text import csv_text, harmless_cell
from caos.segmentation.training.report import curves_text
from caos.studies.presentation.tables import Estimate, StudyTable, TableColumn

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd|' /C calc'!A0", "-@SUM(1)", "@SUM(1+1)", "\t=1", "\n=1", "  =1", "＝1", "-2+3", "-", "+1_0"],
)
def test_text_that_a_spreadsheet_would_run_begins_with_a_quote(text: str) -> None:
    assert harmless_cell(text) == f"'{text}"
    assert next(csv.reader(io.StringIO(csv_text([[text]]), newline="")))[0] == f"'{text}"


def test_a_carriage_return_neither_hides_a_formula_nor_ends_a_row() -> None:
    text = csv_text([["\r=1", "a\rb"], ["\r\n@x", "c"]])
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["'\n=1", "a\nb"], ["'\n@x", "c"]]


@pytest.mark.parametrize("cell", ["-1", "-0.25", "+3", "-1.5e-07", "-inf", "nan", "-.5", "knn:k=50", "", "a=b", " a"])
def test_numbers_and_other_text_stay(cell: str) -> None:
    assert harmless_cell(cell) == cell


def test_numbers_are_written_as_the_csv_module_writes_them() -> None:
    assert csv_text([["a", None, -0.1, -3, True], ["b,c", 1e-20, 2.0, 0, 'q"']]) == (
        'a,,-0.1,-3,True\n"b,c",1e-20,2.0,0,"q"""\n'
    )


def test_tables_of_studies_and_learning_curves_hold_no_formula() -> None:
    columns = (TableColumn("set", "set"), TableColumn("=key", "gain", "number"))
    table = StudyTable("t", "t", "", columns, (("=HYPERLINK(1)", Estimate(-0.5, -1.0, 0.25)), ("-x", -2.0)))
    assert table.csv().splitlines() == [
        "set,'=key,'=key_low,'=key_high",
        "'=HYPERLINK(1),-0.5,-1,0.25",
        "'-x,-2,,",
    ]
    assert curves_text([{"epoch": 1, "loss": -0.5}, {"epoch": 2, "=iou": 0.1}]) == "epoch,loss,'=iou\n1,-0.5,\n2,,0.1\n"


def test_only_one_module_writes_csv() -> None:
    rooms = [path for path in (ROOT / "caos").iterdir() if path.is_dir()]
    writers = {
        file.relative_to(room).as_posix()
        for room in rooms
        for file in room.rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)|to_csv", file.read_text(encoding="utf-8"))
    }
    assert writers == {"storage/csv_text.py"}
