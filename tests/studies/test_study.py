"""The base of all studies: the list of them, parts that are resumed, tables, and the page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from caos.foundation.errors import CaosError
from caos.studies.cli import studies
from caos.studies.framework.study import Finding, read_study, study_folder
from caos.studies.presentation.plots import Axis, Bar, BarPlot, Dot, LinePlot, MatrixPlot, ScatterPlot, Series
from caos.studies.presentation.tables import Estimate, StudyTable, TableColumn

TABLE = StudyTable(
    "table",
    "Runs",
    "Percent.",
    (
        TableColumn("run", "run"),
        TableColumn("auroc", "AUROC", "percent", better="higher"),
        TableColumn("images", "images", "number"),
    ),
    (("a|b", Estimate(0.5, 0.25, 0.75), 3), ("c", None, 4)),
)
LONG = StudyTable("long", "Long", "", (TableColumn("x", "x", "number", 2),), ((0.125,),), shown_in=("csv",))
PLOTS = (
    LinePlot(
        "Lines",
        "",
        Axis("severity", names=("1", "3")),
        Axis("AUROC", 0, 1, is_percent=True),
        (Series("a", ((0, 0.5), (1, 0.25))),),
    ),
    ScatterPlot("Dots", "", Axis("x"), Axis("y"), (Dot("a", 1.0, 2.0, (0.5, 1.5)), Dot("b", 2.0, 3.0)), diagonal=True),
    MatrixPlot("Matrix", "", ("a",), ("b", "c"), ((0.5, None),), (("half", ""),), -1.0, 1.0),
    BarPlot("Bars", "", Axis("AUROC", 0, 1, is_percent=True), (Bar("a", 0.5, (0.4, 0.6)), Bar("b", None))),
)


def finding() -> Finding:
    return Finding("What <b>runs</b> do", "They run.", (TABLE, LONG), PLOTS, {"answer": 42})


def run(out: Path, made: list[str], weights: str = "w1") -> None:
    with study_folder(out, "little") as place:
        for name in ("first", "second"):
            place.part(name, {"weights": weights}, lambda name=name: made.append(name) or len(made))
        place.finish({"weights": weights}, {"runs": ["a"]}, lambda: made.append("finding") or finding())


def test_a_study_is_a_folder_with_a_command_and_is_listed_without_being_imported(tmp_path: Path) -> None:
    (tmp_path / "how_far").mkdir()
    (tmp_path / "how_far/cli.py").write_text(
        'raise RuntimeError\ndef study():\n    """Say how far.\n\n    More.\n    """\n'
    )
    (tmp_path / "no_study").mkdir()
    assert studies(tmp_path, "there") == {"how-far": ("there.how_far.cli:study", "Say how far.")}


def test_parts_and_findings_are_made_once_and_again_when_what_they_depend_on_changes(tmp_path: Path) -> None:
    made: list[str] = []
    run(tmp_path, made)
    run(tmp_path, made)
    assert made == ["first", "second", "finding"]
    run(tmp_path, made, "w2")
    assert made[3:] == ["first", "second", "finding"]


def test_a_stopped_study_goes_on_with_the_part_that_was_not_finished(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), study_folder(tmp_path / "s", "little") as place:
        place.part("first", 1, lambda: [1.5])
        assert place.has_part("first", 1)
        place.part("second", 1, stop)
    with study_folder(tmp_path / "s", "little") as place:
        assert not place.has_part("second", 1)
        assert not place.has_part("first", 2)
        assert place.part("first", 1, stop) == [1.5]
    assert not (tmp_path / "s/study.json").exists()


def test_a_study_that_fails_at_once_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="bad"), study_folder(tmp_path / "s", "little"):
        raise CaosError("bad")
    assert list(tmp_path.iterdir()) == []


def test_another_studys_folder_is_refused(tmp_path: Path) -> None:
    run(tmp_path, [])
    with (
        pytest.raises(CaosError, match="holds a study made with other settings .study was .little., is .other."),
        study_folder(tmp_path, "other"),
    ):
        pass


def test_what_a_study_leaves(tmp_path: Path) -> None:
    run(tmp_path, [])
    study = read_study(tmp_path)
    assert (study.content.study, study.content.lead, study.content.details) == ("little", "They run.", {"answer": 42})
    assert study.content.settings == {"runs": ["a"]}
    rows = list(csv.reader((tmp_path / "table.csv").open()))
    assert rows == [
        ["run", "auroc", "auroc_low", "auroc_high", "images"],
        ["a|b", "0.5", "0.25", "0.75", "3"],
        ["c", "", "", "", "4"],
    ]
    assert (tmp_path / "long.csv").read_text() == "x\n0.125\n"
    lines = study.markdown().splitlines()
    assert "| run | AUROC ↑ | images |" in lines
    assert "| a\\|b | 50.0 [25.0, 75.0] | 3 |" in lines
    assert "| c | – | 4 |" in lines
    assert "Long" not in study.markdown()
    assert "What &lt;b&gt;runs&lt;/b&gt; do" in study.page.read_text()
    data = json.loads((tmp_path / "data.js").read_text().removeprefix("window.CAOS = ").removesuffix(";\n"))
    assert [plot["kind"] for plot in data["plots"]] == ["lines", "scatter", "matrix", "bars"]
    assert [table["name"] for table in data["tables"]] == ["table"]


def test_damaged_studies_are_named(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="holds no study.json"):
        read_study(tmp_path)
    (tmp_path / "study.json").write_text('{"schema": 0}')
    with pytest.raises(CaosError, match="not a study of schema 1"):
        read_study(tmp_path)


def test_a_row_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(CaosError, match="a row has 2 cells for 1 columns"):
        StudyTable("t", "", "", (TableColumn("x", "x"),), ((1, 2),))
