"""The page of a transfer study in a real Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from caos.foundation.storage.provenance import provenance
from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.measuring.protocols import PROTOCOLS
from caos.studies.framework.study import Study
from caos.studies.presentation.page import write_page
from caos.studies.presentation.plots import Axis, LinePlot, MatrixPlot, Series
from caos.studies.presentation.tables import StudyTable, TableColumn
from caos.studies.transfer.study import TransferSettings, study_transfer

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore")]
SCORERS = ("msp", "max_logit", "energy", "entropy")


@pytest.fixture(scope="module")
def study(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    root = tmp_path_factory.mktemp("study")
    options = ScoringOptions(protocols=(PROTOCOLS["caos"], PROTOCOLS["smiyc"]), judging=None, previews=False)
    for seed, name in enumerate(("one", "two", "three")):
        torch.manual_seed(seed)
        score_model(
            torch.nn.Conv2d(3, 13, 3, padding=1).eval(), site.parent / "data", SCORERS, root / name, options=options
        )
    results = [f"{name}@set={root / name}" for name in ("one", "two", "three")]
    return study_transfer([], [], root / "study", results=results, settings=TransferSettings(draws=50))


def test_two_scorings_are_chosen_and_seen_as_dots(page: Any, study: Study) -> None:
    page.goto(study.page.as_uri())
    assert page.locator("#own svg .dot").count() == len(SCORERS)
    found = study.content.details["agreements"]

    def spearman(first: str, second: str, metric: str = "auroc", protocol: str = "caos") -> str:
        wanted = (first, second, metric, protocol)
        agreement = next(a for a in found if (a["first"], a["second"], a["metric"], a["protocol"]) == wanted)
        return f"Spearman {agreement['spearman']['value']:.2f} "

    says = page.locator("#own p.lead")
    assert says.inner_text().startswith(spearman("one on set", "two on set"))
    page.get_by_label("Up").select_option("three on set")
    page.get_by_label("Metric").select_option("fpr95")
    page.get_by_label("Definition").select_option("smiyc")
    assert says.inner_text().startswith(spearman("one on set", "three on set", "fpr95", "smiyc"))
    assert "FPR95: one on set against three on set" in page.locator("#own figcaption").all_inner_texts()


def test_a_picture_of_the_matrix_chooses_its_two(page: Any, study: Study) -> None:
    page.goto(study.page.as_uri())
    page.locator("table.matrix tbody tr:nth-child(3) button").nth(1).click()
    assert page.get_by_label("Across").input_value() == "two on set"
    assert page.get_by_label("Up").input_value() == "three on set"
    assert page.locator("table.matrix button[aria-pressed=true]").count() == 1


def test_ranks_show_the_order_alone(page: Any, study: Study) -> None:
    page.goto(study.page.as_uri())
    assert page.locator("#own .diagonal").count() == 0
    page.get_by_role("button", name="Ranks").click()
    assert page.locator("#own .diagonal").count() == 1
    titles = page.locator("#own svg .dot title").all_text_contents()
    ranks = [title.split(": ")[1].split(", ")[0] for title in titles]
    assert sorted(float(rank) for rank in ranks) == [1, 2, 3, 4]


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_fits_a_phone(page: Any, study: Study, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(study.page.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture(scope="module")
def plotted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a matrix of long names, eight lines of which low ones are good, and a column of fractions."""
    rows = ("iid", "hazard.rendition=single_colour_and_more")
    matrix = MatrixPlot("AUROC", "", rows, ("msp", "energy"), ((0.9, 0.8), (0.7, 0.6)), (), 0.0, 1.0)
    series = tuple(Series(f"line {i}", ((0.0, i / 10), (1.0, i / 10))) for i in range(8))
    lines = LinePlot("False alarms", "", Axis("severity"), Axis("alarms"), series, "lower")
    columns = (TableColumn("n", "n", "number"), TableColumn("rho", "rho", "number", 2))
    table = StudyTable("table", "Order", "", columns, ((3, 1.0), (4, 0.975)))
    folder = tmp_path_factory.mktemp("plotted")
    return write_page(
        folder,
        title="Plots",
        lead="",
        tables=(table,),
        plots=(matrix, lines),
        details={},
        script=None,
        provenance=provenance({}, 0),
    )


def test_long_names_stay_clear_of_the_first_column(page: Any, plotted: Path) -> None:
    page.goto(plotted.as_uri())
    name = page.locator("table.matrix tbody th").nth(1)
    assert name.evaluate("e => e.scrollWidth <= e.clientWidth")
    cell = page.locator("table.matrix tbody tr:nth-child(2) td").first
    assert name.bounding_box()["x"] + name.bounding_box()["width"] <= cell.bounding_box()["x"] + 1


def test_where_less_is_better_the_lowest_lines_are_coloured(page: Any, plotted: Path) -> None:
    page.goto(plotted.as_uri())
    assert page.locator("svg text.series").all_text_contents() == [f"line {i}" for i in (4, 3, 2, 1, 0)]


def test_numbers_of_a_column_have_the_same_digits(page: Any, plotted: Path) -> None:
    page.goto(plotted.as_uri())
    assert page.locator("#tables tbody td").all_inner_texts() == ["3", "1.00", "4", "0.97"]
