"""A study on a terminal: tables that fit, the best in colour, and one summary at the end; a file gets Markdown."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from caos.studies.framework.study import Finding, Study, study_folder
from caos.studies.presentation.tables import Estimate, StudyTable, TableColumn
from caos.studies.presentation.terminal_tables import sections, show_study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    columns = (
        TableColumn("scorer", "scorer"),
        TableColumn("fpr95", "FPR95", "percent", better="lower"),
        TableColumn("auroc", "AUROC", "percent", better="higher"),
        TableColumn("images", "images", "number"),
    )
    rows = (
        ("a|b", Estimate(0.301, 0.28, 0.33), 0.9, 4),
        ("msp", 0.125, None, 40),
        ("energy", 0.4, 0.95, 400),
    )
    table = StudyTable("table", "Who finds them?", "Of all images.", columns, rows)
    with study_folder(tmp_path / "study", "transfer") as place:
        return place.finish({}, {}, lambda: Finding("Does it hold?", "It does [not].", (table,)))


def printed(study: Study, width: int, *, terminal: bool = True) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=terminal, color_system="standard", highlight=False)
    show_study(study, console)
    return text.getvalue()


@pytest.mark.parametrize("width", [50, 120])
def test_a_terminal_gets_tables_that_fit_and_one_summary(study: Study, width: int) -> None:
    lines = Text.from_ansi(printed(study, width)).plain.splitlines()
    assert all(len(line) <= width for line in lines if "│" in line or "┃" in line)
    text = " ".join("\n".join(lines).split())
    assert "Does it hold? It does [not]. Done after" in text
    assert text.endswith("study.json, table.csv.")
    assert "a|b" in text


def test_the_best_number_is_green_where_better_has_a_direction(study: Study) -> None:
    green = "\x1b[1;32m"
    text = printed(study, 120)
    assert [text.split(green)[n][:4] for n in (1, 2)] == ["12.5", "95.0"]
    assert text.count(green) == 2


def test_a_file_gets_markdown(study: Study) -> None:
    assert printed(study, 50, terminal=False) == f"{study.markdown()}\nThe page: {study.page}\n"
    ((title, notes, lines),) = sections(study.markdown())
    assert (title, notes) == ("Who finds them?", ["Of all images."])
    assert lines[1] == ["a|b", "30.1 [28.0, 33.0]", "90.0", "4"]
